"""URLs that operations take: one beyond ASCII is stored as it was sent, one that could never be used is refused."""

from __future__ import annotations

import re
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.api.forms import DestinationUrl
from confsim.contract.types import AbsoluteUrl
from kit import ADMIN, API_TOKEN, OWNER, PARTNER_ADMIN, ROOM, USER, ok

#: By place, a call with a URL there, as (operation, caller, arguments) of a world and the URL.
PLACES = {
    "add_events_endpoint body url": lambda sim, url: ("add_events_endpoint", ADMIN, {"body": {"url": url}}),
    "update_events_endpoint body url": lambda sim, url: (
        "update_events_endpoint", ADMIN, {"id": _endpoint(sim), "body": {"url": url}}
    ),
    "set_user_image query url": lambda sim, url: ("set_user_image", USER, {"userId": "me", "url": url}),
    "set_channel_image query url": lambda sim, url: ("set_channel_image", OWNER, {"uuid": ROOM, "url": url}),
    "create_user body imageUrl": lambda sim, url: (
        "create_user", ADMIN, {"token": _token(sim), "body": {"imageUrl": url}}
    ),
    "create_predefined_user body imageUrl": lambda sim, url: (
        "create_predefined_user", API_TOKEN, {"body": {"name": "P", "imageUrl": url}}
    ),
    "update_terms_url body url": lambda sim, url: ("update_terms_url", PARTNER_ADMIN, {"body": {"url": url}}),
    "promulgate_terms body url": lambda sim, url: ("promulgate_terms", PARTNER_ADMIN, {"body": {"url": url}}),
    "add_broadcast_destination body destination": lambda sim, url: (
        "add_broadcast_destination", OWNER, {"channel": ROOM, "body": {"destination": url.replace("http", "rtmp", 1)}}
    ),
}  # fmt: skip


def _endpoint(sim):
    ok(sim, "set_events_state", state="enable")
    return ok(sim, "add_events_endpoint", body={"url": "https://first.example/"})["id"]


def _token(sim):
    return ok(sim, "reserve_handle", ADMIN, body={"handle": "New"})["reservationToken"]


def declared():
    """Every place of an operation whose declared type is a URL."""
    for operation in API:
        for parameter in operation.query_parameters:
            if _is_url(parameter.annotation):
                yield f"{operation.name} query {parameter.name}"
        if operation.body is not None and operation.body.fields:
            hints = get_type_hints(operation.body._struct, include_extras=True)
            yield from (f"{operation.name} body {name}" for name, type_ in hints.items() if _is_url(type_))


#: What marks the URL of a stream: its pattern and its samples.
_STREAMS = get_args(DestinationUrl)[2:]


def _is_url(type_: Any) -> bool:
    if get_origin(type_) is Annotated:
        base, *marks = get_args(type_)
        return any(isinstance(each, AbsoluteUrl) or each in _STREAMS for each in marks) or _is_url(base)
    return any(map(_is_url, get_args(type_)))


def test_the_table_has_every_place_that_takes_a_url():
    """As the declarations of the operations say."""
    assert sorted(declared()) == sorted(PLACES)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "url", ["http://bücher.example/ü?q=ü", "http://me:secret@app.example/", "http://app.localhost:8080/%6D"]
)
def test_a_url_beyond_ascii_is_taken(place, url):
    """It is stored and answered as it was sent."""
    sim = Simulator()
    operation, caller, arguments = PLACES[place](sim, url)
    answer = sim.call(operation, caller, **arguments)
    assert answer.ok, answer


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "url",
    ["http://", "http://:80/", "http://a:99999/", "http://a:0/", "http://a:b/", "http://ü..example/", "http://[::1/",
     "http://a..b/", "http://-bad-/", f"http://{'x' * 64}/", "http://[::1%25lo]/"],
)  # fmt: skip
def test_a_url_that_leads_nowhere_is_refused(place, url):
    """At once, with the place, the URL and the reason, and without an effect."""
    sim = Simulator()
    operation, caller, arguments = PLACES[place](sim, url)
    before = sim.service.world
    answer = sim.call(operation, caller, **arguments)
    assert (answer.status, answer.body["code"]) == (400, "invalid_input")
    assert answer.body["details"][0]["where"].endswith(place.split()[-1])
    assert re.search(r" is not a valid URL: (the (host|port) .*is not|it has no host)", str(answer.body))
    assert sim.service.world is before


def test_endpoints_show_what_was_sent():
    """Also where messages go to a normalised address."""
    sim = Simulator()
    url = "http://me:secret@Bücher.example/ü"
    ok(sim, "set_events_state", state="enable")
    ok(sim, "add_events_endpoint", body={"url": url})
    assert [each["url"] for each in ok(sim, "list_events_endpoints")] == [url]
