"""Bugs of checks on one path, limits, units, second active objects, automatic changes, and what is lost or cached."""

from __future__ import annotations

from services.calls.bugs_of_access import petra, second_channel
from services.calls.cases import shows
from services.calls.client import Api


def channel(api: Api, key: str | None = None) -> dict[str, object]:
    return dict(api.ok("owner", "GET", f"/channels/{key or api.channel}").json)


def sessions(api: Api) -> str:
    return f"/channels/{api.channel}/breakout/sessions"


@shows("description-limit-only-later")
def description_on_create(api: Api) -> None:
    given = {"name": "Long", "description": "x" * 201}
    api.fails("invalid", "owner", "POST", "/channels/create", given)


@shows("unassigned-after-start")
def unassigned(api: Api) -> None:
    key = api.breakout()
    path = f"{sessions(api)}/{key}/rooms/{api.room(key)}/participants/{api.users['user']}"
    api.ok("owner", "POST", path)
    api.ok("owner", "POST", f"/channels/{api.channel}/breakout/session/start")
    api.fails("breakout_started", "owner", "DELETE", path)


@shows("guest-takes-handle", "b")
def guest_takes(api: Api) -> None:
    path = f"/clients/{api.client_id}/users/guest/{api.channel}"
    api.fails("handle_taken", None, "POST", path, {"handle": "Olga"})


@shows("predefined-takes-handle")
def predefined_takes(api: Api) -> None:
    api.fails("handle_taken", "customer-admin", "POST", "/users/predefined", {"name": "Olga"})


@shows("rename-to-taken-name")
def rename_taken(api: Api) -> None:
    api.fails("name_taken", "owner", "POST", f"/channels/{api.channel}/rename?name=Side%20room")


@shows("registered-handle-changes")
def registered_handle(api: Api) -> None:
    api.ok("user", "POST", "/users/me/handle", {"handle": "Changed"})
    assert api.ok("user", "GET", "/users/me").json["handle"] == "Uma"


@shows("unique-ignores-reservations")
def unique_reserved(api: Api) -> None:
    api.ok("user", "POST", "/users/handle/reserve", {"handle": "Nova"})
    assert api.ok("owner", "GET", "/users/handle/unique?handle=Nova").json["unique"] is False


@shows("populations-one-more")
def populations(api: Api) -> None:
    path = "/channels/populations/" + ",".join([api.channel] * 201)
    api.fails("bad_path", "owner", "GET", path)


@shows("description-one-longer")
def description(api: Api) -> None:
    path = f"/channels/{api.channel}/description"
    api.ok("owner", "POST", path, {"description": "x" * 200})
    api.fails("invalid", "owner", "POST", path, {"description": "x" * 201})


@shows("handle-one-longer", "b")
def handle_longer(api: Api) -> None:
    api.fails("invalid", "user", "POST", "/users/handle/reserve", {"handle": "x" * 33})


@shows("channel-created-in-ms", "c")
def channel_created(api: Api) -> None:
    assert api.ok("owner", "GET", "/channels").json["results"][0]["created"] < 10_000_000_000


@shows("breakout-started-in-seconds")
def breakout_started(api: Api) -> None:
    api.breakout()
    api.ok("owner", "POST", f"/channels/{api.channel}/breakout/session/start")
    assert api.ok("owner", "GET", sessions(api)).json[0]["started"] > 1_000_000_000_000


@shows("sessions-from-in-seconds", "b")
def sessions_from(api: Api) -> None:
    assert api.ok("owner", "GET", "/sessions?from=1600000000000").json["total"] == 2


@shows("ttl-days-are-hours")
def ttl_days(api: Api) -> None:
    path = f"/users/{petra(api)}/invitation"
    api.ok("customer-admin", "POST", f"{path}?ttl=1d")
    api.advance(2 * 3600)
    api.ok("customer-admin", "GET", path)


@shows("reservation-seconds-as-minutes")
def reservation(api: Api) -> None:
    api.ok("user", "POST", "/users/handle/reserve", {"handle": "Nova"})
    api.advance(15 * 60)
    api.ok("owner", "POST", "/users/handle/reserve", {"handle": "Nova"})


@shows("two-active-validators")
def two_validators(api: Api) -> None:
    items = api.ok("customer-admin", "GET", "/validators").json
    api.ok("customer-admin", "POST", f"/validators/{items[1]['validatorId']}/enable")
    assert [v["active"] for v in api.ok("customer-admin", "GET", "/validators").json] == [False, True, False]


@shows("two-active-breakouts")
def two_breakouts(api: Api) -> None:
    api.breakout()
    api.breakout()
    start = f"/channels/{api.channel}/breakout/session/start"
    api.ok("owner", "POST", start)
    api.fails("breakout_running", "owner", "POST", start)


@shows("user-in-two-rooms")
def two_rooms(api: Api) -> None:
    key, user = api.breakout(), api.users["user"]
    red, blue = api.room(key), api.room(key)
    for room in (red, blue):
        api.ok("owner", "POST", f"{sessions(api)}/{key}/rooms/{room}/participants/{user}")
    assert api.ok("owner", "GET", f"{sessions(api)}/{key}/rooms/{red}/participants").json == []


@shows("friendly-url-of-two")
def friendly_of_two(api: Api) -> None:
    api.ok("owner", "POST", f"/channels/{api.channel}/friendly/url", {"url": "hall"})
    path = f"/channels/{api.seeded['quietChannel']}/friendly/url"
    api.fails("friendly_taken", "owner", "POST", path, {"url": "hall"})


@shows("operator-listed-twice")
def operator_twice(api: Api) -> None:
    path = f"/channels/{api.channel}/operators"
    api.ok("owner", "POST", f"{path}/{api.users['operator']}")
    assert len(api.ok("owner", "GET", path).json) == 2


@shows("breakout-never-ends")
def never_ends(api: Api) -> None:
    api.breakout(duration=60_000)
    api.ok("owner", "POST", f"/channels/{api.channel}/breakout/session/start")
    api.advance(24 * 3600)
    assert api.ok("owner", "GET", sessions(api)).json[0]["isCompleted"] is True


@shows("breakout-ends-late")
def ends_late(api: Api) -> None:
    api.breakout(duration=60_000)
    api.ok("owner", "POST", f"/channels/{api.channel}/breakout/session/start")
    api.advance(60)
    assert api.ok("owner", "GET", sessions(api)).json[0]["isCompleted"] is True


@shows("door-stays-open")
def door(api: Api) -> None:
    api.ok("owner", "POST", f"/channels/{api.channel}/settings/lobby/door/auto-close/enable")
    api.present(api.users["user"])
    api.ok("owner", "DELETE", f"/channels/{api.channel}/session")
    assert channel(api)["isOpen"] is False


@shows("rooms-keep-users")
def rooms_keep(api: Api) -> None:
    key, user = api.breakout(), api.users["user"]
    room = api.room(key)
    api.ok("owner", "POST", f"{sessions(api)}/{key}/rooms/{room}/participants/{user}")
    api.present(user)
    api.ok("owner", "POST", f"/channels/{api.channel}/breakout/session/start")
    api.ok("owner", "POST", f"/channels/{api.channel}/breakout/session/stop")
    assert api.ok("owner", "GET", f"/channels/populations/{api.channel}").json == {api.channel: 1}


@shows("linked-users-outlive-channel")
def linked_outlive(api: Api) -> None:
    key = second_channel(api)
    number = api.ok("user", "POST", f"/channels/{key}/linked/users/new", {"handle": "Linked"}).json["id"]
    api.ok("user", "DELETE", f"/channels/{key}")
    assert api.ok("user", "GET", f"/users/multiple/{number}").json == []


@shows("linked-user-without-invitation")
def linked_invited(api: Api) -> None:
    path = f"/channels/{api.channel}/linked/users/new"
    number = api.ok("owner", "POST", path, {"handle": "Linked"}).json["id"]
    assert api.ok("owner", "GET", f"/users/{number}/invitation").json["userId"] == number


@shows("ended-users-stay")
def ended_stay(api: Api) -> None:
    api.present(api.users["user"])
    api.ok("owner", "DELETE", f"/channels/{api.channel}/session")
    assert api.ok("owner", "GET", f"/channels/populations/{api.channel}").json == {api.channel: 0}


@shows("predefined-description-lost")
def description_lost(api: Api) -> None:
    number = petra(api, description="A stub")
    assert api.ok("user", "GET", f"/users/multiple/{number}").json[0].get("description") == "A stub"


@shows("token-label-lost")
def label_lost(api: Api) -> None:
    assert api.ok("customer-admin", "POST", "/api_tokens", {"label": "Build"}).json.get("label") == "Build"


@shows("exchange-forgets-picture")
def picture(api: Api) -> None:
    token = api.jwt(sub="o-1", name="Nora", picture="https://example.com/n.png")
    told = api.ok(None, "POST", f"/clients/{api.client_id}/users/exchange", {"idToken": token}).json["token"]
    assert api.ok(told, "GET", "/users/me").json.get("imageUrl") == "https://example.com/n.png"


@shows("breakout-rename-resets-duration")
def rename_resets(api: Api) -> None:
    key = api.breakout(duration=120_000)
    api.ok("owner", "POST", f"{sessions(api)}/{key}", {"name": "Teams"})
    assert api.ok("owner", "GET", sessions(api)).json[0]["duration"] == 120_000


@shows("room-channel-keeps-name")
def room_name(api: Api) -> None:
    key = api.breakout()
    room = api.room(key, name="Red")
    api.ok("owner", "POST", f"{sessions(api)}/{key}/rooms/{room}", {"name": "Crimson"})
    told = api.ok("owner", "GET", f"{sessions(api)}/{key}/rooms").json[0]
    assert channel(api, told["channelUuid"])["channelName"] == "Crimson"


@shows("terms-counted-twice")
def terms_twice(api: Api) -> None:
    api.ok("customer-admin", "POST", "/terms/new", {"url": "https://child.example/terms"})
    assert api.ok(None, "GET", f"/clients/{api.client_id}/terms").json["version"] == 2


@shows("level-removal-takes-all")
def level_removal(api: Api) -> None:
    levels = [api.style.users.levels[name][0] for name in ("customer-admin", "reporter")]
    for level in levels:
        api.ok("customer-admin", "POST", f"/acl/{api.users['user']}/level/{level}")
    api.ok("customer-admin", "DELETE", f"/acl/{api.users['user']}/level/{levels[1]}")
    assert len(api.ok("customer-admin", "GET", f"/acl/{api.users['user']}/levels").json) == 1


@shows("owner-becomes-operator")
def owner_becomes(api: Api) -> None:
    api.ok("operator", "POST", f"/channels/{api.channel}/operators/{api.users['owner']}")
    assert channel(api)["isOwner"] is True


@shows("origins-are-added")
def origins(api: Api) -> None:
    path = f"/clients/{api.client_id}/origins"
    for origin in ("https://a.example", "https://b.example"):
        api.ok("customer-admin", "POST", path, [origin])
    assert api.ok("customer-admin", "GET", path).json == ["https://b.example"]


@shows("config-write-replaces")
def config_replaces(api: Api) -> None:
    for part in ({"one": 1}, {"two": 2}):
        api.ok("customer-admin", "POST", "/config", part)
    told = api.ok("user", "GET", "/config").json
    assert (told.get("one"), told.get("two")) == (1, 2)


@shows("channel-config-cached")
def config_cached(api: Api) -> None:
    path = f"/channels/{api.channel}/config"
    api.ok("owner", "GET", path)
    api.ok("customer-admin", "POST", "/config", {"one": 1})
    assert api.ok("owner", "GET", path).json.get("one") == 1


@shows("client-config-wins")
def client_wins(api: Api) -> None:
    path = f"/channels/{api.channel}/config"
    api.ok("customer-admin", "POST", "/config", {"one": "client"})
    api.ok("owner", "POST", path, {"one": "channel"})
    assert api.ok("owner", "GET", path).json["one"] == "channel"


@shows("caller-levels-cached")
def levels_cached(api: Api) -> None:
    level = api.style.users.levels["customer-admin"][0]
    api.ok("customer-admin", "POST", f"/acl/{api.users['user']}/level/{level}")
    api.ok("user", "GET", "/api_tokens")
    api.ok("customer-admin", "DELETE", f"/acl/{api.users['user']}/level/{level}")
    api.fails("forbidden", "user", "GET", "/api_tokens")


@shows("failed-create-spends-reservation")
def spends_reservation(api: Api) -> None:
    token = api.ok("customer-admin", "POST", "/users/handle/reserve", {"handle": "Nova"}).json["reservationToken"]
    api.fails("invalid", "customer-admin", "POST", f"/users/create/{token}", {"email": "nobody"})
    api.ok("customer-admin", "POST", f"/users/create/{token}", {})


@shows("exchange-makes-second-user")
def second_user(api: Api) -> None:
    path, given = f"/clients/{api.client_id}/users/exchange", {"idToken": api.jwt(sub="o-1", name="Nora")}
    tokens = [api.ok(None, "POST", path, given).json["token"] for _ in range(2)]
    assert len({api.ok(token, "GET", "/users/me").json["id"] for token in tokens}) == 1
