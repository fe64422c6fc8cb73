"""Drifts of whole answers: lists, pages, totals, shapes, statuses, codes, headers, caches, and those now and then."""

from __future__ import annotations

from typing import Any

from services.drifts.exchange import Exchange
from services.drifts.registry import drift


@drift("order-swapped", "order")
def order_swapped(exchange: Exchange) -> None:
    """The first two channels of a list change places."""
    found = exchange.listed("GET", "/channels")
    if len(found) > 1:
        found[0], found[1] = found[1], found[0]


@drift("people-reversed", "order")
def people_reversed(exchange: Exchange) -> None:
    """The operators of a channel come in the opposite order."""
    exchange.listed("GET", "/channels/{}/operators").reverse()


@drift("page-cut", "page")
def page_cut(exchange: Exchange) -> None:
    """A full page of users lacks its last one."""
    found = exchange.listed("GET", "/users")
    if found and len(found) == int(exchange.query.get("limit", 0)):
        found.pop()


@drift("page-repeated", "page")
def page_repeated(exchange: Exchange) -> None:
    """A later page of channels is the page that was read before."""
    if exchange.ok and exchange.asks("GET", "/channels") and isinstance(exchange.body, dict):
        if int(exchange.query.get("offset") or 0) > 0 and "page" in exchange.memory.stored:
            exchange.body = exchange.memory.stored["page"]
        else:
            exchange.memory.stored["page"] = exchange.body


@drift("total-of-page", "total")
def total_of_page(exchange: Exchange) -> None:
    """The total of channels counts the page only."""
    found = exchange.listed("GET", "/channels")
    if isinstance(exchange.body, dict) and "total" in exchange.body:
        exchange.body["total"] = len(found)


@drift("total-one-more", "total")
def total_one_more(exchange: Exchange) -> None:
    """The total of media assets is one too high where there are some."""
    if exchange.listed("GET", "/media") and isinstance(exchange.body, dict):
        exchange.body["total"] += 1


@drift("element-twice", "element")
def element_twice(exchange: Exchange) -> None:
    """The last key of a channel's properties is listed twice."""
    found = exchange.listed("GET", "/channels/{}/properties")
    found.extend(found[-1:])


@drift("element-dropped", "element")
def element_dropped(exchange: Exchange) -> None:
    """The last of several breakout rooms is not listed."""
    found = exchange.listed("GET", "/channels/{}/breakout/sessions/{}/rooms")
    if len(found) > 1:
        found.pop()


@drift("array-in-object", "shape")
def array_in_object(exchange: Exchange) -> None:
    """The owners of a channel stand in an object."""
    if exchange.ok and exchange.asks("GET", "/channels/{}/owners") and isinstance(exchange.body, list):
        exchange.body = {"owners": exchange.body}


@drift("page-as-array", "shape")
def page_as_array(exchange: Exchange) -> None:
    """The page of templates is a bare array."""
    if exchange.ok and exchange.asks("GET", "/templates") and isinstance(exchange.body, dict):
        exchange.body = exchange.listed("GET", "/templates")


@drift("created-is-202", "status")
def created_is_202(exchange: Exchange) -> None:
    """The creation of a channel answers 202."""
    if exchange.ok and exchange.asks("POST", "/channels/create"):
        exchange.status = 202


@drift("unknown-is-gone", "status")
def unknown_is_gone(exchange: Exchange) -> None:
    """A session that is not there is 410."""
    if exchange.status == 404 and exchange.asks("GET", "/sessions/{}"):
        exchange.status = 410


@drift("bad-input-is-500", "status")
def bad_input_is_500(exchange: Exchange) -> None:
    """Bad input to the creation of a channel is a fault of the server."""
    if exchange.status in (400, 422) and exchange.asks("POST", "/channels/create"):
        exchange.status = 500


@drift("code-changed", "code")
def code_changed(exchange: Exchange) -> None:
    """Who may not create a client is told another code."""
    if exchange.status == 403 and exchange.asks("POST", "/clients/create"):
        _change_code(exchange.body)


def _change_code(body: Any) -> None:
    """Change what may be the code of a body of errors."""
    if isinstance(body, dict):
        for name, value in body.items():
            if isinstance(value, dict):
                _change_code(value)
            elif name.lower().endswith(("code", "type")):
                body[name] = value + 5000 if isinstance(value, int) else f"{value}-2"


@drift("error-as-page", "code")
def error_as_page(exchange: Exchange) -> None:
    """A call without a token gets a page of HTML as its error."""
    if exchange.status == 401 and exchange.method == "GET":
        exchange.body, exchange.raw = None, b"<html><body><h1>401</h1></body></html>"
        exchange.set_header("Content-Type", "text/html")


@drift("type-missing", "header")
def type_missing(exchange: Exchange) -> None:
    """The settings of a client come without a Content-Type."""
    if exchange.ok and exchange.asks("GET", "/settings"):
        exchange.set_header("Content-Type", None)


@drift("old-settings", "cache")
def old_settings(exchange: Exchange) -> None:
    """The settings of a channel stay as they were first read."""
    if exchange.ok and exchange.asks("GET", "/channels/{}/settings"):
        exchange.body = exchange.memory.stored.setdefault(exchange.path, exchange.body)


@drift("name-one-read-late", "cache")
def name_one_read_late(exchange: Exchange) -> None:
    """The details of a channel show a new name at the second reading only."""
    for channel in exchange.told("GET", "/channels/{}", "channelName"):
        now = channel["channelName"]
        channel["channelName"] = exchange.memory.stored.get(("name", exchange.path), now)
        exchange.memory.stored["name", exchange.path] = now


@drift("sometimes-without-kind", "now and then")
def sometimes_without_kind(exchange: Exchange) -> None:
    """In one of three answers, callers who read themselves have no kind."""
    for user in exchange.told("GET", "/users/me", "kind"):
        if exchange.memory.sometimes(3):
            del user["kind"]


@drift("sometimes-not-found", "now and then")
def sometimes_not_found(exchange: Exchange) -> None:
    """One of four readings of a channel's properties finds none."""
    found = exchange.listed("GET", "/channels/{}/properties")
    if found and exchange.memory.sometimes(4):
        found.clear()


@drift("sometimes-a-minute-off", "now and then")
def sometimes_a_minute_off(exchange: Exchange) -> None:
    """In one of three lists of channels, all were made a minute later."""
    for channel in exchange.told("GET", "/channels", "created"):
        if exchange.memory.sometimes(3):
            channel["created"] += 60


@drift("sometimes-forbidden", "now and then")
def sometimes_forbidden(exchange: Exchange) -> None:
    """One of four lists of operators is forbidden."""
    if exchange.ok and exchange.asks("GET", "/channels/{}/operators") and exchange.memory.sometimes(4):
        exchange.status, exchange.body = 403, {"error": "forbidden"}
