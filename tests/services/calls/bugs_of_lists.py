"""Bugs of lists, searches and texts."""

from __future__ import annotations

from services.calls.cases import shows
from services.calls.client import Api


def handles(api: Api, path: str) -> list[str]:
    return [item["handle"] for item in api.ok("owner", "GET", path).items]


def names(api: Api, path: str, who: str = "customer-admin") -> list[str]:
    return [item["name"] for item in api.ok(who, "GET", path).items]


@shows("users-order-ignored")
def users_order(api: Api) -> None:
    assert handles(api, "/users?sort=handle&order=desc") == ["Oscar", "Olga", "Carla"]


@shows("only-enabled-ignored")
def only_enabled(api: Api) -> None:
    assert "Aged" not in names(api, "/templates?onlyEnabled=true")


@shows("has-recording-ignored")
def has_recording(api: Api) -> None:
    assert api.ok("owner", "GET", "/sessions?hasRecording=true").json["total"] == 1


@shows("tags-all-as-any")
def tags_all(api: Api) -> None:
    assert names(api, "/media?tags_all=brand,print") == ["poster"]


@shows("theme-ignored")
def theme(api: Api) -> None:
    api.ok("customer-admin", "POST", "/config?theme=dark", {"one": "dark"})
    assert api.ok("user", "GET", "/config?theme=dark").json.get("one") == "dark"


@shows("categories-ignored")
def categories(api: Api) -> None:
    assert list(api.ok("user", "GET", "/config?categories=chat").json) == ["chat"]


@shows("breakout-session-filter-ignored")
def breakout_filter(api: Api) -> None:
    api.breakout()
    path = f"/channels/{api.channel}/breakout/sessions?sessionId={api.seeded['session']}"
    assert api.ok("owner", "GET", path).json == []


@shows("participants-oldest-first")
def participants_order(api: Api) -> None:
    assert handles(api, f"/channels/{api.channel}/participants")[0] == "Uma"


@shows("active-forgets-quiet")
def active_quiet(api: Api) -> None:
    told = {item["channelName"] for item in api.ok("owner", "GET", "/channels/active").json}
    assert told == {"Main hall", "Side room"}


@shows("ties-change-by-page")
def ties(api: Api) -> None:
    pages = [names(api, f"/media?limit=2&offset={offset}") for offset in (0, 2)]
    assert len(set(pages[0] + pages[1])) == 4


@shows("channels-cut-before-sort")
def cut_before_sort(api: Api) -> None:
    assert names(api, "/channels?sort=name&order=desc&limit=1", "owner") == ["Side room"]


@shows("media-cut-before-filter")
def cut_before_filter(api: Api) -> None:
    assert names(api, "/media?query=banner&limit=2") == ["banner"]


@shows("users-total-of-page")
def users_total(api: Api) -> None:
    assert api.ok("owner", "GET", "/users?limit=1").json["total"] == 3


@shows("participants-total-before-search")
def participants_total(api: Api) -> None:
    path = f"/channels/{api.channel}/participants?search=uma"
    assert api.ok("owner", "GET", path).json["total"] == 1


@shows("languages-sorted")
def languages(api: Api) -> None:
    api.ok("user", "POST", "/users/me/languages", {"languages": ["sl", "de"]})
    assert api.ok("user", "GET", "/users/me").json["languages"]["languages"] == ["sl", "de"]


@shows("search-minds-case")
def search_case(api: Api) -> None:
    assert names(api, "/channels?search=SIDE", "owner") == ["Side room"]


@shows("handle-minds-case")
def handle_case(api: Api) -> None:
    assert api.ok("user", "GET", "/users/handle/unique?handle=OLGA").json["unique"] is False


@shows("property-keys-without-case")
def property_case(api: Api) -> None:
    base = f"/channels/{api.channel}/properties"
    api.ok("owner", "POST", f"{base}/Agenda", 1)
    api.ok("owner", "POST", f"{base}/agenda", 2)
    assert api.ok("owner", "GET", f"{base}/agenda").json == 2


@shows("handle-blanks-kept")
def handle_blanks(api: Api) -> None:
    _, token = api.guest(" Visitor ")
    assert api.ok(token, "GET", "/users/me").json["handle"] == "Visitor"


@shows("equal-keys-merged")
def equal_keys(api: Api) -> None:
    assert api.ok("customer-admin", "GET", "/media").json["total"] == 4


@shows("blank-name-accepted")
def blank_name(api: Api) -> None:
    api.fails("invalid", "owner", "POST", "/channels/create", {"name": "  "})
