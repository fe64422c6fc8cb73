"""The calls that show a drift: they go as they should without the proxy, and not through it."""

from __future__ import annotations

from collections.abc import Callable

from services.calls.client import Api

Case = Callable[[Api], None]
CASES: dict[str, Case] = {}


def shows(drift: str) -> Callable[[Case], Case]:
    """Register calls that show the drift in style a."""

    def register(case: Case) -> Case:
        assert drift not in CASES, drift
        CASES[drift] = case
        return case

    return register


def details(api: Api, channel: str = "") -> dict[str, object]:
    return dict(api.ok("owner", "GET", f"/channels/{channel or api.channel}").json)


def settings(api: Api) -> dict[str, object]:
    return dict(api.ok("owner", "GET", f"/channels/{api.channel}/settings").json)


def named(api: Api, path: str, who: str = "owner") -> list[str]:
    return [item["name"] for item in api.ok(who, "GET", path).items]


@shows("field-missing")
def field_missing(api: Api) -> None:
    assert "meetingId" in details(api)


@shows("null-for-absent")
def null_for_absent(api: Api) -> None:
    assert "presentersLimit" not in settings(api)


@shows("field-renamed")
def field_renamed(api: Api) -> None:
    assert api.ok("user", "GET", "/users/me").json.get("handle") == "Uma"


@shows("number-as-text")
def number_as_text(api: Api) -> None:
    told = api.ok("owner", "GET", f"/channels/{api.channel}/operators").json
    assert {item["id"] for item in told} == {api.users["owner"], api.users["operator"]}


@shows("boolean-as-number")
def boolean_as_number(api: Api) -> None:
    assert all(isinstance(item["isOpen"], bool) for item in api.ok("owner", "GET", "/channels").items)


@shows("boolean-inverted")
def boolean_inverted(api: Api) -> None:
    assert settings(api)["muteAttendees"] is False


@shows("text-for-object")
def text_for_object(api: Api) -> None:
    path = f"/channels/{api.channel}/properties/agenda"
    api.ok("owner", "POST", path, {"first": 1})
    assert api.ok("owner", "GET", path).json == {"first": 1}


@shows("list-in-milliseconds")
def list_in_milliseconds(api: Api) -> None:
    assert all(item["created"] < 10**11 for item in api.ok("owner", "GET", "/channels").items)


@shows("duration-in-seconds")
def duration_in_seconds(api: Api) -> None:
    api.breakout(duration=120_000)
    told = api.ok("owner", "GET", f"/channels/{api.channel}/breakout/sessions").json
    assert told[0]["duration"] == 120_000


@shows("life-in-minutes")
def life_in_minutes(api: Api) -> None:
    told = api.ok("user", "GET", f"/channels/{api.channel}/turn/credentials").json
    assert told["ttl"] == api.style.channels.turn_ttl


@shows("expiry-an-hour-early")
def expiry_an_hour_early(api: Api) -> None:
    told = api.ok(None, "POST", f"/clients/{api.client_id}/users/guest/{api.channel}", {"handle": "Visitor"}).json
    assert told["expires"] - api.app.service.clock.now() > 23.9 * 3_600_000


@shows("id-of-another")
def id_of_another(api: Api) -> None:
    for channel in (api.channel, api.seeded["quietChannel"]):
        assert details(api, channel)["channelUuid"] == channel


@shows("case-folded")
def case_folded(api: Api) -> None:
    assert "Main hall" in named(api, "/channels")


@shows("blanks-trimmed")
def blanks_trimmed(api: Api) -> None:
    api.ok("owner", "POST", f"/channels/{api.channel}/description", {"description": " Bright "})
    assert details(api)["description"] == " Bright "


@shows("text-cut")
def text_cut(api: Api) -> None:
    api.ok("owner", "POST", f"/channels/{api.channel}/description", {"description": "x" * 41})
    assert details(api)["description"] == "x" * 41


@shows("letters-lost")
def letters_lost(api: Api) -> None:
    made = api.ok("customer-admin", "POST", "/media?name=H%C3%B6rsaal", data=b"1", content_type="video/mp4").json
    assert api.ok("customer-admin", "GET", f"/media/{made['id']}").json["name"] == "Hörsaal"


@shows("token-unmasked")
def token_unmasked(api: Api) -> None:
    made = api.ok("customer-admin", "POST", "/api_tokens", {"label": "New"}).json
    assert made["token"] not in api.ok("customer-admin", "GET", "/api_tokens").raw


@shows("address-shown")
def address_shown(api: Api) -> None:
    assert "email" not in api.ok("user", "GET", f"/users/multiple/{api.users['owner']}").json[0]


@shows("order-swapped")
def order_swapped(api: Api) -> None:
    assert named(api, "/channels?sort=name&order=asc") == ["Main hall", "Side room"]


@shows("people-reversed")
def people_reversed(api: Api) -> None:
    told = api.ok("owner", "GET", f"/channels/{api.channel}/operators").json
    assert [item["handle"] for item in told] == ["Olga", "Oscar"]


@shows("page-cut")
def page_cut(api: Api) -> None:
    assert len(api.ok("customer-admin", "GET", "/users?limit=2").items) == 2


@shows("page-repeated")
def page_repeated(api: Api) -> None:
    pages = [named(api, f"/channels?sort=name&order=asc&limit=1&offset={offset}") for offset in (0, 1)]
    assert pages == [["Main hall"], ["Side room"]]


@shows("total-of-page")
def total_of_page(api: Api) -> None:
    assert api.ok("owner", "GET", "/channels?limit=1").json["total"] == 2


@shows("total-one-more")
def total_one_more(api: Api) -> None:
    assert api.ok("customer-admin", "GET", "/media").json["total"] == 4


@shows("element-twice")
def element_twice(api: Api) -> None:
    api.ok("owner", "POST", f"/channels/{api.channel}/properties/agenda", 1)
    assert api.ok("owner", "GET", f"/channels/{api.channel}/properties").json == ["agenda"]


@shows("element-dropped")
def element_dropped(api: Api) -> None:
    breakout = api.breakout()
    rooms = [api.room(breakout), api.room(breakout)]
    told = api.ok("owner", "GET", f"/channels/{api.channel}/breakout/sessions/{breakout}/rooms").json
    assert [item["id"] for item in told] == rooms


@shows("array-in-object")
def array_in_object(api: Api) -> None:
    assert isinstance(api.ok("owner", "GET", f"/channels/{api.channel}/owners").json, list)


@shows("page-as-array")
def page_as_array(api: Api) -> None:
    assert isinstance(api.ok("customer-admin", "GET", "/templates").json, dict)


@shows("created-is-202")
def created_is_202(api: Api) -> None:
    assert api.ok("owner", "POST", "/channels/create", {"name": "Studio"}).status == 200


@shows("unknown-is-gone")
def unknown_is_gone(api: Api) -> None:
    api.fails("not_found", "owner", "GET", "/sessions/none")


@shows("bad-input-is-500")
def bad_input_is_500(api: Api) -> None:
    api.fails("invalid", "owner", "POST", "/channels/create", {"name": ""})


@shows("code-changed")
def code_changed(api: Api) -> None:
    assert api("user", "POST", "/clients/create", {"name": "Sub"}).json["error"]["code"] == "FORBIDDEN"


@shows("error-as-page")
def error_as_page(api: Api) -> None:
    api.fails("no_token", None, "GET", "/users/me")


@shows("type-missing")
def type_missing(api: Api) -> None:
    assert api.ok("user", "GET", "/settings").headers.get("Content-Type") == "application/json"


@shows("old-settings")
def old_settings(api: Api) -> None:
    settings(api)
    api.ok("owner", "POST", f"/channels/{api.channel}/settings/midi/enable")
    assert settings(api)["midi"] is True


@shows("name-one-read-late")
def name_one_read_late(api: Api) -> None:
    details(api)
    api.ok("owner", "POST", f"/channels/{api.channel}/rename?name=Atelier")
    assert details(api)["channelName"] == "Atelier"


@shows("sometimes-without-kind")
def sometimes_without_kind(api: Api) -> None:
    assert all("kind" in api.ok("user", "GET", "/users/me").json for _ in range(20))


@shows("sometimes-not-found")
def sometimes_not_found(api: Api) -> None:
    api.ok("owner", "POST", f"/channels/{api.channel}/properties/agenda", 1)
    assert all(api.ok("owner", "GET", f"/channels/{api.channel}/properties").json for _ in range(20))


@shows("sometimes-a-minute-off")
def sometimes_a_minute_off(api: Api) -> None:
    told = {api.ok("owner", "GET", "/channels").items[0]["created"] for _ in range(20)}
    assert len(told) == 1


@shows("sometimes-forbidden")
def sometimes_forbidden(api: Api) -> None:
    for _ in range(20):
        api.ok("owner", "GET", f"/channels/{api.channel}/operators")
