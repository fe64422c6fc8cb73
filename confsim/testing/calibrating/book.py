"""What is known of each assumption: the value in force, and which others have been ruled out by what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions.register import REGISTER
from confsim.assumptions.register.candidates import candidates

from .alternative import Alternative


class Rival(Struct, frozen=True):
    """Another set of values that would explain what was learned just as well."""

    alternative: Alternative
    of: Alternative


class Book:
    """The values that each assumption can have, and what is known of them.

    ``profile`` holds the values in force that are not the default. A value is ruled out by an answer that it would have
    changed; the assumptions which that answer rested on are noted with it, since another value of one of them opens it
    again.
    """

    def __init__(self) -> None:
        self.profile: dict[str, Any] = {}
        self.used: set[str] = set()
        self.lost: set[str] = set()
        self.rivals: list[Rival] = []
        #: Every value of each assumption, as what it would be instead of the one in force.
        self._values: dict[str, list[Alternative]] = {
            id: [Alternative((id, value)) for value in (entry.default, *candidates(entry))]
            for id, entry in REGISTER.entries.items()
        }
        self._in_force: dict[str, str] = {id: found[0].key for id, found in self._values.items()}
        self._ruled_out: dict[str, frozenset[str]] = {}

    def value(self, id: str) -> Any:
        """The value in force."""
        return self.profile.get(id, REGISTER.entries[id].default)

    def others(self, id: str) -> list[Alternative]:
        """The values that are neither in force nor ruled out."""
        return [each for each in self._values[id] if each.key != self._in_force[id] and each.key not in self._ruled_out]

    def is_open(self, alternative: Alternative) -> bool:
        """Whether an alternative is not ruled out."""
        if len(alternative.values) > 1:
            return any(each.alternative == alternative for each in self.rivals)
        return alternative.key not in self._ruled_out and alternative.key != self._in_force[alternative.ids[0]]

    def open_to(self, used: Iterable[str]) -> list[Alternative]:
        """The alternatives of these assumptions that are not ruled out, rivals included."""
        ids = set(used)
        rivals = [each.alternative for each in self.rivals if not ids.isdisjoint(each.alternative.ids)]
        return [*rivals, *(each for id in ids for each in self.others(id))]

    def wanted(self) -> set[str]:
        """The assumptions with a value that is not ruled out."""
        return {id for id in self._values if self.others(id)}

    def add(self, id: str, value: Any) -> Alternative | None:
        """Take up a value that was seen; None when its entry refuses it, or when it is in force."""
        try:
            found = Alternative((id, REGISTER.entries[id].check(value)))
        except (ValueError, TypeError):
            return None
        if found not in self._values[id]:
            self._values[id].append(found)
        return found if found.key != self._in_force[id] else None

    def rule_out(self, alternative: Alternative, rested_on: Iterable[str]) -> None:
        """Note that an alternative is not what the service follows."""
        self.rivals = [each for each in self.rivals if each.alternative != alternative]
        if len(alternative.values) == 1:
            self._ruled_out[alternative.key] = frozenset(rested_on)

    def adopt(self, chosen: Alternative, others: Iterable[Alternative]) -> None:
        """Let these values be in force; ``others`` would explain the same, each instead of them."""
        back = {id: self.value(id) for id in chosen.ids}
        for id, value in chosen.values:
            self.profile[id] = value
            self._in_force[id] = Alternative((id, value)).key
            if value == REGISTER.entries[id].default:
                del self.profile[id]
        self._ruled_out = {
            key: rested_on
            for key, rested_on in self._ruled_out.items()
            if rested_on.isdisjoint(set(chosen.ids) - {key.partition("=")[0]})
        }
        known = {each.alternative.key: each for each in self.rivals}
        for other in others:
            instead = Alternative(*{**back, **dict(other.values)}.items())
            known.setdefault(instead.key, Rival(instead, chosen))
        self.rivals = [each for each in known.values() if dict(each.alternative.values) != dict(chosen.values)]

    def refuse(self, id: str, explained: Iterable[Any], rested_on: Iterable[str]) -> None:
        """Note that no value of an assumption but those ``explained`` and the one in force explains an answer."""
        known = [Alternative((id, value)).key for value in explained]
        for each in self._values[id]:
            if each.key != self._in_force[id] and each.key not in known:
                self._ruled_out[each.key] = frozenset(rested_on)

    # What it comes to

    def _disputed(self) -> dict[str, str]:
        """The assumptions that stand in a rival, each with what it cannot be told from."""
        found: dict[str, str] = {}
        for rival in self.rivals:
            for id in (*rival.alternative.ids, *rival.of.ids):
                found.setdefault(id, " with ".join(f"{name} = {value!r}" for name, value in rival.alternative.values))
        return found

    def learned(self) -> dict[str, Any]:
        """The assumptions whose value is another than the default, and proved."""
        disputed = self._disputed()
        return {
            id: value
            for id, value in sorted(self.profile.items())
            if id not in disputed and id not in self.lost and not self.others(id)
        }

    def confirmed(self) -> list[str]:
        """The assumptions whose default is proved: every other value is ruled out."""
        disputed = self._disputed()
        return [
            id
            for id in sorted(self._values)
            if id not in self.profile
            and id not in disputed
            and id not in self.lost
            and len(self._values[id]) > 1
            and not self.others(id)
        ]

    def undetermined(self, reasons: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The rest, each with why; ``reasons`` gives that of assumptions on which no call depended."""
        settled, disputed = {*self.learned(), *self.confirmed()}, self._disputed()
        for id in sorted(set(self._values) - settled):
            if id in disputed:
                yield id, f"it cannot be told from {disputed[id]}"
            elif id in self.lost:
                yield id, "what followed from it could not be seen to its end"
            elif len(self._values[id]) < 2:
                yield id, "no alternative to it is known"
            elif id not in self.used:
                yield id, reasons.get(id, "no call that was made depends on it")
            else:
                yield (
                    id,
                    "no answer that was given depends on it: "
                    + ", ".join(repr(each.values[0][1]) for each in self.others(id)[:3]),
                )
