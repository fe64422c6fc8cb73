"""The evidence for each assumption: the value in force, and the step that ruled out each other value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

from msgspec import Struct

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.testing.learning.run import RunStep

from .alike import DECIDE, admit_alike
from .alternative import Alternative, plain
from .seeing import HIDDEN_BY, NO_ALTERNATIVE


class Rival(Struct, frozen=True):
    """Another set of values that would explain the answers equally well."""

    alternative: Alternative
    of: Alternative


class Judged(Struct, frozen=True):
    """What some answers have shown: values ruled out, assumptions used, the step that first ruled out each value."""

    ruled_out: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    shown: Mapping[str, RunStep] = {}


class AssumptionEvidence:
    """The possible values of each assumption, and what is known of them.

    ``profile`` has the values in force that are not the default. An answer rules out each value that would have changed
    it.
    """

    def __init__(self) -> None:
        self.profile: dict[str, Any] = {}
        self.used: set[str] = set()
        #: The step that first ruled out each value.
        self.shown: dict[str, RunStep] = {}
        self.rivals: list[Rival] = []
        #: Every value of each assumption, as an alternative to the one in force.
        self._values: dict[str, list[Alternative]] = {
            id: [Alternative((id, value)) for value in (entry.default, *entry.candidates())]
            for id, entry in REGISTER.entries.items()
        }
        self._in_force: dict[str, str] = {id: found[0].key for id, found in self._values.items()}
        self._ruled_out: set[str] = set()
        #: Values that the first contact has ruled out; it is made once.
        self.first: set[str] = set()
        #: What ``others`` returns, by id; forgotten when it changes.
        self._others: dict[str, list[Alternative]] = {}
        #: Whether a value of a gate means the same as another, by both of them, under the values in force.
        self._known_alike: dict[tuple[str, str], bool] = {}

    def value(self, id: str) -> Any:
        """Return the value in force."""
        return self.profile.get(id, REGISTER.entries[id].default)

    def default(self, id: str) -> Any:
        """Return the default value."""
        return REGISTER.entries[id].default

    @property
    def ruled_out(self) -> frozenset[str]:
        """Return the values ruled out so far, as texts."""
        return frozenset(self._ruled_out)

    @property
    def count(self) -> int:
        """Return the number of values ruled out so far."""
        return len(self._ruled_out)

    def others(self, id: str) -> list[Alternative]:
        """Return the values that are neither in force nor ruled out, and mean something else than the one in force."""
        found = self._others.get(id)
        if found is None:
            found = self._left(id)
            if id.startswith("gate."):
                found = [each for each in found if not self._is_alike(each)]
            self._others[id] = found
        return found

    def alike(self, ids: Iterable[str]) -> list[Alternative]:
        """Return the other values of gates that mean the same as those in force, given what roles pass."""
        gates = [id for id in sorted(set(ids)) if id.startswith("gate.")]
        return [each for id in gates for each in self._left(id) if self._is_alike(each)]

    def _left(self, id: str) -> list[Alternative]:
        return [each for each in self._values[id] if each.key != self._in_force[id] and each.key not in self._ruled_out]

    def _is_alike(self, alternative: Alternative) -> bool:
        ((id, value),) = alternative.values
        key = alternative.key, self._in_force[id]
        if key not in self._known_alike:
            self._known_alike[key] = admit_alike(API[id.partition(".")[2]], value, self.value(id), self.profile)
        return self._known_alike[key]

    def is_open(self, alternative: Alternative) -> bool:
        """Return whether an alternative is not ruled out."""
        if len(alternative.values) > 1:
            return any(each.alternative == alternative for each in self.rivals)
        return alternative.key not in self._ruled_out and alternative.key != self._in_force[alternative.ids[0]]

    def open_to(self, used: Iterable[str]) -> list[Alternative]:
        """Return the alternatives of these assumptions that are not ruled out, rivals included."""
        ids = set(used)
        rivals = [each.alternative for each in self.rivals if not ids.isdisjoint(each.alternative.ids)]
        return [*rivals, *(each for id in sorted(ids) for each in self.others(id))]

    def wanted(self) -> set[str]:
        """Return the assumptions that have a value which is not ruled out."""
        return {id for id in self._values if self.others(id)}

    def add(self, id: str, value: Any) -> Alternative | None:
        """Add a value seen in an answer. Returns None when it is in force already, or its entry refuses it."""
        try:
            found = Alternative((id, REGISTER.entries[id].check(value)))
        except (ValueError, TypeError):
            return None
        if found not in self._values[id]:
            self._values[id].append(found)
            self._others.pop(id, None)
        return found if found.key != self._in_force[id] else None

    def rule_out(self, alternative: Alternative) -> None:
        """Note that the service does not follow an alternative."""
        self.rivals = [each for each in self.rivals if each.alternative != alternative]
        if len(alternative.values) == 1:
            self._ruled_out.add(alternative.key)
            self._others.pop(alternative.ids[0], None)

    def rule_out_others(self, id: str) -> None:
        """Note that the service follows the value in force of an assumption."""
        for each in self._left(id) if id in self._values else ():
            self.rule_out(each)

    def copy(self) -> AssumptionEvidence:
        """Return evidence with the same values in force and nothing ruled out."""
        other = copy(self)
        other.profile, other.rivals, other.first = dict(self.profile), list(self.rivals), set(self.first)
        other.used, other.shown, other._known_alike, other._others = set(), {}, {}, {}
        other._values = {id: list(found) for id, found in self._values.items()}
        other._in_force = dict(self._in_force)
        other._ruled_out = set(self.first)
        return other

    def judged(self) -> Judged:
        """Return what the answers so far have shown; later answers do not change it."""
        return Judged(frozenset(self._ruled_out), frozenset(self.used), dict(self.shown))

    def take_over(self, judged: Judged) -> None:
        """Take over what answers have shown that do not depend on the values put in force since."""
        self._ruled_out |= judged.ruled_out
        self._others.clear()
        self.used |= judged.used
        self.shown.update(judged.shown)

    def renewed(self, chosen: Alternative, others: Iterable[Alternative]) -> AssumptionEvidence:
        """Return evidence with other values in force and nothing ruled out."""
        other = self.copy()
        other.adopt(chosen, others)
        return other

    def adopt(self, chosen: Alternative, others: Iterable[Alternative]) -> None:
        """Put these values in force; each of ``others`` would explain the answers as well."""
        instead_of = [(other, self.instead(chosen, other)) for other in others]
        for id, value in chosen.values:
            self.profile[id] = value
            self._in_force[id] = Alternative((id, value)).key
            if value == REGISTER.entries[id].default:
                del self.profile[id]
        self._known_alike, self._others = {}, {}
        rivals = [instead for other, instead in instead_of if not self._means(chosen, other)]
        known = {each.alternative.key: each for each in self.rivals}
        for instead in rivals:
            known.setdefault(instead.key, Rival(instead, chosen))
        self.rivals = [each for each in known.values() if not self._is_in_force(each.alternative)]

    def _is_in_force(self, alternative: Alternative) -> bool:
        """Return whether all values of an alternative are those in force."""
        return all(self._in_force[id] == Alternative((id, value)).key for id, value in alternative.values)

    def _means(self, chosen: Alternative, other: Alternative) -> bool:
        """Return whether another explanation means the same as the one that is in force."""
        (id, _), (same, _) = chosen.values[0], other.values[0]
        alone = len(chosen.values) == len(other.values) == 1
        return alone and id == same and id.startswith("gate.") and self._is_alike(other)

    def instead(self, chosen: Alternative, other: Alternative) -> Alternative:
        """Return what is to be put in force so that ``other`` is, once ``chosen`` is in force."""
        return Alternative(*{**{id: self.value(id) for id in chosen.ids}, **dict(other.values)}.items())

    # Results

    def _disputed(self) -> dict[str, str]:
        """Return the assumptions of the rivals, each with the values that no answer has distinguished."""
        found: dict[str, str] = {}
        for rival in self.rivals:
            for id in (*rival.alternative.ids, *rival.of.ids):
                found.setdefault(
                    id, " with ".join(f"{name} = {plain(value)!r}" for name, value in rival.alternative.values)
                )
        return found

    def learned(self) -> dict[str, Any]:
        """Return the assumptions whose value is proved and is not the default."""
        disputed = self._disputed()
        return {id: value for id, value in sorted(self.profile.items()) if id not in disputed and self._is_settled(id)}

    def assumed(self) -> dict[str, Any]:
        """Return the values in force that are not the default, and explain the answers as others do."""
        return {id: value for id, value in sorted(self.profile.items()) if id not in self.learned()}

    def confirmed(self) -> list[str]:
        """Return the assumptions whose default is proved: every other value is ruled out, and nothing may hide it."""
        disputed = self._disputed()
        return [
            id
            for id in sorted(self._values)
            if id not in self.profile and id not in disputed and len(self._values[id]) > 1
            if self._is_settled(id) and not self._hiding(id)
        ]

    def _hiding(self, id: str) -> str:
        """Return the assumption that may hide another, as its own value is not known; "" for none."""
        other = HIDDEN_BY.get(id, "")
        return other if other and not self._is_settled(other) else ""

    def _is_settled(self, id: str) -> bool:
        """Return whether no other value is left; one that means the same counts once it is known why it does."""
        return not self._left(id) or (not self.others(id) and not any(map(self._left, DECIDE)))

    def undetermined(self, reasons: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield the other assumptions, each with the reason; ``reasons`` has it for those on which no call depended."""
        settled, disputed = {*self.learned(), *self.confirmed()}, self._disputed()
        for id in sorted(set(self._values) - settled):
            if id in disputed:
                yield id, f"it cannot be distinguished from {disputed[id]}"
            elif len(self._values[id]) < 2:
                yield id, NO_ALTERNATIVE
            elif self._is_settled(id):
                yield id, f"another value of it would not be seen under another value of {self._hiding(id)}"
            elif id not in self.used:
                yield id, reasons.get(id, "no call that was made depends on it")
            else:
                yield (
                    id,
                    "no answer that was given rules out "
                    + ", ".join(repr(plain(each.values[0][1])) for each in self._left(id)[:3]),
                )
