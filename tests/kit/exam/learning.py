"""How the exam uses the tools that learn: by the functions that their commands call, and what it takes from reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from werkzeug.test import Client

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.service.files.profile import plain
from confsim.testing import calibrate, observe, verify
from kit.exam import truth
from kit.exam.services import Served, Styled, serving
from services.calls.client import Api
from services.calls.tours import TOURS
from services.drifts.proxy import Proxy, to_url

#: Findings after which a run of verify would end: more than there can be.
_MOST = 100_000


class Finding(Struct, frozen=True):
    """A finding of verify: where, at which request it was reported, and how many calls its reproducer has."""

    place: str
    at: int
    calls: int


def verified(served: Served, profile: Mapping[str, Any], requests: int, seed: int = 0) -> list[Finding]:
    """The findings of a run of verify with so many requests."""
    reported: dict[str, int] = {}

    def note(line: str) -> None:
        reported.setdefault(line.partition(": ")[0].replace(" differs at ", " "), served.requests)

    with serving(served):
        report = verify(
            served.base_url,
            served.accounts,
            profile,
            seed=seed,
            examples=_MOST,
            most=requests,
            most_findings=_MOST,
            progress=note,
        )
    places = {f"{each.operation} {each.place}": len(each.steps) for each in report.divergences}
    return [Finding(place, reported.get(place, served.requests), calls) for place, calls in places.items()]


#: Entries of which the order of a list is of no weight.
_SETS = {"terms.open-calls", "service.open-while-disabled", "roles.api-token-passes", "roles.partner-admin-includes"}


class Claims(Struct):
    """The claims of a run about a style: in words the wrong ones, and counts of the others.

    ``undecided`` are about entries that the service does not settle, or follows several alternatives of.
    """

    right: int = 0
    wrong: list[str] = []
    undecided: int = 0
    requests: int = 0
    contradicted: int = 0
    failed: str = ""


def judged(style: str, learned: Mapping[str, Any], confirmed: list[str]) -> Claims:
    """Hold what was learned or confirmed against the table of the truth."""
    found = Claims()
    known, none = truth.values(style), truth.others(style)
    claims = {**{id: REGISTER.entries[id].default for id in confirmed}, **learned}
    for id, value in claims.items():
        if id not in known and id not in none:
            found.undecided += 1
        elif id in known and same(style, id, value, known[id]):
            found.right += 1
        else:
            found.wrong.append(f"{id} = {plain({id: value})[id]!r}, not {known.get(id, 'any value')!r}")
    return found


def same(style: str, id: str, claimed: Any, value: Any) -> bool:
    """Whether a claimed value is the true one, or means the same."""
    claimed, value = (plain({id: REGISTER.entries[id].check(each)})[id] for each in (claimed, value))
    if id.startswith("gate."):
        return admitted(style, claimed) == admitted(style, value)
    if id in {
        "terms.open-calls",
        "service.open-while-disabled",
        "roles.api-token-passes",
        "roles.partner-admin-includes",
    }:
        return set(claimed) == set(value)
    if id in truth.PARTS:
        return all(claimed.get(name) == each for name, each in truth.table()[id][style]["value"].items())
    return bool(claimed == value)


def admitted(style: str, grants: Any) -> frozenset[str]:
    """The grants that a gate admits in effect: those that others contain are there too."""
    found = {str(each) for each in grants}
    if "public" in found:
        return frozenset({"public"})
    if "signed-in" in found:
        return frozenset({"signed-in"})
    if found & {"user"}:
        found |= {"registered", "self", "customer-admin", "partner-admin", "operator", "owner"}
    if "registered" in found:
        found |= {"customer-admin", "partner-admin", "self", "owner"}
    if "access" in found:
        found |= {"operator", "owner"}
    if "operator" in found:
        found.add("owner")
    passes = truth.values(style)["roles.api-token-passes"]
    if found & {"api-token", *passes}:
        found.add("api-token")
    return frozenset(found)


def calibrated(style: str, requests: int, seed: int = 0) -> Claims:
    """The claims of calibrate about a style."""
    with serving(Styled(style)) as served:
        report = calibrate(served.base_url, served.accounts, seed=seed, most=requests)
    found = judged(style, report.learned, report.confirmed)
    found.requests, found.contradicted, found.failed = report.requests, len(report.contradicted), report.interrupted
    return found


def observed(style: str) -> Claims:
    """The claims of observe about a style, while the tours through its operations pass."""
    passed = Claims()
    for tour in TOURS:
        api = Api(style)
        served = Styled(style)
        served.take(api.app)
        with serving(served), observe(served.base_url, served.accounts) as (proxy, observer):
            api.web = Client(Proxy(to_url(proxy.base_url), []))
            tour(api)
        report = observer.conclude()
        found = judged(style, report.learned, report.confirmed)
        passed.right += found.right
        passed.wrong += [f"{each} ({tour.__name__})" for each in found.wrong]
        passed.undecided += found.undecided
        passed.requests += report.seen
        passed.contradicted += len(report.contradicted)
    return passed


def served_operations() -> set[str]:
    """The operations of the API that the conferencing service has."""
    return {name for name, _ in truth.operations()} & set(API.operations)
