"""What is known of each assumption: the value in force, and which others have been ruled out by what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions.register import REGISTER
from confsim.assumptions.register.candidates import candidates

from .alternatives import Alternative


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
        self._values: dict[str, list[Any]] = {
            id: [entry.default, *candidates(entry)] for id, entry in REGISTER.entries.items()
        }
        self._ruled_out: dict[tuple[str, str], frozenset[str]] = {}

    def value(self, id: str) -> Any:
        """The value in force."""
        return self.profile.get(id, REGISTER.entries[id].default)

    def others(self, id: str) -> list[Any]:
        """The values that are neither in force nor ruled out."""
        now = self.value(id)
        return [each for each in self._values[id] if each != now and (id, repr(each)) not in self._ruled_out]

    def open(self) -> list[Alternative]:
        """The alternatives to the values in force that are not ruled out, rivals included."""
        single = [Alternative(((id, value),)) for id in self._values for value in self.others(id)]
        return [*(each.alternative for each in self.rivals), *single]

    def add(self, id: str, value: Any) -> Alternative | None:
        """Take up a value that was seen; None when its entry refuses it, or has it already."""
        try:
            checked = REGISTER.entries[id].check(value)
        except (ValueError, TypeError):
            return None
        if checked not in self._values[id]:
            self._values[id].append(checked)
        return Alternative(((id, checked),)) if checked != self.value(id) else None

    def rule_out(self, alternative: Alternative, rested_on: Iterable[str]) -> None:
        """Note that an alternative is not what the service follows."""
        self.rivals = [each for each in self.rivals if each.alternative != alternative]
        if len(alternative.values) == 1:
            ((id, value),) = alternative.values
            self._ruled_out[id, repr(value)] = frozenset(rested_on)

    def adopt(self, chosen: Alternative, others: Iterable[Alternative]) -> None:
        """Let these values be in force; ``others`` would explain the same, each instead of them."""
        back = {id: self.value(id) for id in chosen.ids}
        for id, value in chosen.values:
            self.profile[id] = value
            if value == REGISTER.entries[id].default:
                del self.profile[id]
        self._ruled_out = {
            named: rested_on
            for named, rested_on in self._ruled_out.items()
            if rested_on.isdisjoint(set(chosen.ids) - {named[0]})
        }
        known = {repr(each.alternative): each for each in self.rivals}
        for other in others:
            instead = Alternative(tuple({**back, **dict(other.values)}.items()))
            known.setdefault(repr(instead), Rival(instead, chosen))
        self.rivals = [each for each in known.values() if dict(each.alternative.values) != dict(chosen.values)]

    def refuse_former(self, id: str, values: Iterable[Any], rested_on: Iterable[str]) -> None:
        """Note that these values of an assumption do not explain an answer that the one in force explains."""
        for value in values:
            if value != self.value(id):
                self._ruled_out[id, repr(value)] = frozenset(rested_on)

    def values(self, id: str) -> list[Any]:
        """Every value that is known of an assumption."""
        return list(self._values[id])

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
                yield id, "no answer that was given depends on it: " + ", ".join(map(repr, self.others(id)[:3]))
