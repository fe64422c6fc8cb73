"""Calls of the lists with each documented sort and filter, beside the bare ones of ``successes``."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from msgspec.structs import replace

from kit import ADMIN, API_TOKEN, OPERATOR, ROOM, START_MS, USER
from kit.growth.successes import SUCCESSES, Success, with_successes

#: Filters of lists by operation: each a set of query parameters.
FILTERS: dict[str, tuple[dict[str, Any], ...]] = {
    "list_users": ({"levels": [10]},),
    "list_sessions": ({"channel": ROOM}, {"from": START_MS, "to": START_MS + 60_000}, {"hasRecording": True}),
    "list_app_sessions": (
        {"user": "$user"},
        {"channelSession": "$past_session"},
        {"channel": ROOM},
        {"url": "https://app.example"},
        {"startedBefore": 50},
        {"startedAfter": 50},
    ),
    "list_templates": ({"onlyEnabled": True}, {"onlyInheritable": True}),
    "list_breakout_sessions": ({"sessionId": "$session"},),
    "list_available_dial_numbers": ({"countryCode": "US"}, {"countryCode": "GB"}),
    "list_inbound_numbers": ({"countryCode": "US"}, {"countryCode": "GB"}),
    "list_recordings": ({"session": "$past_session"},),
    "list_broadcast_history": ({"session": "$past_session"},),
    "list_channel_media": ({"tags_all": ["a"]}, {"tags_any": ["a"]}),
    "list_client_media": ({"tags_all": ["a"]}, {"tags_any": ["a"]}),
    "get_config": ({"categories": ["theme"]}, {"context": "channel"}, {"theme": "theme 7"}),
    "get_channel_config": ({"categories": ["theme"]}, {"context": "channel"}, {"theme": "theme 7"}),
}
#: Others who call an operation, and see other things of it.
CALLERS: dict[str, tuple[str, ...]] = {
    "list_channels": (ADMIN, OPERATOR, API_TOKEN, USER),
    "list_sessions": (ADMIN, OPERATOR),
    "list_active_channels": (ADMIN,),
    "list_available_dial_numbers": (API_TOKEN,),
}
#: Parameters that search texts: the cost of a search may grow with what is searched.
SEARCHES = ("search", "query")


def variants() -> Iterator[Success]:
    """Every documented sort and filter of every operation that has any, and an offset in the middle."""
    for operation, bare in with_successes():
        parameters = {parameter.name: parameter.wire for parameter in operation.query_parameters}
        for caller in CALLERS.get(operation.name, ()):
            yield replace(bare, caller=caller, variant=f"as {caller.removeprefix('demo-')}")
        for chosen in (*_sorts(parameters), *FILTERS.get(operation.name, ()), *_texts(parameters), *_pages(parameters)):
            variant = "&".join(f"{name}={value}" for name, value in chosen.items())
            yield replace(bare, arguments={**bare.arguments, **chosen}, variant=variant)


def is_search(call: Success) -> bool:
    """Whether a call searches texts: list_app_sessions looks for a part of the url."""
    part_of_url = call.operation == "list_app_sessions" and "url" in call.arguments
    return part_of_url or any(name in call.arguments for name in SEARCHES)


def _sorts(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Each documented sort in both orders; orders alone where there are no sorts."""
    sorts = [each.value for each in parameters["sort"]] if "sort" in parameters else []
    orders = [each.value for each in parameters["order"]] if "order" in parameters else []
    for sort in sorts:
        for order in orders:
            yield {"sort": sort, "order": order}


def _texts(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in SEARCHES:
        if name in parameters:
            yield {name: "77"}


def _pages(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "offset" in parameters:
        yield {"offset": "$middle"}
    sizes = parameters.get("imgSize")
    if isinstance(sizes, type) and issubclass(sizes, Enum):
        yield {"imgSize": next(iter(sizes)).value}


#: Every call that is measured: the bare one of each operation, then its variants.
CALLS: tuple[Success, ...] = (*SUCCESSES.values(), *variants())
