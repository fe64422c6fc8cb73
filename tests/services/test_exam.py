"""The exam: what its seed draws, how it judges, and that what is in reserve is told as totals alone."""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client

from campaigns import exam
from confsim.assumptions.register import REGISTER
from confsim.service.files.profile import plain, read_profile
from kit.exam import draw, learning, profiles, showing, truth
from kit.exam.services import Drifted, Styled
from kit.exam.showing import is_visible
from kit.source import MODULES, nodes
from services.calls.cases import CASES
from services.calls.client import Api
from services.conferencing import BUGS
from services.drifts.registry import DRIFTS

SERVICES = Path(__file__).parent


def test_neither_knows_the_other() -> None:
    """Nothing of confsim imports the services, and they and their drifts import nothing of confsim or the kit."""
    imported = {path: _imported(path) for path in (*MODULES.values(), *SERVICES.rglob("*.py"))}
    assert len(imported) > 500
    assert [path for path in MODULES.values() if "services" in imported[path]] == []
    own = [path for folder in ("conferencing", "drifts", "calls") for path in (SERVICES / folder).rglob("*.py")]
    assert [path for path in own if imported[path] & {"confsim", "kit"}] == []


def _imported(path: Path) -> set[str]:
    """The packages at the top that a module imports from."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
    return found


def test_forty_bugs_are_drawn_evenly() -> None:
    """Each kind has as many as the others, as far as it has them; no module of the service has many."""
    drawn = draw.drawn()
    kinds = {bug: kind for kind, bugs in draw.kinds().items() for bug in bugs}
    counted = Counter(kinds[bug] for bug in drawn)
    assert len(set(drawn)) == 40
    assert set(drawn) < set(BUGS) == set(kinds)
    assert all(counted[kind] >= min(2, len(bugs)) for kind, bugs in draw.kinds().items())
    assert max(Counter(draw.areas()[bug] for bug in drawn).values()) <= 4
    assert draw.drawn(draw.SEED + 1) != drawn


def test_half_is_in_reserve() -> None:
    """Twenty of the bugs and twenty of the drifts, by the seed."""
    for names in (draw.drawn(), DRIFTS):
        reserved = draw.reserved(names)
        assert len(reserved) == 20
        assert reserved < set(names)
        assert draw.reserved(names, draw.SEED + 1) != reserved


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Runs of verify that find one thing in a service that is wrong, and another in every service."""
    runs: list[Any] = []

    def verify(served: Any, profile: Any, requests: int, seed: int = 0) -> list[learning.Finding]:
        runs.append(served)
        served.shown, served.requests = (3 if served.is_wrong else 0), requests
        always = learning.Finding("get_me /kind", 5, 1)
        return [always, learning.Finding("get_user /id", 7, 2)] if served.is_wrong else [always]

    class Service(Drifted):
        def __init__(self, drifts: Any = (), **_: Any) -> None:
            self.is_wrong, self.shown, self.requests = bool(drifts), 0, 0

    monkeypatch.setattr(exam, "Drifted", Service)
    monkeypatch.setattr(learning, "verified", verify)
    return runs


def _options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    exam.add_options(parser)
    return parser.parse_args(words)


@pytest.mark.usefixtures("verified")
def test_open_items_are_told_and_reserved_ones_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Each open drift has a line; no name in reserve is printed. What the true service shows too is not counted."""
    figures = exam.run(_options("--only", "drifts", "--requests", "100"))
    said = capsys.readouterr().out
    reserved = draw.reserved(DRIFTS)
    assert said.count("found at request 7 (shown at 3), findings: 1, calls of the shortest reproducer: 2") == 20
    assert [name for name in DRIFTS if f"drifts: {name}:" in said] == [n for n in DRIFTS if n not in reserved]
    assert figures["drifts, open"] == figures["drifts, open, found"] == 20
    assert figures["drifts, reserved, found"] == 20


def test_verdicts_are_made_once(verified: list[Any], tmp_path: Any) -> None:
    """A file of verdicts is added to, and names nothing that is in reserve."""
    file = tmp_path / "verdicts.json"
    for part in ("1/2", "2/2", "1/2"):
        exam.run(_options("--only", "drifts", "--requests", "100", "--part", part, "--into", str(file)))
    assert sum(served.is_wrong for served in verified) == 40
    stored = file.read_text()
    assert [name for name in draw.reserved(DRIFTS) if f": {name}" in stored] == []


def test_a_service_knows_when_it_showed_its_bug() -> None:
    """The answer that differs from that of the same service without the bug counts; others do not."""
    api = Api("a")
    served = Styled("a", ["search-minds-case"])
    api.web = Client(served)
    for path, shown in (("/users/me", 0), ("/channels?search=side", 0), ("/channels?search=SIDE", 3)):
        api.web.open(f"/v1_0{path}", headers={"Authorization": f"Bearer {served.accounts.tokens['owner']}"})
        assert served.shown in (shown, 2)
    assert served.shown


def test_bugs_show_in_the_styles_that_can_have_them() -> None:
    """Waiting at a closed door is of two styles alone, masks are of all; the own calls of a bug are in one of them."""
    assert [is_visible("closed-lobby-lets-in", style) for style in "abc"] == [False, True, True]
    assert all(is_visible("api-tokens-unmasked", style) for style in "abc")
    assert showing.STYLES.keys() < set(BUGS)
    assert all(is_visible(bug, style) for bug, (style, _) in CASES.items())


def test_claims_are_held_against_the_table() -> None:
    """Values of the table are right, others wrong; what is other in the table is wrong whatever is claimed."""
    learned = {"size.page-most": 100, "lists.ties": "direction", "images.formats": "any", "quote.prices": {"*": 2}}
    found = learning.judged("a", learned, ["parse.booleans"])
    assert (found.right, found.undecided) == (1, 1)
    assert [line.partition(" ")[0] for line in found.wrong] == ["parse.booleans", "lists.ties", "images.formats"]


def test_gates_that_admit_the_same_are_the_same() -> None:
    """An API token passes what Customer Admins pass, whether the gate names it or not."""
    told = truth.table()["gate.list_api_tokens"]["a"]
    assert learning.same("a", "gate.list_api_tokens", ["customer-admin"], told)
    assert not learning.same("a", "gate.list_api_tokens", ["owner"], told)


def test_hidden_values_are_in_no_list() -> None:
    """Every value but those that hide others differs from the default and from each candidate."""
    for seed in range(12):
        profile = profiles.hidden(seed)
        own = {id: value for id, value in profile.items() if id not in profiles.HIDING[seed % len(profiles.HIDING)]}
        assert len(own) >= profiles.VALUES - 2
        for id, value in read_profile(own).items():
            assert value not in [REGISTER.entries[id].default, *REGISTER.entries[id].candidates()]
        assert profile == plain(read_profile(profile))


def test_calls_reveal_a_value_or_do_not() -> None:
    """A code that every stranger is told is revealed; the code of a refusal that an empty body hides is not."""
    assert profiles.reveals("code.role-missing", {"code.role-missing": "no-way"})
    assert not profiles.reveals("code.role-missing", {"code.role-missing": "no-way", "errors.body": "empty"})
    assert profiles.reveals("size.handle", {"size.handle": 37})
