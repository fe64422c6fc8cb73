"""What was there before the traffic began: channels and sessions that answers describe, and what is known of them.

A description says what a channel is and which role its caller has there. Calls that depend on no more than that are
followed. Of media, recordings, people and all else that a channel had, nothing is known; of a session that has ended,
no more than its description.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from confsim.api.channels import channels, friendly_urls
from confsim.api.identity import providers
from confsim.api.members import roles
from confsim.api.runtime import sessions
from confsim.api.users import predefined
from confsim.contract.operation import Operation
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.members.roles import HOSTS, Role
from confsim.kernel.refusal import Misuse
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.learning.comparing.places import ObjectShape
from confsim.testing.learning.declared import path_kinds
from confsim.testing.learning.discovering.before import ChannelBefore, SessionBefore
from confsim.testing.learning.run import Run
from confsim.testing.learning.things import RunCaller

#: Modules of the operations that depend on what a description says, and of those that depend on the hosts too.
_OF_DESCRIPTION = frozenset({channels.__name__, friendly_urls.__name__})
_OF_HOSTS = frozenset({roles.__name__})
#: Operations whose answers depend on how a user was made: by whom, and with what from a provider of identities.
_OF_PROVIDER = frozenset(
    each.__name__
    for each in (
        *(providers.get_auth_profile, providers.get_user_auth_method),
        *(predefined.get_user_origin_id, predefined.find_predefined_user),
    )
)
#: The roles, by the lists of those who have them.
_ROLES = {roles.list_operators.__name__: Role.OPERATOR, roles.list_owners.__name__: Role.OWNER}
#: Fields of an answer that describes a channel to a caller.
_DESCRIPTION = frozenset({"channelUuid", "clientId", "channelName", "isOwner", "isOperator", "favorite"})


def _described(run: Run, call: ModelCall, reply: Reply) -> dict[str, Any] | None:
    """Return the description of a channel in an answer, None for another answer, or what a model cannot have.

    That is a room of another channel, or one that users have made a favourite.
    """
    shape = run.shapes.answer(call.declared)
    if call.declared.changes or reply.status >= 400 or not isinstance(reply.body, dict):
        return None
    if not isinstance(shape, ObjectShape) or not shape.fields.keys() >= _DESCRIPTION <= reply.body.keys():
        return None
    return None if reply.body.get("parent") or reply.body["favorite"] else reply.body


def _hosts_in(run: Run, call: ModelCall, reply: Reply) -> tuple[str, dict[int, Role]] | None:
    """Return the channel and the hosts in an answer that lists all of a role, None for another answer.

    Each host is a user's id in the service, with the role.
    """
    if call.operation not in _ROLES or reply.status >= 400 or not isinstance(reply.body, list):
        return None
    users: list[Any] = [each.get("id") for each in reply.body if isinstance(each, dict)]
    if not all(run.known.met("users", user) for user in users):
        return None
    return call.path["uuid"], dict.fromkeys(users, _ROLES[call.operation])


def grown(run: Run, call: ModelCall, reply: Reply) -> tuple[tuple[str, Any], ChannelBefore | SessionBefore] | None:
    """Return what is known of a thing of before after an answer that says more of it, with kind and id; else None."""
    seen = _described(run, call, reply)
    if seen is not None:
        return _grown_by_description(run, call, seen)
    session = _session(run, call, reply)
    if session is not None:
        return ("sessions", session["id"]), SessionBefore(session)
    listed = _hosts_in(run, call, reply)
    channel = None if listed is None else _channel(run, listed[0])
    if listed is None or channel is None or call.operation in channel.lists:
        return None
    owners = {user: role for user, role in channel.hosts.items() if role == Role.OWNER}
    hosts = {**channel.hosts, **listed[1], **owners}
    return ("channels", listed[0]), replace(channel, hosts=hosts, lists=channel.lists | {call.operation})


def _grown_by_description(
    run: Run, call: ModelCall, seen: dict[str, Any]
) -> tuple[tuple[str, Any], ChannelBefore] | None:
    id, caller = seen["channelUuid"], run.things.caller(run.known.model("tokens", call.caller))
    channel = _channel(run, id)
    is_new = channel is None and not run.known.met("channels", id) and run.known.met("clients", seen["clientId"])
    if caller is None or not (is_new or channel is not None):
        return None
    known = channel if channel is not None else ChannelBefore(seen)
    if caller.user is None:
        return (("channels", id), known) if is_new else None
    user = run.known.service("users", caller.user)
    if not run.known.knows("users", caller.user) or user in known.hosts or known.is_complete:
        return None
    role = Role.OWNER if seen["isOwner"] else Role.OPERATOR if seen["isOperator"] else None
    return ("channels", id), replace(known, hosts={**known.hosts, user: role})


def _session(run: Run, call: ModelCall, reply: Reply) -> dict[str, Any] | None:
    """Return the description of a session in an answer that has ended, in a channel of before; None for another."""
    seen = reply.body
    if call.operation != sessions.get_session.__name__ or reply.status >= 400 or not isinstance(seen, dict):
        return None
    if not seen.get("ended") or not seen.get("started") or seen.get("groupId") or seen.get("parentId"):
        return None
    is_new = _channel(run, seen.get("channel")) is not None and not run.known.met("sessions", seen["id"])
    return seen if is_new else None


def _channel(run: Run, id: Any) -> ChannelBefore | None:
    found = run.discovery.before.get(("channels", id))
    return found if isinstance(found, ChannelBefore) else None


def why_not(run: Run, call: ModelCall, *, is_stored: bool) -> str:
    """Return why a call that names things of before cannot be followed; "" when it can, or names none.

    ``is_stored`` says that the model was made from the answer to this call.
    """
    caller = run.things.caller(run.known.model("tokens", call.caller))
    user = None if caller is None or caller.user is None else run.known.service("users", caller.user)
    why = _why_not_of_client(run, call, caller, is_stored=is_stored) or _why_not_of_provider(run, call, caller)
    if why:
        return why
    for kind, there in call.names():
        found = run.discovery.before.get((kind, there))
        if isinstance(found, SessionBefore):
            channel = _channel(run, found.description["channel"])
            is_known = call.operation == sessions.get_session.__name__
        else:
            channel = found
            is_known = found is None or _is_known(found, call.declared)
        if not is_known:
            return f"it is about more of the {kind} of before than is known"
        if channel is not None and user is not None and user not in channel.hosts and not channel.is_complete:
            return "it is made by somebody whose role in a channel of before is not known"
    return ""


def _why_not_of_client(run: Run, call: ModelCall, caller: RunCaller | None, *, is_stored: bool) -> str:
    """Return why a call about a client of before cannot be followed; of that of the accounts its answers say enough."""
    made = (each.name for each in run.things.list_kind("clients"))
    own = {run.accounts.client, *(run.known.service("clients", each) for each in made)}
    named = {there for kind, there in call.names() if kind == "clients"}
    home = "" if caller is None else run.known.service("clients", caller.home)
    if not all(each in own or run.known.met("clients", each) for each in named):
        return "it names one of the clients that was not seen made"
    declared = call.declared
    others = named - own if named else set() if caller is None or declared.about_caller else {home} - own
    if is_stored or declared.changes or not others:
        return ""
    return "it is about a client of before, of which little is known"


def _why_not_of_provider(run: Run, call: ModelCall, caller: RunCaller | None) -> str:
    """Return why a call that depends on how a user of before was made cannot be followed."""
    named = [run.known.model("users", there) for kind, there in call.names() if kind == "users"]
    about = named or ([] if caller is None or caller.made else [caller.user])
    if call.operation in _OF_PROVIDER and any(("users", each) not in run.things for each in about):
        return "it depends on how a user of before was made"
    return ""


def _is_known(channel: ChannelBefore, operation: Operation) -> bool:
    module = operation.function.__module__
    if operation.removes in path_kinds(operation).values():
        return False
    return module in _OF_DESCRIPTION or (module in _OF_HOSTS and channel.is_complete)


def changes_channel(run: Run, here: ModelCall) -> bool:
    """Return whether a call that succeeds, with the ids of the model, may change more than what a channel has.

    What the model does not do, and what is said of a channel that it made from the beginning, may be anything.
    """
    if not any(_channel(run, run.known.service("channels", name)) for kind, name in here.names() if kind == "channels"):
        return True
    try:
        predicted = run.model.imagine(here)
    except Misuse:
        return True
    own = {CHANNELS.name, HOSTS.name}
    return predicted.reply.status >= 400 or not own.isdisjoint(table for _, table, _ in predicted.touched)
