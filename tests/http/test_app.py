"""HTTP around the operations: methods, slashes, headers, limits, hosts, and what a profile makes of them."""

from __future__ import annotations

import gc
import json

import pytest

from confsim import Misuse
from confsim.http import hosts
from confsim.http.app import App
from confsim.kernel.refusal import Refusal
from confsim.service.conformance import Conformance
from confsim.service.messages import Request
from kit import CUSTOMER, demo
from kit.each import each

TERMS = f"/v1_0/clients/{CUSTOMER}/terms"
TOKEN = {"authorization": "Bearer demo-api-token"}


def ask(sim, method, path, body=b"", **headers):
    """One request; answers the response."""
    target, _, query = path.partition("?")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return sim.app(Request(method, target, query, {**TOKEN, **named}, body))


def headers_of(response):
    """The header lines by name."""
    return dict(response.headers)


def code(response):
    """The code in the API's envelope."""
    return json.loads(response.body)["code"]


# Routes and methods


@pytest.mark.rule("R001", "R249")
@pytest.mark.parametrize("path", ["/users/me", "/v1/users/me", "/v2_0/users/me", "/api/v1_0/users/me", "/v1_0", "*"])
def test_what_does_not_stand_below_the_base_is_not_found(sim, path):
    """The last segment of the base address is the version; other paths are nobody's."""
    response = ask(sim, "GET", path)
    assert (response.status, code(response)) == (404, "route_not_found")


@pytest.mark.rule("R001")
def test_the_base_address_may_have_a_prefix():
    """By a profile anything precedes the version."""
    sim = demo(route__prefix="/conf/api/v1_0")
    assert ask(sim, "GET", "/conf/api/v1_0/providers/auth/available").status == 200
    assert ask(sim, "GET", "/v1_0/providers/auth/available").status == 404
    assert sim.base_url.endswith("/conf/api/v1_0")


@pytest.mark.parametrize(("method", "allowed"), [("PUT", "GET, HEAD, OPTIONS"), ("POST", "GET, HEAD, OPTIONS")])
def test_a_wrong_method_is_reported_with_those_there_are(sim, method, allowed):
    """405 with Allow (G003)."""
    response = ask(sim, method, TERMS)
    assert (response.status, code(response)) == (405, "method_not_allowed")
    assert headers_of(response)["Allow"] == allowed


def test_a_wrong_method_may_be_no_route():
    """As of routers that match method and path together."""
    response = ask(demo(**{"route__wrong-method": "404"}), "PUT", TERMS)
    assert (response.status, code(response)) == (404, "route_not_found")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_put_and_patch_may_count_as_post(method):
    """By a profile; other methods stay wrong."""
    sim = demo(**{"route__wrong-method": "as POST"})
    assert ask(sim, method, "/v1_0/terms", b'{"url":"https://x.example/"}').status == 200
    assert ask(sim, "DELETE", "/v1_0/terms").status == 405


def test_head_is_get_without_a_body(sim):
    """The app answers as to GET; the transports leave the body away."""
    assert ask(sim, "HEAD", TERMS).status == 200
    refused = ask(demo(http__head="405"), "HEAD", TERMS)
    assert (refused.status, headers_of(refused)["Allow"]) == (405, "GET, OPTIONS")


def test_options_tell_the_methods(sim):
    """204 with Allow, and nothing of CORS by default (G005)."""
    response = ask(sim, "OPTIONS", TERMS, origin="https://page.example", access_control_request_method="GET")
    assert (response.status, headers_of(response)["Allow"]) == (204, "GET, HEAD, OPTIONS")
    assert not [name for name in headers_of(response) if name.startswith("Access-Control")]
    refused = ask(demo(http__options="405"), "OPTIONS", TERMS)
    assert (refused.status, headers_of(refused)["Allow"]) == (405, "GET, HEAD")


def test_options_of_the_server_as_a_whole(sim):
    """``OPTIONS *`` lists every method that some path has (RFC 9110, 9.3.7)."""
    response = ask(sim, "OPTIONS", "*")
    assert (response.status, headers_of(response)["Allow"]) == (204, "DELETE, GET, POST, PUT, HEAD, OPTIONS")
    assert ask(demo(http__options="405"), "OPTIONS", "*").status == 405


@pytest.mark.parametrize("path", ["/v1_0/users/me/", "/v1_0//users/me", "//v1_0/users/me"])
def test_slashes_too_many(path):
    """No route; by a profile the same one, or a redirect to it that keeps the method (G004)."""
    assert ask(demo(), "GET", path, authorization="Bearer demo-user").status == 404
    assert ask(demo(**{"route__trailing-slash": "same"}), "GET", path, authorization="Bearer demo-user").status == 200
    moved = ask(demo(**{"route__trailing-slash": "redirect"}), "GET", f"{path}?a=1")
    assert (moved.status, headers_of(moved)["Location"]) == (308, "/v1_0/users/me?a=1")


@pytest.mark.parametrize("choice", ["same", "redirect"])
def test_slashes_do_not_make_a_route(choice):
    """A path that is nobody's stays so."""
    assert ask(demo(**{"route__trailing-slash": choice}), "GET", "/v1_0/nowhere/").status == 404


def test_an_encoded_slash_is_data_of_its_segment(sim):
    """Or no route, or a slash like any, by a profile (G058)."""
    path = "/v1_0/users/predefined/auth0%7Ca%2Fb"
    assert code(ask(sim, "GET", path)) == "predefined_user_not_found"
    assert code(ask(demo(**{"route__encoded-slash": "404"}), "GET", path)) == "route_not_found"
    split = demo(**{"route__encoded-slash": "slash"})
    assert ask(split, "GET", "/v1_0/users%2fme", authorization="Bearer demo-user").status == 200


def test_broken_escapes_are_refused_in_the_envelope(sim):
    """400, with the place."""
    response = ask(sim, "GET", "/v1_0/users/predefined/%ZZ")
    assert (response.status, code(response)) == (400, "invalid_input")
    assert sim.requests.unmatched


# Headers


def test_answers_carry_an_id_and_are_not_cached(sim):
    """Successes and refusals, of operations and of none."""
    for place, path in enumerate((TERMS, "/v1_0/users/me", "/nowhere"), 1):
        reported = headers_of(ask(sim, "GET", path))
        assert (reported["X-Confsim-Request-Id"], reported["Cache-Control"]) == (f"r{place}", "no-store")


def test_a_second_header_may_carry_the_id():
    """By a profile (G013)."""
    reported = headers_of(ask(demo(**{"http__request-id": "X-Request-Id"}), "GET", TERMS))
    assert reported["X-Request-Id"] == reported["X-Confsim-Request-Id"]


def test_caching_may_be_left_open_or_go_by_tags():
    """By a profile: silence, or an ETag that If-None-Match recognises (G010)."""
    assert "Cache-Control" not in headers_of(ask(demo(http__caching="silent"), "GET", TERMS))
    sim = demo(http__caching="etag")
    tag = headers_of(ask(sim, "GET", TERMS))["ETag"]
    again = ask(sim, "GET", TERMS, if_none_match=tag)
    assert (again.status, again.body) == (304, b"")
    ask(sim, "POST", "/v1_0/terms", b'{"url":"https://other.example/"}')
    assert ask(sim, "GET", TERMS, if_none_match=tag).status == 200


def test_the_journal_holds_what_was_sent():
    """A 304 as such, whatever the operation answered; redirects and OPTIONS too, which are not listed as unmatched."""
    sim = demo(http__caching="etag", **{"route__trailing-slash": "redirect"})
    tag = headers_of(ask(sim, "GET", TERMS))["ETag"]
    sent = [
        ask(sim, "GET", TERMS, if_none_match=tag),
        ask(sim, "GET", f"{TERMS}/"),
        ask(sim, "OPTIONS", TERMS),
        ask(sim, "GET", "/v1_0/nowhere"),
    ]
    noted = sim.requests[1:]
    assert [each.status for each in sent] == [each.status for each in noted] == [304, 308, 204, 404]
    assert [each.operation for each in noted] == ["get_client_terms", None, None, None]
    assert [headers_of(each)["X-Confsim-Request-Id"] for each in sent] == [each.id for each in noted]
    assert noted[0].answer is None
    assert [each.status for each in sim.requests.unmatched] == [404]
    assert [entry.response for entry in sim.service.journal][1:] == sent


def test_the_referee_judges_what_the_operation_answered():
    """A 304 stands for an answer that was judged; the document has no word of it."""
    sim = demo(http__caching="etag")
    sim.service.pipeline.hold_against(Conformance(sim.service.profile))
    tag = headers_of(ask(sim, "GET", TERMS))["ETag"]
    assert ask(sim, "GET", TERMS, if_none_match=tag).status == 304
    assert sim.service.bugs == []


@pytest.mark.rule("R003")
@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200),
        ("*/*", 200),
        ("application/*;q=0.5", 200),
        ("text/html, application/json;q=0.1", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
        ("application/json;q=0, */*", 406),
        ("", 406),
    ],
)
def test_accept_is_ignored_or_must_admit_json(sim, accept, status):
    """Ignored by default, so that every client works; strict by a profile (G008)."""
    assert ask(sim, "GET", TERMS, accept=accept).status == 200
    assert ask(demo(parse__accept="refuse"), "GET", TERMS, accept=accept).status == status


def test_accept_language_has_no_say(sim):
    """Messages are of one language (G076)."""
    assert ask(sim, "GET", "/nowhere", accept_language="de").body == ask(sim, "GET", "/nowhere").body


@pytest.mark.parametrize(("coding", "status"), [("gzip", 415), ("br, gzip", 415), ("identity", 200), ("", 200)])
def test_a_body_with_a_content_coding_is_not_read(sim, coding, status):
    """415, and not that it is no UTF-8 (RFC 9110, 8.4); without a body the header says nothing."""
    body = b'{"url":"https://x.example/"}'
    response = ask(sim, "POST", "/v1_0/terms", body, content_encoding=coding)
    assert response.status == status
    assert status == 200 or (code(response), coding in response.body.decode()) == ("unsupported_media_type", True)
    assert sim.requests[-1].operation == "update_terms_url"
    assert ask(sim, "GET", TERMS, content_encoding=coding).status == 200
    image = ask(
        sim, "POST", "/v1_0/users/me/image", b"\x1f\x8b", content_encoding=coding, authorization="Bearer demo-user"
    )
    assert image.status in {status, 400}
    assert ask(sim, "POST", "/_confsim/clock/advance", b'{"by":"1s"}', content_encoding=coding).status == status


# What does not arrive whole


@pytest.mark.parametrize(
    ("fault", "status", "expected"),
    [
        ("url_too_long", 414, "url_too_long"),
        ("headers_too_large", 431, "headers_too_large"),
        ("body_too_large", 413, "body_too_large"),
        ("timeout", 408, "request_timeout"),
        ("malformed", 400, "request_malformed"),
        ("version_unsupported", 505, "version_unsupported"),
        ("coding_unsupported", 501, "coding_unsupported"),
    ],
)
def test_faults_of_a_transport_are_refused_in_the_envelope(sim, fault, status, expected):
    """With an id, in the journal, and in the shape of all errors."""
    response = sim.app(Request("GET", "/v1_0/users/me", fault=fault))
    assert (response.status, code(response)) == (status, expected)
    assert json.loads(response.body).keys() >= {"status", "code", "message"}
    assert headers_of(response)["X-Confsim-Request-Id"] == "r1"


def test_what_a_parser_found_is_reported(sim):
    """So that a client hears what of its request is no HTTP."""
    response = sim.app(Request("GET", "/v1_0/users/me", fault="malformed", problem="Invalid char in url path"))
    assert json.loads(response.body)["message"] == "This is no HTTP request: Invalid char in url path."


def test_the_error_envelope_is_that_of_the_profile_everywhere():
    """Also where no operation is reached."""
    response = demo(errors__body="nested").app(Request("GET", "/", fault="timeout"))
    assert json.loads(response.body)["error"]["code"] == "request_timeout"


# Host names


@each(
    "host, bound, answers",
    [
        ("localhost", "127.0.0.1", True),
        ("localhost:8080", "127.0.0.1", True),
        ("LOCALHOST:8080", "127.0.0.1", True),
        ("localhost.", "127.0.0.1", True),
        ("app.localhost:1", "127.0.0.1", True),
        ("127.0.0.1:8080", "127.0.0.1", True),
        ("[::1]:8080", "::1", True),
        ("[::1]", "127.0.0.1", True),
        ("box.example", "box.example", True),
        ("more.example:80", "127.0.0.1", True),
        ("evil.example", "127.0.0.1", False),
        ("evil.example:8080", "0.0.0.0", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False),
        ("localhost.evil.example", "127.0.0.1", False),
        ("10.0.0.7", "127.0.0.1", False),
        ("[::1]evil.example", "::1", False),
        ("localhost:80@evil.example", "127.0.0.1", False),
        ("localhost:80, evil.example", "127.0.0.1", False),
        ("localhost:80, evil.example", "", False),
        ("localhost:", "127.0.0.1", True),
        ("10.0.0.7:8080", "0.0.0.0", True),
        ("[fd00::1]:8080", "::", True),
    ],
)
def test_a_live_server_answers_to_its_own_names(host, bound, answers):
    """Loopback names, the one it is bound to, those that were given; addresses where it is bound to all."""
    assert hosts.known(bound, ["more.example"])(host) is answers


def test_a_foreign_host_name_is_refused(sim):
    """By the API in its envelope, by the control plane as a problem; without a Host it is no browser."""
    app = App(sim.app.worlds, sim.app.mount, hosts.known("127.0.0.1"))
    refused = app(Request("GET", TERMS, "", {"host": "evil.example"}))
    assert (refused.status, code(refused)) == (403, "host_unknown")
    problem = app(Request("GET", "/_confsim/health", "", {"host": "evil.example"}))
    assert (problem.status, headers_of(problem)["Content-Type"]) == (403, "application/problem+json")
    assert app(Request("GET", TERMS)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        *("", "[::1", "::1", "a b", "localhost/evil", "evil#.localhost", "localhost:80, localhost"),
        *("localhost:99999999", "user@localhost", "localhost:8x", "h\xf6st", "localhost?", "[::1]x"),
    ],
)
@pytest.mark.parametrize("path", [TERMS, "/_confsim/health", "/w/nobody/v1_0/terms"])
def test_what_is_no_host_name_is_malformed(sim, host, path):
    """400 no matter who asks for what (RFC 9112, 3.2); two header lines arrive as one with a comma."""
    assert sim.app(Request("GET", path, "", {"host": host})).status == 400


@pytest.mark.parametrize(
    "host", ["h", "my_service:80", "localhost:", "[::1]:8080", "xn--hst-sna.example", "10.0.0.1:65535"]
)
def test_what_may_be_a_host_name(sim, host):
    """Also what is no name of the domain system, such as those of containers."""
    assert ask(sim, "GET", TERMS, host=host).status == 200


def test_in_process_any_host_name_will_do(sim):
    """And shows in the addresses that answers hold."""
    sim.call("set_user_image", "demo-user", userId="me", url="https://pictures.example/1.png")
    reported = json.loads(
        ask(sim, "GET", "/v1_0/users/me", host="any.example:5", authorization="Bearer demo-user").body
    )
    assert reported["imageUrl"].startswith("http://any.example:5/files/")
    image = reported["imageUrl"].removeprefix("http://any.example:5")
    assert ask(sim, "GET", image).body.startswith(b"\x89PNG")


def test_addresses_in_answers_may_be_https():
    """By a profile, as behind a proxy (G014)."""
    sim = demo(http__scheme="https")
    sim.call("set_user_image", "demo-user", userId="me", url="https://pictures.example/1.png")
    assert sim.call("get_me", "demo-user").body["imageUrl"].startswith("https://confsim.test/files/")


def test_routes_that_collide_are_reported_at_once():
    """Before any request, and with both operations."""
    sim = demo(
        route__get_user_email="GET /users/me/terms/{userId}", route__get_user_client="GET /users/me/terms/{userId}"
    )
    with pytest.raises(Misuse, match=r"get_user_\w+ and get_user_\w+ would share"):
        sim.client()


def test_routes_are_made_once_for_all_simulators():
    """Worlds that differ in no route share them."""
    one, other = demo().app, demo(encode__empty="204").app
    assert one.mount.routes({}) is other.mount.routes(other.worlds.default.profile)
    moved = demo(route__prefix="/x/v1_0").app
    assert moved.mount.routes(moved.worlds.default.profile) is not one.mount.routes({})


@pytest.mark.parametrize(("method", "status"), [("GET", 200), ("HEAD", 200), ("POST", 404), ("DELETE", 404)])
def test_the_mount_itself_is_read_and_nothing_else(sim, method, status):
    """An index for programs; what would change something, and a tunnel, is for nothing that is there."""
    assert sim.app(Request(method, "/")).status == status
    assert sim.app(Request("CONNECT", "localhost:80")).status == 404


@pytest.mark.parametrize(
    ("path", "authorization"),
    [
        ("/v1_0/users/me", "Basic nobody"),
        ("/v1_0/users/me", "Bearer nobody"),
        ("/v1_0/users/me?a=%zz", "Bearer demo-user"),
        ("/v1_0/users/%zz", "Bearer demo-user"),
        ("/v1_0/nowhere", "Bearer demo-user"),
    ],
)
def test_what_is_refused_is_forgotten(sim, path, authorization):
    """With its entry of the journal; the frames that raised it, which a server would never collect, before that."""

    def refusals():
        return [each for each in gc.get_objects() if isinstance(each, Refusal)]

    gc.collect()  # of other tests: a collection between the two counts would free it
    gc.disable()
    try:
        before = refusals()
        for _ in range(3):
            assert ask(sim, "GET", path, authorization=authorization).status >= 400
        earlier = {id(each) for each in before}
        kept = [each for each in refusals() if id(each) not in earlier]
        assert len(kept) <= 3
        assert all(each.__traceback__ is each.__context__ is each.__cause__ is None for each in kept)
        del kept
        sim.control("clear_requests")
        assert len(refusals()) == len(before)
    finally:
        gc.enable()
