"""Journey rules for the environment of the API: people join and leave, phones ring, time passes, tokens are issued."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import multiple, rule

from confsim.api.forms import PhoneNumber, PinText
from confsim.transport.in_process import in_effect

from .bundles import ApiJourney
from .samples import samples_of
from .targets import Outcome

#: The control operations that move a call.
PHONES = ("answer_call", "refuse_call", "fail_call", "hang_up")
#: Statuses of the control plane for a refusal by the rules of a channel, a phone or a user.
REFUSED = {400, 404, 409}


def rules(base: type[ApiJourney]) -> dict[str, Callable[..., Any]]:
    """Return the rules by the name of the control operation that each calls."""
    somebody: dict[str, Any] = {"channel": base.channels, "user": base.users}
    keyed = st.sampled_from([None, "meetingId", "code"])
    pins = st.sampled_from([None, *samples_of(PinText, in_effect(base.profile))])
    by = st.sampled_from(["1s", "59s", "5m", "16m", "1d", "8d"])
    numbers = st.sampled_from(samples_of(PhoneNumber))
    present = {**somebody, "place": st.integers(0, 9)}
    return {
        "join_channel": _rule(_join, target=base.sessions, **somebody),
        "leave_channel": _rule(_leave, **present),
        "admit_to_channel": _rule(_admit, **present),
        "set_presenter": _rule(_present, presenter=st.booleans(), **present),
        "dial_in": _rule(_dial_in, target=base.users, channel=base.channels, number=numbers, keyed=keyed, pin=pins),
        "use_phone": _rule(_use_phone, user=base.users, place=st.integers(0, 9), operation=st.sampled_from(PHONES)),
        "advance_clock": _rule(_advance_clock, by=by),
        "issue_token": _rule(_issue_token, target=base.tokens, user=base.users),
    }


def _rule(step: Callable[..., Any], **drawn: Any) -> Callable[..., Any]:
    declare: Callable[[Callable[..., Any]], Callable[..., Any]] = rule(**drawn)
    return declare(step)


def _done(journey: ApiJourney, operation: str, **fields: object) -> Outcome:
    """Call a control operation. It may be refused by a rule; any other failure is an error."""
    outcome = journey.control(operation, **{name: value for name, value in fields.items() if value is not None})
    assert outcome.status in {200, *REFUSED}, f"{operation} with {fields}: {outcome}"
    return outcome


def _join(self: ApiJourney, channel: str, user: int) -> Any:
    """Rule: a user joins a channel or its lobby, as over the streaming connection."""
    outcome = _done(self, "join_channel", channel=channel, userId=user)
    if outcome.status != 200:
        return multiple()
    assert outcome.body["state"] in {"in", "waiting"}
    session = outcome.body.get("session")
    assert session is not None or outcome.body["state"] == "waiting", "a user who is in is in a session (P2 Session)"
    return multiple() if session is None else session


def _present_or(self: ApiJourney, channel: str, user: int, place: int) -> int:
    """Return one of the users in the channel or its lobby, or the given user when it is empty."""
    found = self.control("list_presence", channel=channel)
    people = [each["userId"] for each in found.body] if found.status == 200 else []
    return people[place % len(people)] if people else user


def _leave(self: ApiJourney, channel: str, user: int, place: int) -> None:
    """Rule: a user leaves."""
    _done(self, "leave_channel", channel=channel, userId=_present_or(self, channel, user, place))


def _admit(self: ApiJourney, channel: str, user: int, place: int) -> None:
    """Rule: an operator admits a user from the lobby."""
    _done(self, "admit_to_channel", channel=channel, userId=_present_or(self, channel, user, place))


def _present(self: ApiJourney, channel: str, user: int, place: int, presenter: bool) -> None:
    """Rule: the host grants or revokes Presenter status."""
    somebody = _present_or(self, channel, user, place)
    _done(self, "set_presenter", channel=channel, userId=somebody, presenter=presenter)


def _dial_in(self: ApiJourney, channel: str, number: str, keyed: str | None, pin: str | None) -> Any:
    """Rule: a phone dials an inbound number and keys in a meeting; the caller is a new user."""
    wanted: dict[str, object] = {}
    if keyed == "meetingId":
        details = self.call("get_channel", self.api_token, uuid=channel)
        wanted = {"meetingId": details.body["meetingId"]} if details.status == 200 else {}
    elif keyed == "code":
        assigned = self.call("list_dial_number_assignments", self.api_token, channel=channel)
        wanted = {"code": assigned.elements[0].get("code")} if assigned.elements else {}
    outcome = _done(self, "dial_in", number=number, pin=pin, **wanted)
    return outcome.body["userId"] if outcome.status == 200 else multiple()


def _use_phone(self: ApiJourney, user: int, place: int, operation: str) -> None:
    """Rule: a phone answers, is busy, fails or hangs up."""
    people = [each["userId"] for each in self.control("list_calls").body]
    _done(self, operation, userId=people[place % len(people)] if people else user)


def _advance_clock(self: ApiJourney, by: str) -> None:
    """Rule: time passes; timers fire in every target."""
    self.advance(by)


def _issue_token(self: ApiJourney, user: int) -> Any:
    """Rule: issue a token for a user, as a login would."""
    outcome = _done(self, "issue_token", userId=user)
    return outcome.body["token"] if outcome.status == 200 else multiple()
