from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.users import users as assumed


def _set(sim: Simulator, codes: object, caller: str = "demo-user"):
    return sim.call("set_user_languages", caller, userId="me", body={"languages": codes})


@pytest.mark.rule("R018", "R050", "R198")
def test_languages_show_in_their_order(sim):
    """The codes are shown in the order set, with the value of an Accept-Language header."""
    assert _set(sim, ["de-CH", "fr", "en-US"]).content == b""
    assert sim.call("get_me", "demo-user").body["languages"] == {
        "languages": ["de-CH", "fr", "en-US"],
        "acceptLanguage": "de-CH, fr;q=0.9, en-US;q=0.8",
    }


@pytest.mark.rule("R200")
def test_a_new_list_replaces_the_former(sim):
    """Nothing of the former list is left; an empty one leaves none."""
    _set(sim, ["de", "fr"])
    _set(sim, ["en"])
    assert sim.call("get_me", "demo-user").body["languages"]["languages"] == ["en"]
    _set(sim, [])
    assert "languages" not in sim.call("get_me", "demo-user").body


@pytest.mark.rule("R199")
@pytest.mark.parametrize("codes", [["english"], ["en", "xx"], ["de_CH"], [""], [5], "en", None, {"en": 1}, [None]])
def test_what_are_no_codes_is_refused(sim, codes):
    """The former languages stay when anything in the list is no code."""
    _set(sim, ["fr"])
    assert _set(sim, codes).status == 400
    assert sim.call("get_me", "demo-user").body["languages"]["languages"] == ["fr"]


def test_the_list_is_required(sim):
    """A body without languages is refused."""
    assert sim.call("set_user_languages", "demo-user", userId="me", body={}).status == 400


@pytest.mark.parametrize("caller", ["demo-user", "demo-guest", "demo-api-token"])
def test_supported_languages_are_listed_to_everybody(sim, caller):
    """Any credential reads the codes, each of which can be set."""
    supported = sim.call("list_supported_languages", caller).body
    assert "en" in supported
    assert _set(sim, supported).status == 200


def test_a_profile_chooses_the_supported_languages():
    """The list is an assumption."""
    sim = Simulator(profile={assumed.SUPPORTED_LANGUAGES.id: ["rm", "de-CH"]})
    assert sim.call("list_supported_languages", "demo-user").body == ["rm", "de-CH"]
    assert sim.call("list_supported_languages", None).status == 401
