"""The evidence of each assumption: the value in force, and which others have been ruled out by what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions.register import REGISTER
from confsim.assumptions.register.candidates import candidates
from confsim.testing.learning.run import Step

from .alternative import Alternative


class Rival(Struct, frozen=True):
    """Another set of values that would explain what was learned just as well."""

    alternative: Alternative
    of: Alternative


class AssumptionEvidence:
    """The values that each assumption can have, and what is known of them.

    ``profile`` holds the values in force that are not the default. A value is ruled out by an answer that it would have
    changed.
    """

    def __init__(self) -> None:
        self.profile: dict[str, Any] = {}
        self.used: set[str] = set()
        #: The step that first ruled out a value of each.
        self.shown: dict[str, Step] = {}
        self.rivals: list[Rival] = []
        #: Every value of each assumption, as what it would be instead of the one in force.
        self._values: dict[str, list[Alternative]] = {
            id: [Alternative((id, value)) for value in (entry.default, *candidates(entry))]
            for id, entry in REGISTER.entries.items()
        }
        self._in_force: dict[str, str] = {id: found[0].key for id, found in self._values.items()}
        self._ruled_out: set[str] = set()
        #: What the first contact has ruled out, which is not done again.
        self.first: set[str] = set()

    def value(self, id: str) -> Any:
        """The value in force."""
        return self.profile.get(id, REGISTER.entries[id].default)

    @property
    def count(self) -> int:
        """How many values have been ruled out."""
        return len(self._ruled_out)

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

    def rule_out(self, alternative: Alternative) -> None:
        """Note that an alternative is not what the service follows."""
        self.rivals = [each for each in self.rivals if each.alternative != alternative]
        if len(alternative.values) == 1:
            self._ruled_out.add(alternative.key)

    def rule_out_others(self, id: str) -> None:
        """Note that no other value of an assumption is what the service follows."""
        for each in self.others(id) if id in self._values else ():
            self.rule_out(each)

    def copy(self) -> AssumptionEvidence:
        """A book in which the same values are in force, and nothing is ruled out yet."""
        other = AssumptionEvidence()
        other.profile, other.rivals, other.first = dict(self.profile), list(self.rivals), set(self.first)
        other._values = {id: list(found) for id, found in self._values.items()}
        other._in_force = dict(self._in_force)
        other._ruled_out = set(self.first)
        return other

    def renewed(self, chosen: Alternative, others: Iterable[Alternative]) -> AssumptionEvidence:
        """Such a book, with other values in force."""
        other = self.copy()
        other.adopt(chosen, others)
        return other

    def adopt(self, chosen: Alternative, others: Iterable[Alternative]) -> None:
        """Let these values be in force; ``others`` would explain the same, each instead of them."""
        back = {id: self.value(id) for id in chosen.ids}
        for id, value in chosen.values:
            self.profile[id] = value
            self._in_force[id] = Alternative((id, value)).key
            if value == REGISTER.entries[id].default:
                del self.profile[id]
        known = {each.alternative.key: each for each in self.rivals}
        for other in others:
            instead = Alternative(*{**back, **dict(other.values)}.items())
            known.setdefault(instead.key, Rival(instead, chosen))
        self.rivals = [each for each in known.values() if dict(each.alternative.values) != dict(chosen.values)]

    # What it comes to

    def _disputed(self) -> dict[str, str]:
        """The assumptions of the rivals, each with the values that it cannot be distinguished from."""
        found: dict[str, str] = {}
        for rival in self.rivals:
            for id in (*rival.alternative.ids, *rival.of.ids):
                found.setdefault(id, " with ".join(f"{name} = {value!r}" for name, value in rival.alternative.values))
        return found

    def learned(self) -> dict[str, Any]:
        """The assumptions whose value is another than the default, and proved."""
        disputed = self._disputed()
        return {id: value for id, value in sorted(self.profile.items()) if id not in disputed and not self.others(id)}

    def confirmed(self) -> list[str]:
        """The assumptions whose default is proved: every other value is ruled out."""
        disputed = self._disputed()
        return [
            id
            for id in sorted(self._values)
            if id not in self.profile and id not in disputed and len(self._values[id]) > 1 and not self.others(id)
        ]

    def undetermined(self, reasons: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The rest, each with why; ``reasons`` gives that of assumptions on which no call depended."""
        settled, disputed = {*self.learned(), *self.confirmed()}, self._disputed()
        for id in sorted(set(self._values) - settled):
            if id in disputed:
                yield id, f"it cannot be distinguished from {disputed[id]}"
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
