"""Invariants: statements of the documents that hold after any calls, checked by reads of the API itself.

Each cites its source. They are checked again only after the world has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis.stateful import invariant

from confsim.contract.gates import Grant

from .bundles import ApiJourney
from .targets import elements_of

_MANY = {"limit": "200"}
#: Most channels whose details are checked after a step: the newest ones.
_CLOSELY = 3
#: Fields of the channel details and the legacy settings that show the same state (P2 Channel details, Legacy settings).
_VIEWS = {
    "isOpen": "open",
    "offAir": "offAir",
    "disableWall": "disableWall",
    "isEventRoom": "eventRoom",
    "isMidi": "midi",
}


def invariants() -> dict[str, Callable[..., Any]]:
    """Return the invariants by name."""
    return {"the_documents_hold": invariant()(_hold)}


def _hold(self: ApiJourney) -> None:
    """Check the invariants of channels, sessions, breakout sessions, recordings and validators."""
    digest = self.driven[0].digest() if self.digests else None
    if digest is not None and digest == self.checked:
        return
    self.checked = digest
    _validators(self)
    listed = self.read("list_channels", **_MANY)
    if listed is None:
        return
    channels = elements_of(listed)
    _channels(channels)
    _sessions(self)
    for item in channels[:_CLOSELY]:
        _channel(self, item)


def _validators(journey: ApiJourney) -> None:
    """At most one validator is active at a time (P1 States, R114, R238)."""
    found = elements_of(journey.read("list_validators"))
    assert sum(bool(each.get("active")) for each in found) <= 1, found


def _channels(channels: list[Any]) -> None:
    """Names are unique (P2 L49, R276); the newest channel comes first, by seconds (P2 L197, R279, R280)."""
    names = Counter(each["name"] for each in channels)
    assert max(names.values(), default=1) == 1, names.most_common(1)
    created = [each["created"] for each in channels]
    assert created == sorted(created, reverse=True), created
    assert all(each < 10**11 for each in created), created


def _sessions(journey: ApiJourney) -> None:
    """The instants of a session are in order (P2 Session, R285); a channel has one active session at most (R552)."""
    listed = elements_of(journey.read("list_sessions", journey.likely[Grant.OWNER], **_MANY))
    for each in listed:
        instants = [each[name] for name in ("created", "started", "ended") if each.get(name) is not None]
        assert instants == sorted(instants), each
    active = Counter(
        each["channel"] for each in listed if each.get("started") is not None and each.get("ended") is None
    )
    assert max(active.values(), default=0) <= 1, active
    started = [each["started"] for each in listed if each.get("started") is not None]
    assert started == sorted(started, reverse=True), "sessions come by their start, the latest first (P2 L236)"


def _channel(journey: ApiJourney, item: Any) -> None:
    uuid = item["channelUuid"]
    details, settings = journey.read("get_channel", uuid=uuid), journey.read("get_channel_settings", uuid=uuid)
    if details is None or settings is None:
        return
    _views(item, details, settings)
    _recordings(journey, uuid)
    if details["isEventRoom"]:
        _breakouts(journey, uuid)
    _people(journey, uuid, settings)


def _views(item: Any, details: Any, settings: Any) -> None:
    """List, details and settings agree (R278); limits are respected (P2 Limits, R257, R376)."""
    for name in ("name", "urlName", "friendlyURL", "isOpen", "guestAccess", "channelUuid"):
        assert item.get(name) == details.get(name), (name, item, details)
    for name, setting in _VIEWS.items():
        assert details[name] is settings[setting], (name, details, settings)
    assert 1 <= details["reputation"] <= 15, details
    assert len(details.get("description") or "") <= 200, details
    assert details["serviceMode"] in {"panel", "conference"}, details
    assert details["audioQuality"] in {"toll", "broadcast"}, details


def _recordings(journey: ApiJourney, uuid: str) -> None:
    """One recording at most is in progress (P2 L314-315, R554); it ends before it is ready (P2 L77, R292, R293)."""
    found = elements_of(journey.read("list_recordings", **_MANY, channelId=uuid))
    assert sum(each.get("endTime") is None for each in found) <= 1, found
    for each in found:
        instants = [each[name] for name in ("startTime", "endTime", "readyTime") if each.get(name) is not None]
        assert instants == sorted(instants), each
        assert each.get("endTime") is not None or each.get("readyTime") is None, each


def _breakouts(journey: ApiJourney, uuid: str) -> None:
    """One breakout session at most is active (P2 L277-286, R553), and has begun; it is not completed (P2 L107)."""
    found = elements_of(journey.read("list_breakout_sessions", **_MANY, uuid=uuid))
    assert sum(each["isActive"] for each in found) <= 1, found
    for each in found:
        assert not (each["isActive"] and each["isCompleted"]), each
        assert each.get("started") is not None or not each["isActive"], each


def _people(journey: ApiJourney, uuid: str, settings: Any) -> None:
    """A live channel counts exactly the users in it (P2 L207, R390); its lock mutes nobody in the lobby."""
    present = journey.control("list_presence", channel=uuid).body
    inside = [each for each in present if each["state"] == "in"]
    counted = journey.read("get_populations", channelIds=uuid)
    if counted is not None:
        assert counted.get(uuid, 0) == sum("room" not in each for each in inside), (counted, present)
    muted = {each["userId"] for each in present if each["muted"]}
    assert not muted or settings["muteAttendees"], present
