"""Values of the table of the truth as calls show them, by raw requests alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from services.calls.client import Answer, Api

Derivation = Callable[[Api], Any]
DERIVED: dict[str, Derivation] = {}


def derives(*ids: str) -> Callable[[Derivation], Derivation]:
    """Register how calls show the value of entries: one value for all, or a dictionary of values by entry."""

    def register(derivation: Derivation) -> Derivation:
        DERIVED.update(dict.fromkeys(ids, derivation))
        return derivation

    return register


def first(answer: Answer) -> Any:
    return answer.json["results"][0] if isinstance(answer.json, dict) else answer.json[0]


def longest(call: Callable[[int], Answer], most: int) -> int:
    """The greatest length that is accepted, up to a most."""
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if call(middle).status < 300 else (low, middle - 1)
    return low


def form_of(instant: Any) -> str:
    """The unit of an instant, by its size."""
    if instant > 10**11:
        return "epoch-ms"
    return "epoch-s" if instant > 10**8 else "seconds"


@derives("parse.unknown-fields")
def unknown_fields(api: Api) -> str:
    answer = api("owner", "POST", "/channels/create", {"name": "New", "odd": 1})
    return "ignore" if answer.status < 300 else "refuse"


@derives("parse.unknown-query")
def unknown_query(api: Api) -> str:
    return "ignore" if api("user", "GET", "/users/me?odd=1").status == 200 else "refuse"


@derives("parse.empty-query")
def empty_query(api: Api) -> str:
    return "absent" if api("owner", "GET", "/sessions?hasRecording=").status == 200 else "refuse"


@derives("parse.null")
def null(api: Api) -> str:
    answer = api("owner", "POST", "/channels/create", {"name": "New", "description": None})
    return "absent" if answer.status < 300 else "refuse"


@derives("parse.booleans")
def booleans(api: Api) -> dict[str, bool]:
    found = {}
    for word in ("true", "false", "1", "0", "yes", "no", "True", "False", "on", "off", "TRUE", "t"):
        answer = api("owner", "GET", f"/sessions?hasRecording={word}")
        if answer.status == 200:
            found[word] = first(answer)["hadRecording"]
    return found


@derives("parse.content-type")
def content_type(api: Api) -> str:
    answer = api("owner", "POST", "/channels/create", data=b'{"name": "New"}', content_type="text/plain")
    return "ignore" if answer.status < 300 else "refuse"


@derives("parse.accept")
def accept(api: Api) -> str:
    answer = api("user", "GET", "/users/me", headers={"Accept": "text/html"})
    return "ignore" if answer.status == 200 else "refuse"


@derives("parse.repeated-query")
def repeated_query(api: Api) -> str:
    total = len(api.ok("owner", "GET", "/channels?limit=1&limit=2").items)
    return {1: "first", 2: "last"}[total]


@derives("parse.plus")
def plus(api: Api) -> str:
    return "space" if api.ok("owner", "GET", "/channels?search=Main+hall").items else "plus"


@derives("parse.path-numbers")
def path_numbers(api: Api) -> str:
    return "404" if api("user", "POST", "/users/me/terms/one").status == 404 else "400"


@derives("parse.numbers")
def numbers(api: Api) -> str:
    path = f"/channels/{api.channel}/breakout/sessions"
    api.ok("owner", "POST", f"/channels/{api.channel}/settings/event/room/enable")
    if api("owner", "POST", path, {"duration": "60000"}).status < 300:
        return "coerce"
    return "5.0 is 5" if api("owner", "POST", path, {"duration": 60000.0}).status < 300 else "strict"


@derives("parse.duplicate-keys")
def duplicate_keys(api: Api) -> str:
    sent = b'{"name": "One", "name": "Two"}'
    answer = api("owner", "POST", "/channels/create", data=sent, content_type="application/json")
    return "last" if answer.status < 300 else "refuse"


@derives("parse.no-body")
def no_body(api: Api) -> str:
    return "as {}" if api("customer-admin", "POST", "/api_tokens").status < 300 else "refuse"


@derives("parse.bad-sort")
def bad_sort(api: Api) -> str:
    return "absent" if api("owner", "GET", "/channels?sort=odd").status == 200 else "refuse"


@derives("parse.limit-zero")
def limit_zero(api: Api) -> str | None:
    answer = api("owner", "GET", "/channels?limit=0")
    return None if answer.status >= 400 else "absent" if answer.items else "empty page"


@derives("parse.limit-large")
def limit_large(api: Api) -> str:
    return "cut" if api("owner", "GET", "/channels?limit=100000").status == 200 else "refuse"


@derives("parse.state-case")
def state_case(api: Api) -> str:
    answer = api("owner", "POST", f"/channels/{api.channel}/settings/midi/ENABLE")
    return "ignore" if answer.status < 300 else "exact"


@derives("size.page-default", "size.page-most")
def pages(api: Api) -> dict[str, int]:
    database = api.app.service.db
    asset = database.media.find(client_id=api.client_id, channel_id=None)[0]
    database.begin()
    for number in range(510):
        database.media.put(dataclasses.replace(asset, id=f"m{number}"))
    database.commit()
    answers = [api("customer-admin", "GET", f"/media?limit={limit}") for limit in (100, 200, 500)]
    most = max(len(answer.items) for answer in answers if answer.status == 200)
    return {"size.page-default": len(api.ok("customer-admin", "GET", "/media").items), "size.page-most": most}


@derives("size.name")
def name(api: Api) -> int | None:
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    channel = longest(lambda n: api("owner", "POST", f"/channels/{api.channel}/rename?name={'x' * n}"), 300)
    client = longest(lambda n: api("partner-admin", "POST", "/clients/create", {"name": next(letters) * n}), 300)
    return channel if channel == client else None


@derives("size.handle")
def handle(api: Api) -> int:
    path = f"/clients/{api.client_id}/users/guest/{api.channel}"
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    return longest(lambda n: api(None, "POST", path, {"handle": next(letters) * n}), 300)


@derives("size.label")
def label(api: Api) -> int:
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    return longest(lambda n: api("customer-admin", "POST", "/api_tokens", {"label": next(letters) * n}), 300)


@derives("size.property-key")
def property_key(api: Api) -> int:
    return longest(lambda n: api("owner", "POST", f"/channels/{api.channel}/properties/{'x' * n}", 1), 300)


@derives("size.property-value")
def property_value(api: Api) -> int:
    path = f"/channels/{api.channel}/properties/big"
    return longest(
        lambda n: api("owner", "POST", path, "x" * (n - 2)) if n > 2 else api("owner", "GET", "/users/me"), 2**21
    )


@derives("size.user-ids")
def user_ids(api: Api) -> int:
    number = str(api.users["user"])
    return longest(lambda n: api("owner", "GET", f"/users/multiple/{','.join([number] * n)}"), 400)


def values(api_of: Callable[[], Api]) -> Iterator[tuple[str, Any]]:
    """Each entry with the value that calls show, every derivation with a service of its own."""
    by_function: dict[Derivation, list[str]] = {}
    for id, derivation in DERIVED.items():
        by_function.setdefault(derivation, []).append(id)
    for derivation, ids in by_function.items():
        shown = derivation(api_of())
        for id in ids:
            if len(ids) == 1:
                yield id, shown
            elif id in shown:
                yield id, shown[id]
