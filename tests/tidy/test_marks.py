"""Breakages of rules: where they are derived from, and that each kind breaks what it says."""

from __future__ import annotations

import pytest

from confsim.api.catalogue import API
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from confsim.reference import rules
from kit import ADMIN, API_TOKEN, OWNER, ROOM, USER
from kit.marks import breakages
from kit.marks.breakages import cited
from kit.marks.written import WRITTEN
from kit.mutation.patch import Functions
from kit.mutation.running import forked
from kit.mutation.sample import ROOT
from kit.source import MODULES


def test_rules_are_read_from_citations():
    """Alone, in ranges, beside gaps; numbers of no rule are none."""
    assert cited("P2 States L170, R293, G483 (R113-R115).") == {"R293", "R113", "R114", "R115"}
    assert cited(f"R{999} and R56") == cited(None) == set()


@pytest.mark.parametrize(
    ("field", "rule", "about"), [("serviceMode", "R256", True), ("imgSize", "R256", False), ("id", "R256", False)]
)
def test_a_statement_is_about_the_fields_that_it_names(field, rule, about):
    """By the whole name, or by each word of it."""
    assert breakages._names(field)(rules()[rule]) is about


def block(name, kind, what=""):
    """The breakage of an operation of this kind."""
    return next(each[2] for each in breakages._aspects(API[name]) if each[:2] == (kind, what))(None)


def test_the_aspects_of_operations_are_broken_while_in_force(sim):
    """A field left out of the answer, a parameter and a field of the body ignored, a gate opened, limits removed."""
    with block("get_me", "left out of the answer:", "handle"):
        assert "handle" not in sim.call("get_me", USER).body
    assert sim.call("get_me", USER).body["handle"] == "Uma User"
    with block("list_channels", "parameter ignored", "search"):
        assert sim.call("list_channels", OWNER, search="nothing is called so").body["total"] > 0
    with block("create_channel", "field ignored", "name"):
        made = sim.call("create_channel", OWNER, body={"name": "Room"}).body
    assert sim.call("get_channel", OWNER, uuid=made["channelUuid"]).body["name"] == "Roomx"
    assert sim.call("promulgate_terms", USER, body={"url": "https://a.example"}).status == 403
    with block("promulgate_terms", "gate opened", "to signed-in"):
        assert sim.call("promulgate_terms", USER, body={"url": "https://a.example"}).ok
    assert sim.call("update_terms_url", API_TOKEN, body={"url": "no URL"}).status == 400
    with block("update_terms_url", "limits removed"):
        assert sim.call("update_terms_url", API_TOKEN, body={"url": "no URL"}).ok


def test_rows_that_cite_rules_are_broken(sim):
    """A row that is dropped refuses what it admitted."""
    dropped = next(
        each for each in breakages.of_tables() if each.name.startswith("friendly URL: row dropped: set") and each.rules
    )
    assert "R226" in dropped.rules
    sim.call("set_friendly_urls_state", ADMIN, state="enable")
    with dropped.in_force(None):
        assert not sim.call("set_channel_friendly_url", OWNER, uuid=ROOM, body={"url": "demo-room"}).ok
    assert sim.call("set_channel_friendly_url", OWNER, uuid=ROOM, body={"url": "demo-room"}).ok


def test_functions_that_cite_rules_are_broken():
    """A changed condition decides otherwise, in a process of its own."""
    from confsim.domain.channels import friendly_urls

    path = MODULES["domain/channels/friendly_urls.py"]
    breakage = next(each for each in breakages.of_functions([path]) if each.kind == "raise dropped")
    assert "R222" in breakage.rules

    def malformed():
        with breakage.in_force(Functions(ROOT, ROOT / "confsim")):
            friendly_urls.check(World(seed=1).change(0), "no word")

    with pytest.raises(Refusal):
        friendly_urls.check(World(seed=1).change(0), "no word")
    assert forked(malformed, 10) is None


def test_every_written_breakage_finds_what_it_breaks():
    """Each can be put into force and taken back: what it names is still there."""
    for name, (rule, block) in WRITTEN.items():
        assert name.startswith(f"{rule}: ")
        with block():
            pass
