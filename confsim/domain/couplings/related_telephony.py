"""Related subjects and facts of calls and numbers, for the couplings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import clients as assumed_clients
from confsim.assumptions import telephony as assumed
from confsim.assumptions.register import ask
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.runtime import presence
from confsim.domain.runtime.presence import Presence
from confsim.domain.telephony import number_assignments
from confsim.domain.telephony.calls import CALLS, OPEN, CallState, PhoneCall
from confsim.domain.telephony.number_assignments import NumberAssignment
from confsim.domain.telephony.numbers import DEFAULTS, NUMBERS, Number
from confsim.kernel.world import Change


def calls_of(change: Change, present: Presence) -> Iterable[PhoneCall]:
    """The calls by which a user who left was in the channel."""
    calls = CALLS.of(change, present.client)
    for found in calls.where(OPEN, present.user):
        call = calls[found.id]
        if call.channel == present.channel and call.state is CallState.ANSWERED:
            yield call


def caller(change: Change, call: PhoneCall) -> Iterable[Presence]:
    """The presence of the user who joined the channel by the call."""
    if call.joined:
        channel = channels.get(change, call.client, call.channel)
        present = presence.find(change, channel, call.user)
        if present is not None:
            yield present


def door_of_organizer(change: Change, call: PhoneCall) -> Iterable[Channel]:
    """The closed channel of a caller with the PIN of organizers, where that opens the door (G466)."""
    channel = channels.get(change, call.client, call.channel)
    if call.organizer and not channel.open and ask(change, assumed.ORGANIZER) == "opens-door":
        yield channel


def assignments_of(change: Change, number: Number) -> Iterable[NumberAssignment]:
    """The assignments of the number."""
    return number_assignments.list_of_number(change, number.client, number.number)


def released_numbers(change: Change, client: Client) -> Iterable[NumberAssignment]:
    """The assignments of a client that loses its service, where that ends them (G543)."""
    if ask(change, assumed_clients.DISABLE_RELEASES) == "validator-and-numbers":
        yield from number_assignments.ASSIGNMENTS.of(change, client.id).all


def other_assignments(change: Change, assignment: NumberAssignment) -> Iterable[NumberAssignment]:
    """The assignments of the number to other channels."""
    found = number_assignments.list_of_number(change, assignment.client, assignment.number)
    return (other for other in found if other.channel != assignment.channel)


def first_assignments(change: Change, channel: Channel) -> Iterable[dict[str, Any]]:
    """The enabled numbers of the client's default list, where a new channel gets them assigned (G479)."""
    found = NUMBERS.where(change, DEFAULTS, True, channel.client)
    if found and channel.parent is None and ask(change, assumed.DEFAULTS) == "assigned":
        for number in found:
            yield number_assignments.assignment_facts(change, channel, number.number)
