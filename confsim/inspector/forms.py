"""The actions of the forms, by control operations; each returns the path of the page to show next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from confsim.api.catalogue import API
from confsim.kernel.refusal import Misuse
from confsim.service.files.reading import json_problem
from confsim.values.plain import whole_number

from .inputs import value_of
from .page_request import PageRequest, link
from .trying import send

Form = Callable[[PageRequest, Mapping[str, str]], str]


def _value(text: str, what: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError) as error:
        problem = json_problem(error)
        reason = "it ends too early" if problem == "Input data was truncated" else problem
        raise Misuse(f"{what}: {text[:40]!r} is not JSON: {reason}") from None


def _back(asked: PageRequest, form: Mapping[str, str], otherwise: str) -> str:
    """Return the page of the inspector that a form names as the one it was sent from, else another path."""
    back = form.get("back", "")
    return back if back.startswith(asked.home) and "\\" not in back and back.isprintable() else otherwise


def _instant(text: str) -> Any:
    """Return an instant of a form: epoch milliseconds as a number, anything else as it is."""
    number = whole_number(text)
    return text if number is None else number


def clock(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Advance, set, freeze or resume the clock."""
    action = form.get("action", "advance")
    if action == "set":
        asked.control("set_clock", to=_instant(form.get("to", "")))
    elif action in ("freeze", "resume"):
        asked.control(f"{action}_clock")
    elif action == "next":
        asked.control("advance_clock", until="next")
    else:
        asked.control("advance_clock", by=form.get("by", ""))
    return _back(asked, form, link(asked, "time"))


def reset(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Restore the start of the world."""
    asked.control("reset_world")
    return link(asked)


def snapshots(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Take, restore or drop a snapshot."""
    name = form.get("name", "")
    action = form.get("action", "take")
    if action == "restore":
        asked.control("restore_snapshot", name)
    elif action == "drop":
        asked.control("drop_snapshot", name)
    else:
        asked.control("take_snapshot", name=name)
    return _back(asked, form, link(asked, "worlds"))


def worlds(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Add or drop a world of the server, or fork this one at a moment, and go there."""
    if form.get("action") == "drop":
        asked.control("drop_world", form.get("name", ""))
    else:
        name, moment = form.get("name", ""), form.get("moment")
        asked.control("make_world", name=name, **({} if moment is None else {"from": {"moment": moment}}))
        if moment is not None:
            return f"/w/{quote(name, safe='')}/_confsim/"
    return _back(asked, form, link(asked, "worlds"))


def moments(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Go back to a moment."""
    asked.control("restore_moment", form.get("id", ""))
    return link(asked, "time")


def faults(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Add a fault, remove one, or clear all."""
    if form.get("action") == "clear":
        asked.control("clear_faults")
    elif form.get("action") == "remove":
        asked.control("remove_fault", form.get("id", ""))
    else:
        asked.control.with_body("add_fault", _value(form.get("fault", ""), "fault"))
    return link(asked, "faults")


def held(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Release or drop a held call, give it another body or another answer, or let an effect decide."""
    action, given = form.get("action", ""), dict[str, Any]()
    if action == "body":
        given["body"] = _value(form.get("body", ""), "body")
    elif action == "answer":
        status, answer = form.get("status", ""), form.get("answer", "").strip()
        number = whole_number(status)
        if number is None:
            raise Misuse(f"status: {status[:40]!r} is not a number")
        given["do"] = {"status": number, **({"body": _value(answer, "answer")} if answer else {})}
    elif action == "change":
        given["do"] = _value(form.get("do", ""), "change")
    asked.control("decide_held", form.get("id", ""), action="change" if given else action, **given)
    return link(asked, "faults")


def requests(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Empty the journal."""
    asked.control("clear_requests")
    return link(asked, "requests")


def presence(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Let a user join or leave a channel, or admit a user from its lobby."""
    channel, user = form.get("channel", ""), form.get("user", "")
    number = whole_number(user)
    if number is None:
        raise Misuse(f"{user[:40]!r} is not the id of a user")
    operation = {"join": "join_channel", "leave": "leave_channel", "admit": "admit_to_channel"}.get(
        form.get("action", "")
    )
    if operation is None:
        raise Misuse("action is join, leave or admit")
    asked.control(operation, channel=channel, userId=number)
    return _back(asked, form, link(asked, "presence", channel=channel))


def records(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Change the fields of a record that are filled in."""
    kind, id = form.get("kind", ""), form.get("id", "")
    given = {
        each.name: value_of(text, each.schema, {})
        for each in asked.control("get_record", kind, id).editable
        if (text := form.get(f"set-{each.name}", "").strip())
    }
    if not given:
        raise Misuse("no field is filled in, so nothing would change")
    asked.control("change_record", kind, id, **given)
    return link(asked, "records", kind, id)


def operations(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Call an operation of the API as its form says, and show the answer; a held call is shown among the faults."""
    operation = API.find(form.get("operation", ""))
    if operation is None:
        raise Misuse(f"there is no operation {form.get('operation', '')[:80]!r}", status=404)
    id = send(asked.control.context.service, operation, form)
    return link(asked, "faults") if id is None else link(asked, "operations", operation.name, tried=id)


def scenarios(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Play a scenario in this world. Raises Misuse (409) when a step did not go as it expects."""
    played = asked.control("play_scenario", scenario=form.get("name", ""))
    if not played.passed:
        failed = next((each for each in played.steps if not each.passed), None)
        where = "" if failed is None else f" at {failed.step}: {failed.problem}"
        raise Misuse(f"the scenario stopped{where}", status=409)
    return link(asked)


def deliveries(asked: PageRequest, form: Mapping[str, str]) -> str:
    """Send a delivery again."""
    asked.control("redeliver", form.get("id", ""))
    return _back(asked, form, link(asked, "webhooks"))


#: The actions of the forms, by their name in the path.
FORMS: Mapping[str, Form] = {
    each.__name__: each
    for each in (
        clock,
        reset,
        snapshots,
        worlds,
        moments,
        faults,
        held,
        requests,
        presence,
        records,
        operations,
        scenarios,
        deliveries,
    )
}


def get(name: str) -> Form:
    """Return the action of this name. Raises Misuse (404) when there is none."""
    form = FORMS.get(name)
    if form is None:
        raise Misuse(f"there is no form {name!r}", status=404)
    return form
