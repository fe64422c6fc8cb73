"""Arguments drawn from the declarations meet no bug and no answer that breaks the document."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.service.conformance import Conformance
from confsim.testing import api_journey, arguments
from confsim.testing.bundles import ApiJourney
from confsim.testing.strategies import journey_arguments
from kit import CUSTOMER, START
from kit.budgets import quick
from kit.catalogue_walk import call
from kit.each import each

#: So many arguments of each operation in the suite.
FEW = quick(3)
#: Codes of refusals with 400 because of what is there, not of what a call sends.
BY_STATE = {"not_predefined"}
ADMITTED = ("demo-owner", "demo-customer-admin", "demo-api-token")
CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-guest")


@each("area", sorted({operation.area for operation in API}))
def test_any_arguments_are_answered_by_the_document(lived, judge, area):
    """Valid, boundary and wrong arguments: no bug, and every answer is one of the OpenAPI document.

    The operations of an area are called one after another by each example: one search of Hypothesis for all of them.
    """
    operations = [operation for operation in API if operation.area == area]
    callers = st.sampled_from(CALLERS)

    @FEW
    @given(st.tuples(*(st.tuples(st.just(each), arguments(each, lived, CUSTOMER), callers) for each in operations)))
    def answered(calls):
        for operation, drawn, caller in calls:
            fork = lived.fork()
            call(fork, operation, caller, drawn)
            assert fork.service.bugs == []
            entries = [(each.operation, each.request, each.response) for each in fork.service.journal]
            assert [str(problem) for entry in entries for problem in judge.violations(*entry)] == []

    answered()


@pytest.fixture(scope="module")
def judge():
    """The referee of the default profile."""
    return Conformance({})


#: Profiles by which other arguments are valid, and operations that each concerns.
PROFILES = {
    "lengths": (
        {"size.handle": 5, "size.name": 4, "size.text": 10, "size.label": 3, "size.url": 30},
        ("reserve_handle", "create_channel", "set_channel_description", "create_api_token", "update_terms_url"),
    ),
    "forms": (
        {"pins.form": "4-8 digits", "friendly-urls.form": "[a-z]{3,64}", "languages.codes": "supported"},
        ("add_dial_pin", "set_channel_friendly_url", "set_user_languages"),
    ),
    "words": (
        {"gateway.kinds": {"RTMP": 1936}, "broadcast.schemes": ["srt"], "providers.available": ["google"]},
        ("create_gateway_endpoint", "add_broadcast_destination", "set_auth_providers"),
    ),
    "uploads": (
        {"media.form": "multipart", "images.form": "multipart"},
        ("upload_channel_media", "upload_client_media", "set_user_image"),
    ),
    "contexts": (
        {"config.structure": "contexts"},
        ("set_config", "set_channel_config", "set_template_config"),
    ),
    "bodies": (
        {"parse.null": "refuse", "parse.ttl-units": {"min": 60_000}},
        ("create_channel", "create_invitation"),
    ),
}


@pytest.mark.parametrize(("chosen", "names"), PROFILES.values(), ids=PROFILES)
def test_what_is_drawn_as_valid_is_valid_under_the_profile(chosen, names):
    """No call is refused because of what it sends."""
    simulator = Simulator(clock=START, profile=chosen)
    tried = Counter()

    @quick(60)
    @given(st.one_of([st.tuples(st.just(name), arguments(name, simulator, CUSTOMER)) for name in names]))
    def accepted(drawn):
        name, given = drawn
        if not given.about:
            answers = [simulator.fork().call(name, caller, **given.keywords) for caller in ADMITTED]
            assert {each.body["code"] for each in answers if each.status == 400} <= BY_STATE, answers
            tried[name] += 1

    accepted()
    assert tried.keys() == set(names)


def test_a_journey_draws_for_the_profile_of_its_base():
    """Handles of at most five characters, where the world takes no longer ones; but for deliberate mistakes."""

    class Short(ApiJourney):
        profile = {"size.handle": 5}

    assert api_journey(Short) is not api_journey()
    drawn = journey_arguments(API["reserve_handle"], lambda kind: st.just("1"), Short.profile)

    @quick(40)
    @given(drawn)
    def short(given):
        assert given.about or len(given.body["handle"]) <= 5

    short()
