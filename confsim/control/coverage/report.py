"""The coverage report: what calls have shown of what is possible in the touched areas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec

from confsim.api.catalogue import API
from confsim.contract.types import Wire
from confsim.kernel.refusal import Misuse

from .collector import KINDS, Counts, Item, possible


class Share(Wire):
    """A share: the number of different things seen, and the number possible."""

    met: Annotated[int, "How many different ones were met."]
    of: Annotated[int, "How many there are."]


class CoverageNames(Wire):
    """Names of operations or assumptions: seen and missing."""

    met: Annotated[dict[str, int], "How often each was met, by name."]
    missing: Annotated[list[str], "The names of those that were not met."]


class Groups(Wire):
    """Groups of things: refusals by operation, or transitions by machine."""

    met: Annotated[dict[str, dict[str, int]], "How often each was met, by operation or machine and by name."]
    missing: Annotated[dict[str, list[str]], "The names of those that were not met, by operation or machine."]


class AreaCoverage(Wire):
    """The coverage of an area of the API. Refusals are given by their default codes, transitions in words."""

    operations: Annotated[CoverageNames, "The operations of the area."]
    refusals: Annotated[Groups, "Refusals by operation."]
    transitions: Annotated[Groups, "Transitions by state machine."]
    assumptions: Annotated[CoverageNames, "Assumptions that concern operations of the area."]


class Totals(Wire):
    """The coverage of all touched areas, by kind."""

    operations: Annotated[Share, "Of the operations."]
    refusals: Annotated[Share, "Of their refusals."]
    transitions: Annotated[Share, "Of the transitions of their machines."]
    assumptions: Annotated[Share, "Of the assumptions that concern them."]


class BeyondAreas(Wire):
    """Things that were seen and belong to no touched area."""

    transitions: Annotated[dict[str, dict[str, int]], "Transitions of machines that calls of other areas moved."]
    assumptions: Annotated[dict[str, int], "Assumptions that concern every operation, or areas that are not touched."]


class CoverageReport(Wire):
    """The coverage of the touched areas: those of which an operation was called."""

    percent: Annotated[float, "How much of all that the touched areas can show was met."]
    totals: Annotated[Totals, "How much was met, by kind."]
    areas: Annotated[dict[str, AreaCoverage], "The touched areas, in the order of the documents."]
    beyond: Annotated[BeyondAreas, "What was met and belongs to no touched area."]
    untouched: Annotated[list[str], "The areas of which no operation was called."]


def report(counts: Counts, profile: Mapping[str, Any]) -> CoverageReport:
    """Return the report of the counts under a profile; the percentage is 0 when nothing was called.

    Things that were seen although they are not possible, as under a profile of one test, count as possible.
    """
    can = possible(profile)
    touched = {API[name].area for (name,) in counts["operations"]}
    areas: dict[str, AreaCoverage] = {}
    all_met: dict[str, set[Item]] = {kind: set() for kind in KINDS}
    all_items: dict[str, set[Item]] = {kind: set() for kind in KINDS}
    for area in (each for each in can if each in touched):
        names = {name for (name,) in can[area]["operations"]}
        can[area]["refusals"] |= {item for item in counts["refusals"] if item[0] in names}
        for kind, items in can[area].items():
            all_items[kind] |= items
            all_met[kind] |= items & counts[kind].keys()
        areas[area] = AreaCoverage(
            operations=_names(can[area]["operations"], counts["operations"]),
            refusals=_groups(can[area]["refusals"], counts["refusals"]),
            transitions=_groups(can[area]["transitions"], counts["transitions"]),
            assumptions=_names(can[area]["assumptions"], counts["assumptions"]),
        )
    met, of = (sum(map(len, each.values())) for each in (all_met, all_items))
    beyond = {kind: {item for item in counts[kind] if item not in all_items[kind]} for kind in KINDS}
    return CoverageReport(
        percent=round(100 * met / of, 2) if of else 0.0,
        totals=Totals(**{kind: Share(met=len(all_met[kind]), of=len(all_items[kind])) for kind in KINDS}),
        areas=areas,
        beyond=BeyondAreas(
            transitions=_groups(beyond["transitions"], counts["transitions"]).met,
            assumptions=_names(beyond["assumptions"], counts["assumptions"]).met,
        ),
        untouched=[area for area in can if area not in touched],
    )


def at_the_end(counts: Counts, profile: Mapping[str, Any], option: str) -> CoverageReport:
    """Return the report for the option of a run that ends: a defect of confsim is Misuse, and costs no other result."""
    try:
        return report(counts, profile)
    except Exception as bug:
        problem = f"the report failed, which is a defect of confsim: {type(bug).__name__}: {bug}"
        raise Misuse(f"{option}: {problem}") from bug


def document(found: CoverageReport) -> dict[str, Any]:
    """Return the report as plain values for JSON."""
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def _names(items: Iterable[Item], counts: Mapping[Item, int]) -> CoverageNames:
    names = sorted(name for (name,) in items)
    met = {name: counts[name,] for name in names if (name,) in counts}
    return CoverageNames(met=met, missing=[name for name in names if name not in met])


def _groups(items: Iterable[Item], counts: Mapping[Item, int]) -> Groups:
    met: dict[str, dict[str, int]] = {}
    missing: dict[str, list[str]] = {}
    for group, name in sorted(items):
        if (group, name) in counts:
            met.setdefault(group, {})[name] = counts[group, name]
        else:
            missing.setdefault(group, []).append(name)
    return Groups(met=met, missing=missing)
