"""Web pages that a browser lets call the API: of origins that clients or the server allow; and why others are not."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from confsim.control.bundle.document import decoded
from confsim.control.bundle.make import bundle
from confsim.control.bundle.replay import replay
from confsim.service.messages import Request
from kit import CUSTOMER, START, demo

TERMS = f"/v1_0/clients/{CUSTOMER}/terms"
PAGE = "http://localhost:5173"
PREFLIGHT = {"access_control_request_method": "POST", "access_control_request_headers": "authorization"}


def ask(sim, method, path, **headers):
    """One request with a token of the customer's API; answers the response."""
    named = {"authorization": "Bearer demo-api-token"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return sim.app(Request(method, path, "", named, b""))


def headers_of(response):
    """The header lines by name."""
    return dict(response.headers)


@pytest.fixture
def open_to():
    """A simulator whose client has set one origin."""
    sim = demo()
    assert sim.call("set_origins", "demo-customer-admin", clientId=CUSTOMER, body=["https://page.example"]).ok
    return sim


@pytest.mark.parametrize("path", [TERMS, "/v1_0/nowhere"])
def test_a_call_of_a_page_leans_on_cors(open_to, path):
    """The call is in the journal, whether or not the page may read the answer; calls of others do not depend on it."""
    for origin in ({"origin": "https://page.example"}, {"origin": "https://other.example"}, {}):
        ask(open_to, "GET", path, **origin)
        assert ("http.cors" in open_to.requests[-1].assumptions) is bool(origin)


def test_pages_of_set_origins_may_read(open_to):
    """The origin is echoed, for others to see that it varies (G006)."""
    reported = headers_of(ask(open_to, "GET", TERMS, origin="https://page.example"))
    assert (reported["Access-Control-Allow-Origin"], reported["Vary"]) == ("https://page.example", "Origin")
    refused = headers_of(ask(open_to, "GET", "/v1_0/users/me", origin="https://page.example", authorization="Bearer x"))
    assert refused["Access-Control-Allow-Origin"] == "https://page.example"


def test_pages_read_only_what_their_own_client_answers(open_to):
    """A caller of another client is not answered to the pages of this one."""
    reported = ask(
        open_to, "GET", "/v1_0/users/me", origin="https://page.example", authorization="Bearer demo-other-admin"
    )
    assert reported.status == 200
    assert "Access-Control-Allow-Origin" not in headers_of(reported)


def test_preflights_of_set_origins_are_granted(open_to):
    """With the methods there are and the headers that were asked for."""
    reported = headers_of(
        ask(open_to, "OPTIONS", TERMS, origin="https://page.example", access_control_request_headers="authorization")
    )
    assert reported["Access-Control-Allow-Methods"] == reported["Allow"]
    assert reported["Access-Control-Allow-Headers"] == "authorization"


@pytest.mark.parametrize("origin", ["https://other.example", "null", ""])
@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
def test_pages_of_other_origins_may_not(open_to, origin, method):
    """Nothing is said to them."""
    reported = headers_of(ask(open_to, method, TERMS, origin=origin))
    assert not [name for name in reported if name.startswith("Access-Control")]


def allowed(response, origin=PAGE):
    """Whether a browser gives the answer to a page of the origin, or sends the call after this preflight."""
    return headers_of(response).get("Access-Control-Allow-Origin") == origin


def test_a_server_may_allow_origins_for_every_world_and_every_client():
    """Pages of `allow_origins` pass in worlds that are there, in new ones and after a reset; pages of others do not."""
    sim = Simulator(clock=START)
    sim.worlds.add("before")
    sim.serve(allow_origins=[PAGE])
    sim.worlds.add("after")
    sim.reset()
    for mount in ("", "/w/before", "/w/after"):
        for token in ("demo-owner", "demo-other-admin", "unknown"):
            call = ask(sim, "GET", f"{mount}/v1_0/users/me", origin=PAGE, authorization=f"Bearer {token}")
            assert allowed(call)
        assert allowed(ask(sim, "OPTIONS", f"{mount}/v1_0/users/me", origin=PAGE, **PREFLIGHT))
        assert not allowed(ask(sim, "GET", f"{mount}/v1_0/users/me", origin="http://localhost:5174"))


@pytest.mark.parametrize(
    ("given", "sent", "passes"),
    [
        ("HTTP://LocalHost:5173", PAGE, True),
        ("http://localhost:80", "http://localhost", True),
        ("https://b\u00fccher.example", "https://xn--bcher-kva.example", True),
        ("*", "https://anything.example", True),
        ("*", "null", True),
        ("http://localhost", PAGE, False),
    ],
)
def test_an_allowed_origin_is_one_in_any_spelling(given, sent, passes):
    """In upper case, with its default port, in Unicode; `*` allows every origin, also an opaque one."""
    sim = Simulator()
    sim.serve(allow_origins=[given])
    assert allowed(ask(sim, "GET", TERMS, origin=sent), sent) is passes


@pytest.mark.parametrize(
    "text",
    ["localhost:5173", "http://localhost:5173/", "http://", "ftp://a", "http://a?b", "http://u@a", "http://a b", ""],
)
def test_what_is_not_an_origin_is_refused_with_an_example(text):
    """A path, a missing scheme, a user: the message says what an origin consists of."""
    with pytest.raises(
        Misuse, match=r"is not an origin \(expected scheme, host and port alone, e\.g\. http://localhost"
    ):
        Simulator().serve(allow_origins=[text])


def test_a_blocked_preflight_names_the_call_that_allows_it():
    """set_origins with the body to send; under `http.cors = false` the profile is to blame."""
    sim = Simulator(clock=START)
    ask(sim, "OPTIONS", "/v1_0/channels/create", origin=PAGE, **PREFLIGHT)
    why = sim.requests.why("r1")
    assert why.text == (
        f"No client allows web pages of {PAGE}, so the browser does not send their POST; "
        f'set_origins with ["{PAGE}"] allows them'
    )
    assert why.see[1] == f"confsim serve --allow-origin {PAGE} allows them in every world"
    sim = Simulator(profile={"http.cors": False})
    ask(sim, "OPTIONS", "/v1_0/channels/create", origin=PAGE, **PREFLIGHT)
    assert "The profile sets http.cors = false" in sim.requests.why("r1").text


def test_an_answer_that_a_browser_keeps_from_the_page_says_so():
    """The preflight passed, since some client allows the origin; the caller's client does not."""
    sim = demo()
    sim.call("set_origins", "demo-customer-admin", clientId=CUSTOMER, body=[PAGE], expect=200)
    ask(sim, "OPTIONS", "/v1_0/users/me", origin=PAGE, **PREFLIGHT)
    assert sim.requests.why(sim.requests[-1].id).text == ""
    ask(sim, "GET", "/v1_0/users/me", origin=PAGE, authorization="Bearer demo-other-admin")
    text = sim.requests.why(sim.requests[-1].id).text
    assert "does not allow web pages of http://localhost:5173, so the browser keeps this answer from them" in text
    for headers in ({"origin": "http://confsim.test"}, {}):  # of the server's own page, and of no page
        ask(sim, "GET", "/v1_0/users/me", host="confsim.test", authorization="Bearer demo-other-admin", **headers)
        assert sim.requests.why(sim.requests[-1].id).text == ""


def test_a_bundle_replays_what_the_server_allowed():
    """The headers for the page are part of the recorded answer."""
    sim = Simulator(clock=START)
    sim.serve(allow_origins=[PAGE])
    ask(sim, "GET", "/v1_0/users/me", origin=PAGE)
    assert replay(decoded(bundle(sim.control.context, masked=False))).parting is None
