"""What two answers are compared by: their declared places, a bijection of ids, clocks that are apart."""

from __future__ import annotations

import pytest

from confsim.api.catalogue import API
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Comparison, Reply
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Shapes
from kit import choices


@pytest.fixture
def known():
    """A correspondence that knows nothing."""
    return Correspondence()


@pytest.fixture
def compare(known):
    """Compare two bodies of an operation's answer; the place of the difference, None without one."""
    comparison = Comparison(Shapes({}), known)

    def comparing(operation, one, other, status=200, made=None):
        found = comparison.difference(
            API[operation], Reply(status, "application/json", one), Reply(status, "application/json", other), made
        )
        return None if found is None else found.place

    return comparing


def test_ids_are_matched_and_not_compared(compare, known):
    """Ids are matched and not compared."""
    assert compare("create_channel", {"channelUuid": "a"}, {"channelUuid": "x"}) is None
    assert known.service("channels", "a") == "x"
    assert compare("create_channel", {"channelUuid": "a"}, {"channelUuid": "y"}) == "/channelUuid"
    assert compare("create_channel", {"channelUuid": "b"}, {"channelUuid": "x"}) == "/channelUuid"


def test_two_successes_that_differ_in_their_status_alone_name_the_same_things(known):
    """Their ids are matched; a body that differs too says that the status is not all."""
    comparison = Comparison(Shapes({}), known)

    def compare(status, one, other):
        replies = (Reply(each, "application/json", body) for each, body in ((200, one), (status, other)))
        return comparison.difference(API["create_channel"], *replies)

    found = compare(201, {"channelUuid": "a"}, {"channelUuid": "x"})
    assert (found.place, found.expected, found.got, found.is_alone) == ("status", 200, 201, True)
    assert known.service("channels", "a") == "x"
    assert compare(202, {"channelUuid": "a"}, {"channelUuid": "x"}).is_alone
    assert not compare(201, {"channelUuid": "a"}, {"channelUuid": "y"}).is_alone
    assert not compare(403, {"channelUuid": "b"}, {"channelUuid": "y"}).is_alone
    assert not known.met("channels", "y")


def test_the_order_of_a_list_is_that_of_the_model(compare, known):
    """The order of a list is that of the model."""
    known.pair("users", 1, 11)
    known.pair("users", 2, 12)
    people = [{"id": each, "handle": "H", "isOwner": True} for each in (1, 2, 11, 12)]
    assert compare("list_owners", people[:2], people[2:]) is None
    assert compare("list_owners", people[:2], people[:1:-1]) == "/0/id"
    assert compare("list_owners", people[:2], people[2:3]) == ""


@pytest.mark.parametrize("other", ["aaaa****", "********", "aaaabbbb", ""])
def test_a_masked_secret_shows_the_same_part_on_both_sides(compare, other):
    """Its end, whatever the secret is; a service that shows its beginning, nothing or all of it differs."""
    item = {"id": 1, "label": "L", "created": 1, "expires": 2}
    assert compare("list_api_tokens", [{**item, "token": "****abcd"}], [{**item, "token": "*******wxyz"}]) is None
    assert compare("list_api_tokens", [{**item, "token": "****abcd"}], [{**item, "token": other}]) == "/0/token"


def test_plain_values_and_absent_fields_are_compared(compare):
    """Plain values and absent fields are compared."""
    door = {"guestAccess": True}
    assert compare("get_guest_access", door, door) is None
    assert compare("get_guest_access", door, {"guestAccess": False}) == "/guestAccess"
    assert compare("get_guest_access", door, {}) == "/guestAccess"
    assert compare("get_guest_access", door, {"guestAccess": 1}) == "/guestAccess"
    assert compare("get_guest_access", door, {**door, "more": 1}) is None


def test_messages_of_refusals_are_for_people_and_codes_are_not(compare):
    """Messages of refusals are for people and codes are not."""
    one = {"status": 404, "code": "not_found", "message": "There is none.", "details": [{"id": "a"}]}
    assert compare("get_channel", one, {**one, "message": "No.", "details": []}, 404) is None
    assert compare("get_channel", one, {**one, "code": "gone"}, 404) == "/code"


@pytest.mark.parametrize(
    ("apart", "same"), [(0, True), (1_200, True), (-1_200, True), (60_000, False), (3_600_000, False)]
)
def test_instants_are_the_same_when_the_clocks_are_as_far_apart_as_they_are(compare, known, apart, same):
    """Instants are the same when the clocks are as far apart as they are."""
    known.learn_shift("Sun, 01 Feb 2026 00:05:00 GMT", 1_769_904_000_000)
    assert known.shift == 300_500
    item = {"url": "https://terms.example", "version": 1, "required": True}
    one = {**item, "promulgated": 1_769_904_000_000}
    other = {**item, "promulgated": 1_769_904_300_000 + apart}
    assert (compare("get_client_terms", one, other) is None) is same
    assert compare("get_client_terms", one, {**other, "promulgated": other["promulgated"] // 1000}) == "/promulgated"


def test_in_a_list_of_all_only_what_was_made_is_compared(compare, known):
    """In a list of all only what was made is compared."""
    known.pair("templates", "a", "x")
    template = {"name": "T", "enabled": True, "inheritable": False, "inherited": False}
    here = {"total": 1, "results": [{"id": "a", **template}]}
    there = {"total": 2, "results": [{"id": "old", **template}, {"id": "x", **template}]}
    assert compare("list_templates", here, there) == "/total"
    assert compare("list_templates", here, there, made={("templates", "a")}) is None
    assert compare(
        "list_templates", here, {"total": 1, "results": there["results"][:1]}, made={("templates", "a")}
    ) == ("/results")


def test_what_others_made_is_not_taken_for_what_the_run_made_since_its_number_is_that_of_the_model(compare, known):
    """User 3 of the service is user 7 of the model, and user 7 of the service somebody else."""
    known.pair("users", 7, 3)
    here = {"total": 1, "results": [{"id": 7, "handle": "a"}]}
    there = {"total": 2, "results": [{"id": 3, "handle": "a"}, {"id": 7, "handle": "b"}]}
    assert compare("list_users", here, there, made={("users", 7)}) is None
    assert compare("list_users", here, {"total": 1, "results": there["results"][1:]}, made={("users", 7)})


def test_a_version_may_be_an_instant(known):
    """The second of its publication is the service's own; a count is compared. What both have from before is equal."""
    known.learn_shift("Sun, 01 Feb 2026 00:05:00 GMT", 1_769_904_000_000)
    comparison = Comparison(Shapes(choices(terms__version="timestamp")), known)

    def differ(one, other):
        item = {"isCurrent": True, "termsUrl": "https://terms.example", "firstAccept": False}
        replies = [Reply(200, "application/json", {**item, "currentVersion": each}) for each in (one, other)]
        return comparison.difference(API["get_user_terms"], *replies) is not None

    assert not differ(1, 1)
    assert differ(1_769_904_000, 2)
    assert not differ(1_769_904_000, 1_769_904_300)
    assert differ(1_769_904_000, 1_769_904_301)
    assert differ(1_769_904_060, 1_769_904_300)
    accepted = ModelCall("accept_terms", None, {"version": "1769904000"})
    assert accepted.renamed(known.service).path == {"version": "1769904300"}
    assert ModelCall("accept_terms", None, {"version": "1"}).renamed(known.service).path == {"version": "1"}
