"""Planted faults of recordings, of telephony, of terms and of the service of clients."""

from __future__ import annotations

from msgspec.structs import replace

from confsim.domain import terms
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, ServiceState
from confsim.domain.recordings import recordings
from confsim.domain.runtime import presence, sessions
from confsim.domain.telephony import calls, number_assignments, numbers, pins
from confsim.domain.terms import Acceptance, Publication
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change

from .fault import Fault, altered, coupling, forgotten, need, row

_PHONES = ("numbers and PINs", "meeting")
_CHECK = pins.check


def _check_nothing(change: Change, channel: Channel, pin: str | None) -> bool:
    """Let a wrong PIN in, as that of somebody who is no organizer."""
    try:
        return _CHECK(change, channel, pin)
    except Refusal:
        return False


def _promulgate_same(change: Change, client: Client, url: str) -> Client:
    """Publish the terms with the version that they had."""
    return replace(client, terms=replace(client.terms, url=url, promulgated=change.now))


def _is_served_itself(change: Change, client: Client) -> bool:
    """Do not ask the clients above."""
    return client.service is ServiceState.ENABLED


FAULTS: tuple[Fault, ...] = (
    Fault(
        "a recording goes on after its session",
        "recordings",
        "P2 L7, R557, G487",
        ("meeting", "room"),
        forgotten(coupling(sessions.MACHINE, recordings.MACHINE, "lose session")),
    ),
    Fault(
        "the processing of a recording has no timer",
        "recordings",
        "P2 States L170, R363, G488",
        ("meeting", "room"),
        altered(recordings._ENDS, due=lambda recording: None),
    ),
    Fault(
        "a session does not know that it was recorded",
        "recordings",
        "P2 Session L65, R286",
        ("room", "things of a room", "meeting"),
        forgotten(need(recordings.MACHINE, "start", sessions.MACHINE, "be recorded")),
    ),
    Fault(
        "a phone with a wrong PIN is let in",
        "telephony",
        "P2 L296-297, R478, R479, G466",
        _PHONES,
        altered(pins, check=_check_nothing),
    ),
    Fault(
        "an exclusive number is shared with another channel",
        "telephony",
        "P2 L301, R484",
        _PHONES,
        altered(row(number_assignments.MACHINE, "assign", ABSENT), only_if=None),
    ),
    Fault(
        "a disabled number leads to its channels",
        "telephony",
        "P2 States L172, R366",
        _PHONES,
        forgotten(coupling(numbers.STANDING, number_assignments.MACHINE, "release")),
    ),
    Fault(
        "a phone that hangs up stays in the channel",
        "telephony",
        "G452",
        ("meeting", "numbers and PINs"),
        forgotten(coupling(calls.MACHINE, presence.MACHINE, "disconnect")),
    ),
    Fault(
        "a version of the terms that is not the current one is accepted",
        "terms",
        "P1 States L175, R101, G180",
        ("client and child",),
        altered(row(terms.ACCEPTANCE, "accept", Acceptance.NEVER), only_if=None),
    ),
    Fault(
        "new terms keep the version of the old ones",
        "terms",
        "P1 States L176, R103, R104",
        ("client and child",),
        altered(row(terms.DOCUMENT, "promulgate", Publication.PUBLISHED), effect=_promulgate_same),
    ),
    Fault(
        "a child of a disabled client is served",
        "service",
        "P1 States L178, R086, R109, R110",
        ("client and child",),
        altered(clients, is_served=_is_served_itself),
    ),
    Fault(
        "a client switches its own service off",
        "service",
        "P1 L297, P1 States L178, R109",
        ("client and child",),
        altered(row(clients.MACHINE, "disable", ServiceState.ENABLED), only_if=None),
    ),
)
