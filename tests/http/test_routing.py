"""From method and path to an operation, by a tree made of the declarations."""

from __future__ import annotations

import gc
import weakref

import pytest
from hypothesis import given, strategies as st

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER, ProfileContext
from confsim.control.catalogue import CONTROL
from confsim.control.declare import PREFIX
from confsim.control.invoke import respond
from confsim.control.problems import refuse
from confsim.http.mount import MOST, Mount, MountedApi
from confsim.http.routing import Found, Routes
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.document import FILES
from kit import choices
from kit.each import by_name, each

CONTEXT = ProfileContext({})


DECLARED_FIRST = REGISTER.profile({"route.precedence": "declared"})


def routes(**chosen):
    """The routes of the API under a profile."""
    profile = REGISTER.profile(choices(**chosen))
    return Routes([("/v1_0", API)], profile)


DEFAULT = routes()


def find(method, path, among=DEFAULT, query="", context=CONTEXT):
    """What answers, by name, with the texts; or the methods that do."""
    found = among.match(context, method, path.split("/")[1:], query)
    return (found.operation.name, *found.texts) if isinstance(found, Found) else found


@each("operation", list(API), ids=by_name)
def test_every_operation_is_found_at_its_route(operation):
    """With texts for its parameters that are nobody's literal words."""
    path = operation.path
    texts = [f"~{place}" for place, _ in enumerate(operation.placeholders)]
    for name, text in zip(operation.placeholders, texts, strict=True):
        path = path.replace(f"{{{name}}}", text)
    query = ""
    if operation.variant_of:
        query = "&".join(f"{each.name}=1" for each in operation.query_parameters if each.required)
    assert find(operation.method, f"/v1_0{path}", query=query) == (operation.name, *texts)


def test_all_faces_stand_side_by_side():
    """API, files and control plane share no route."""
    whole = Routes([("/v1_0", API), ("", FILES), (PREFIX, CONTROL)], {})
    assert find("GET", "/_confsim/health", whole) == ("get_health",)
    assert find("GET", "/openapi.json", whole) == ("get_openapi",)


@each(
    "method, path, name",
    [
        ("GET", "/v1_0/users/me", "get_me"),
        ("GET", "/v1_0/users/1", "get_user"),
        ("GET", "/v1_0/users/predefined/auth", "find_predefined_user"),
        ("GET", "/v1_0/users/1/auth", "get_user_auth_method"),
        ("GET", "/v1_0/channels/active", "list_active_channels"),
        ("GET", "/v1_0/channels/x", "get_channel"),
        ("GET", "/v1_0/channels/populations/settings", "get_populations"),
    ],
)
def test_literal_words_win_from_left_to_right(method, path, name):
    """Where a word and a parameter both match (G064)."""
    assert find(method, path)[0] == name


@each(
    "method, path, ambiguous",
    [
        ("GET", "/v1_0/users/me", True),
        ("GET", "/v1_0/channels/active", True),
        ("GET", "/v1_0/users/5", False),
        ("GET", "/v1_0/users/me/terms", False),
        ("DELETE", "/v1_0/users/me/image", False),
        ("GET", "/v1_0/nowhere", False),
    ],
)
def test_which_paths_lean_on_precedence(method, path, ambiguous):
    """Those that more than one route matches (G064)."""
    context = ProfileContext({})
    DEFAULT.match(context, method, path.split("/")[1:])
    assert ("route.precedence" in context.used) is ambiguous


def test_what_is_declared_first_may_win():
    """By a profile the first declaration that matches does (G064)."""
    context = ProfileContext(DECLARED_FIRST)
    order = list(API.operations)
    expected = min("get_channel", "list_active_channels", key=order.index)
    assert find("GET", "/v1_0/channels/active", context=context)[0] == expected
    assert find("GET", "/v1_0/users/5", context=context) == ("get_user", "5")
    assert find("GET", "/v1_0/nowhere", context=context) == ()


def test_a_required_query_parameter_tells_variants_apart():
    """Two operations share GET /channels."""
    assert find("GET", "/v1_0/channels") == ("list_channels",)
    assert find("GET", "/v1_0/channels", query="limit=1") == ("list_channels",)
    assert find("GET", "/v1_0/channels", query="limit=1&meetingId=5") == ("find_channel_by_meeting_id",)


@each(
    "method, path, allowed",
    [
        ("PUT", "/v1_0/users/me", ("GET",)),
        ("GET", "/v1_0/terms/new", ("POST",)),
        ("GET", "/v1_0/nowhere", ()),
        ("GET", "/v1_0/users/me/", ()),
        ("GET", "/v1_0//users/me", ()),
        ("GET", "/v1_0/users//auth", ()),
        ("GET", "/V1_0/users/me", ()),
        ("GET", "/v1_0/Users/me", ()),
        ("GET", "/v2_0/users/me", ()),
        ("GET", "/", ()),
    ],
)
def test_what_is_not_served_tells_the_methods_that_are(method, path, allowed):
    """None where no operation has the path; empty segments are no parameter (G002, G003, G004, G062)."""
    assert find(method, path) == allowed


@each(
    "method, path, allowed",
    [
        ("OPTIONS", "/v1_0/channels/active", ("GET",)),
        ("DELETE", "/v1_0/channels/active", ("GET",)),
        ("POST", "/v1_0/users/find/email", ("GET",)),
        ("GET", "/v1_0/channels/create", ("POST",)),
        ("DELETE", "/v1_0/media/size", ("GET",)),
        ("POST", "/v1_0/events/secret", ("GET",)),
    ],
)
def test_a_literal_path_has_its_own_methods_only(method, path, allowed):
    """Those of a templated path that matches too are not borrowed, unless what is declared first wins (G003, G064)."""
    assert find(method, path) == allowed
    borrowed = find(method, path, context=ProfileContext(DECLARED_FIRST))
    assert set(borrowed) > set(allowed) if method == "OPTIONS" else API.find(borrowed[0]).method == method


def test_the_case_of_words_may_not_matter():
    """By a profile; parameters keep theirs."""
    folded = routes(route__case="ignore")
    assert find("GET", "/V1_0/Users/5/AUTH", folded) == ("get_user_auth_method", "5")
    assert find("GET", "/v1_0/channels/AbC", folded) == ("get_channel", "AbC")


def test_a_profile_moves_an_operation():
    """Another method, another path, parameters in another order."""
    moved = routes(route__get_user_email="POST /mail/of/{userId}/please")
    assert find("POST", "/v1_0/mail/of/7/please", moved) == ("get_user_email", "7")
    assert find("GET", "/v1_0/users/7/email", moved) != ("get_user_email", "7")


def test_two_operations_on_one_route_are_refused():
    """A profile that puts one upon another is misuse."""
    with pytest.raises(Misuse, match="would share the route"):
        routes(route__get_user_email="GET /users/{userId}", route__get_user_client="GET /users/{userId}")


@given(st.text(min_size=1).filter(lambda text: text[0] < "\ud800" or text[0] > "\udfff"))
def test_any_text_is_a_parameter_once_it_is_encoded(text):
    """Slashes, percent signs and all else come back as they were (G058)."""
    from urllib.parse import quote

    try:
        encoded = quote(text, safe="")
    except UnicodeEncodeError:
        return
    assert find("GET", f"/v1_0/users/predefined/{encoded}") == ("find_predefined_user", text)


@each("text", ["%", "%Z1", "%1", "a%FFb", "%C3%28", "%ED%A0%80"])
def test_broken_escapes_are_refused(text):
    """The place is named; by a profile they are read with replacement characters (G057)."""
    with pytest.raises(Refusal) as caught:
        find("GET", f"/v1_0/users/predefined/{text}")
    assert caught.value.facts["where"] == "path"
    lenient = ProfileContext(REGISTER.profile({"parse.broken-escapes": "replace"}))
    assert isinstance(DEFAULT.match(lenient, "GET", ["v1_0", "users", "predefined", text]), Found)


def test_routes_of_worlds_that_came_and_went_do_not_stay():
    """A mount keeps those of the last profiles that were asked for, and the default ones always."""
    gc.freeze()  # what there is, is not looked through
    mount = Mount(API, FILES, PREFIX, lambda: MountedApi(CONTROL, respond, refuse))
    default = mount.routes({})
    first, used = (weakref.ref(mount.routes({"route.prefix": f"/{name}/v1_0"})) for name in ("first", "used"))
    for number in range(MOST - 1):
        mount.routes({"route.prefix": "/used/v1_0"})
        mount.routes({"route.prefix": f"/p{number}/v1_0"})
    gc.collect()
    assert (first(), used() is None) == (None, False)
    assert mount.routes({"http.head": "405"}) is default


def test_the_api_is_not_mounted_below_the_control_plane():
    """None of its operations could be called there."""
    mount = Mount(API, FILES, PREFIX, lambda: MountedApi(CONTROL, respond, refuse))
    with pytest.raises(Misuse, match="'/_confsim/v1_0' is below the control plane"):
        mount.routes({"route.prefix": "/_confsim/v1_0"})
