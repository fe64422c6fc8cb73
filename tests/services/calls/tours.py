"""Tours through the operations: each calls those of one area, as somebody who may."""

from __future__ import annotations

from services.calls.client import Api


def providers(api: Api) -> None:
    names = list(api.style.users.available_providers[:2])
    api.ok("user", "GET", "/providers/auth/available")
    assert "provider" in api.ok("user", "GET", "/users/me/auth").json
    api.ok("customer-admin", "POST", "/providers/auth", list(reversed(names)))
    told = api.ok(None, "GET", f"/clients/{api.client_id}/providers/auth").json["providers"]
    assert [item["name"] for item in told] == list(reversed(names))
    assert api.ok("user", "GET", "/auth/profile").json["email"] == "uma@example.com"


def terms(api: Api) -> None:
    assert api.ok(None, "GET", f"/clients/{api.client_id}/terms").json["version"] == 1
    api.ok("customer-admin", "POST", "/terms", {"url": "https://child.example/terms-2"})
    assert api.ok("user", "GET", "/users/me/terms").json["isCurrent"] is True
    api.ok("customer-admin", "POST", "/terms/new", {"url": "https://child.example/terms-3"})
    told = api.ok("user", "GET", "/users/me/terms").json
    assert told == {
        "isCurrent": False,
        "currentVersion": 2,
        "termsUrl": "https://child.example/terms-3",
        "firstAccept": False,
    }
    api.ok("user", "POST", "/users/me/terms/2")
    assert api.ok("user", "GET", "/users/me/terms").json["isCurrent"] is True
    api.ok("user", "GET", "/settings")


def validators(api: Api) -> None:
    items = api.ok("customer-admin", "GET", "/validators").items
    key = "validatorId" if "validatorId" in items[0] else "id"
    api.ok("customer-admin", "POST", f"/validators/{items[1][key]}/enable")
    api.ok("customer-admin", "POST", f"/validators/{items[1][key]}/disable")
    api.ok("customer-admin", "POST", f"/validators/{items[0][key]}/enable")
    api.ok(
        "customer-admin",
        "POST",
        "/users/predefined",
        {"name": "Petra", "originId": "origin-1", "email": "petra@example.com"},
    )
    claims = {api.style.auth.origin_claim: "origin-1", api.style.auth.name_claim: "Petra Example"}
    told = api.ok(None, "POST", f"/clients/{api.client_id}/users/exchange", {"idToken": api.jwt(**claims)}).json
    assert set(told) == {"token", "expires"}
    api.ok(told["token"], "POST", "/users/me/terms/1")
    assert api.ok(told["token"], "GET", "/users/me").json["fullName"] == "Petra Example"


def users(api: Api) -> None:
    owner, user = api.users["owner"], api.users["user"]
    assert api.ok("user", "GET", "/users/me?imgSize=large").json["handle"] == "Uma"
    api.ok("user", "GET", f"/users/multiple/{owner},{user}")
    told = api.ok("partner-admin", "GET", f"/users/{user}?for_client={api.client_id}").json
    assert (told["id"], told["clientId"], told["unregistered"]) == (user, api.client_id, False)
    listed = api.ok("owner", "GET", "/users?sort=handle&order=asc&limit=2").json
    assert [item["handle"] for item in listed["results"]] == ["Carla", "Olga"]
    assert listed["total"] >= 3
    api.ok("user", "POST", "/users/me/email", {"email": "uma2@example.com"})
    api.ok("user", "POST", "/users/me/image?url=https://example.com/uma.png")
    api.ok("user", "POST", "/users/me/image", data=b"PNG", content_type="image/png")
    api.ok("user", "POST", "/users/me/languages", {"languages": ["de", "en-GB"]})
    assert api.ok("user", "GET", "/users/me").json["languages"]
    api.ok("user", "POST", "/users/me/properties/colour", {"favourite": ["blue"]})
    assert api.ok("user", "GET", "/users/me/properties/colour").json == {"favourite": ["blue"]}


def handles(api: Api) -> None:
    assert api.ok("user", "GET", "/users/handle/unique?handle=Nova").json == {"unique": True, "required": True}
    token = api.ok("user", "POST", "/users/handle/reserve", {"handle": "Nova"}).json["reservationToken"]
    assert api.ok("user", "GET", "/users/handle/unique?handle=Nova").json["unique"] is False
    api.ok("user", "POST", f"/users/me/handle/{token}")
    assert api.ok("user", "GET", "/users/me").json["handle"] == "Nova"
    token = api.ok("customer-admin", "POST", "/users/handle/reserve", {"handle": "Zoe"}).json["reservationToken"]
    number = api.ok("customer-admin", "POST", f"/users/create/{token}", {"fullName": "Zoe Zett"}).json["id"]
    told = api.ok("partner-admin", "GET", f"/users/{number}?for_client={api.client_id}").json
    assert (told["handle"], told["fullName"]) == ("Zoe", "Zoe Zett")
    guest, token = api.guest("Visitor")
    api.ok(token, "POST", "/users/me/handle", {"handle": "Caller"})
    assert api.ok(token, "GET", "/users/me").json["handle"] == "Caller"
    assert api.ok("user", "POST", "/users/me/handle", {"handle": "Changed"}).status == 200
    assert api.ok("user", "GET", "/users/me").json["handle"] == "Nova"
    api.ok("operator", "POST", f"/channels/{api.channel}/users/{guest}/rename", {"handle": "Renamed"})
    assert api.ok(token, "GET", "/users/me").json["handle"] == "Renamed"


def predefined(api: Api) -> None:
    given = {"name": "Petra", "originId": "origin-9", "email": "petra@example.com", "description": "A stub"}
    number = api.ok("customer-admin", "POST", "/users/predefined", given).json["id"]
    assert api.ok("api-token", "GET", "/users/predefined/origin-9").json == {"id": number}
    made = api.ok("customer-admin", "POST", f"/users/{number}/invitation?ttl=1d").json
    assert (made["userId"], made["kind"]) == (number, api.style.auth.invitation_kind)
    assert api.ok("customer-admin", "GET", f"/users/{number}/invitation").json["code"] == made["code"]


def roles(api: Api) -> None:
    user, base = api.users["user"], f"/channels/{api.channel}/operators"
    api.ok("operator", "POST", f"{base}/{user}")
    told = api.ok("owner", "GET", base).json
    assert {(item["id"], item["isOwner"]) for item in told} == {
        (api.users["owner"], True),
        (api.users["operator"], False),
        (user, False),
    }
    assert [item["id"] for item in api.ok("operator", "GET", f"/channels/{api.channel}/owners").json] == [
        api.users["owner"]
    ]
    api.ok("owner", "DELETE", f"{base}/{user}")
    assert len(api.ok("owner", "GET", base).json) == 2


def levels(api: Api) -> None:
    user, grantable = api.users["user"], api.ok("customer-admin", "GET", "/acl/levels").json
    level = grantable[-1]["id"]
    api.ok("customer-admin", "POST", f"/acl/{user}/level/{level}")
    assert api.ok("customer-admin", "GET", f"/acl/{user}/levels").json == [grantable[-1]]
    api.ok("customer-admin", "DELETE", f"/acl/{user}/level/{level}")
    assert api.ok("customer-admin", "GET", f"/acl/{user}/levels").json == []


def api_tokens(api: Api) -> None:
    made = api.ok("customer-admin", "POST", "/api_tokens", {"label": "Build"}).json
    told = {item["id"]: item for item in api.ok("customer-admin", "GET", "/api_tokens").json}
    assert told[made["id"]]["token"] != made["token"]
    assert told[made["id"]]["label"] == "Build"
    again = api.ok("customer-admin", "POST", f"/api_tokens/{made['id']}/regenerate").json
    api.ok("api:" + again["token"], "GET", "/settings")
    api.fails("bad_token", "api:" + made["token"], "GET", "/settings")
    api.ok("customer-admin", "DELETE", f"/api_tokens/{made['id']}")
    api.fails("bad_token", "api:" + again["token"], "GET", "/settings")


def friendly(api: Api) -> None:
    url, client = f"/channels/{api.channel}/friendly/url", f"/clients/{api.client_id}"
    api.ok(None, "GET", f"{client}/url/available?url=hall")
    api.ok("owner", "POST", url, {"url": "hall"})
    assert api.ok(None, "GET", f"{client}/find/channel?url=hall").json == {"uuid": api.channel}
    assert api.ok("owner", "GET", f"/channels/{api.channel}").json["friendlyURL"] == "hall"
    api.ok("owner", "DELETE", url)
    api.fails("not_found", None, "GET", f"{client}/find/channel?url=hall")
    api.ok("customer-admin", "POST", "/settings/friendly/urls/disable")
    api.fails("friendly_off", "owner", "POST", url, {"url": "hall"})
    api.ok("customer-admin", "POST", f"{client}/origins", ["https://app.example.com"])
    assert api.ok("customer-admin", "GET", f"{client}/origins").json == ["https://app.example.com"]
    assert api.ok("customer-admin", "POST", f"{client}/domains", ["login.example.com"]).json == ["login.example.com"]
    assert api.ok("customer-admin", "GET", f"{client}/domains").json == ["login.example.com"]


def clients(api: Api) -> None:
    made = api.ok("partner-admin", "POST", "/clients/create", {"name": "New one"}).json["id"]
    told = api.ok("partner-admin", "GET", f"/clients/{made}").json
    assert (told["name"], told["parentId"]) == ("New one", api.seeded["partnerClient"])
    api.ok("partner-admin", "POST", f"/clients/{api.client_id}/service/disable")
    api.fails("service_disabled", "customer-admin", "POST", "/channels/create", {"name": "No"})
    api.ok("partner-admin", "POST", f"/clients/{api.client_id}/service/enable")
    api.ok("customer-admin", "GET", "/settings")


def channels(api: Api) -> None:
    key = api.ok("owner", "POST", "/channels/create", {"name": "Studio", "description": "Bright"}).json["channelUuid"]
    told = api.ok("owner", "GET", f"/channels/{key}").json
    assert (told["channelName"], told["description"], told["isOwner"]) == ("Studio", "Bright", True)
    assert api.ok("api-token", "GET", f"/channels?meetingId={told['meetingId']}").json == {"uuid": key}
    api.ok("owner", "POST", f"/channels/{key}/description", {"description": ""})
    assert api.ok("owner", "GET", f"/channels/{key}").json.get("description") is None
    api.ok("owner", "POST", f"/channels/{key}/image?url=https://example.com/x.png")
    assert api.ok("owner", "GET", f"/channels/{key}").json["imageUrl"] == "https://example.com/x.png"
    api.ok("owner", "DELETE", f"/channels/{key}/image")
    api.ok("owner", "POST", f"/channels/{key}/rename?name=Atelier")
    assert api.ok("owner", "GET", f"/channels/{key}/client").json == {"id": api.client_id}
    listed = api.ok("owner", "GET", "/channels?sort=name&order=asc").json
    assert [item["name"] for item in listed["results"]] == ["Atelier", "Main hall", "Side room"]
    assert api.ok("operator", "GET", "/channels").json["total"] == 1
    assert api.ok("customer-admin", "GET", "/channels").json["total"] == 3
    api.ok("owner", "DELETE", f"/channels/{key}")
    api.fails("not_found", "owner", "GET", f"/channels/{key}")


def runtime(api: Api) -> None:
    base = f"/channels/{api.channel}"
    settings = f"{base}/settings"
    for path, who in (
        ("lobby/door/close", "operator"),
        ("lobby/door/open", "operator"),
        ("lobby/door/auto-close/enable", "operator"),
        ("wall/disable", "owner"),
        ("attendees/mute", "operator"),
        ("speech2text/enable", "customer-admin"),
        ("midi/enable", "owner"),
        ("event/room/enable", "owner"),
        ("presenters/limit/7", "owner"),
    ):
        api.ok(who, "POST", f"{settings}/{path}")
    told = api.ok("owner", "GET", settings).json
    for name in ("open", "autoClose", "disableWall", "muteAttendees", "speech2text", "midi", "eventRoom"):
        assert told[name] is True, name
    assert told["presentersLimit"] == 7
    api.ok("owner", "DELETE", f"{settings}/presenters/limit")
    assert api.ok("owner", "GET", settings).json.get("presentersLimit") is None
    assert api.ok("user", "GET", f"{base}/turn/credentials").json["ttl"] == api.style.channels.turn_ttl
    kind = api.style.channels.data_kinds[0]
    assert api.ok("user", "GET", f"{base}/data/{kind}").json["url"].startswith("wss://")
    if api.style.channels.placing_ms:
        api.fails("being_created", "user", "GET", f"{base}/proxyfor")
        api.advance(5)
    assert api.ok("user", "GET", f"{base}/proxyfor").json["url"].startswith("wss://")
    assert "1" in api.ok("user", "GET", f"/channels/populations/{api.channel}").raw
    active = {item["channelUuid"] for item in api.ok("owner", "GET", "/channels/active").json}
    assert active == {api.channel, api.seeded["quietChannel"]}


def properties(api: Api) -> None:
    base = f"/channels/{api.channel}/properties"
    api.ok("operator", "POST", f"{base}/agenda", ["one", 2, None])
    assert api.ok("user", "GET", base).json == ["agenda"]
    assert api.ok("user", "GET", f"{base}/agenda").json == ["one", 2, None]
    api.ok("operator", "DELETE", f"{base}/agenda")
    assert api.ok("user", "GET", base).json == []


def sessions(api: Api) -> None:
    api.ok("owner", "POST", f"/channels/{api.channel}/settings/lobby/door/open")
    api.present(api.users["user"])
    listed = api.ok("owner", "GET", f"/sessions?channel={api.channel}&order=asc").json
    assert listed["total"] == 3
    live = next(item for item in listed["results"] if item.get("ended") is None)
    assert api.ok("operator", "GET", f"/sessions/{live['id']}").json["participantsCount"] == 1
    assert [p["handle"] for p in api.ok("owner", "GET", f"/sessions/{live['id']}/participants").json] == ["Uma"]
    assert len(api.ok("owner", "GET", f"/sessions/{api.seeded['session']}/recordings").json) == 1
    people = api.ok("owner", "GET", f"/channels/{api.channel}/participants").json
    assert people["total"] == 3
    assert people["results"][0]["handle"] == "Uma"
    api.ok("owner", "DELETE", f"/channels/{api.channel}/session/{live['id']}")
    assert api.ok("owner", "GET", f"/sessions/{live['id']}").json["ended"] is not None
    api.present(api.users["user"])
    api.advance(1)
    api.ok("owner", "DELETE", f"/channels/{api.channel}/session")


def configuration(api: Api) -> None:
    category = next(iter(api.style.channels.config_default))
    api.ok("user", "GET", f"/config?categories={category}")
    api.ok("customer-admin", "POST", "/config", {"extra": {"level": "client", "client": 1}})
    assert api.ok("user", "GET", "/config").json["extra"] == {"level": "client", "client": 1}
    base = f"/channels/{api.channel}/config"
    api.ok("owner", "POST", base, {"extra": {"level": "channel"}})
    assert api.ok("owner", "GET", base).json["extra"] == {"level": "channel", "client": 1}
    listed = api.ok("customer-admin", "GET", "/templates").json
    assert {item["name"] for item in listed["results"]} == {"House style", "Town hall", "Aged", "Class"}
    own = next(item for item in listed["results"] if item["name"] == "Town hall")
    assert api.ok("customer-admin", "GET", f"/templates/{own['id']}").json == own
    api.ok("customer-admin", "POST", f"/templates/{own['id']}/config", {"extra": 3})
    assert api.ok("customer-admin", "GET", f"/templates/{own['id']}/config").json["extra"] == 3
    told = api.ok("owner", "GET", f"/channels/{api.channel}/template").json
    assert (told["name"], told["inherited"]) == ("House style", True)
    assert api.ok("owner", "GET", f"/channels/{api.channel}/templates").json["total"] >= 3
    assert api.ok("user", "GET", "/settings").json["uniqueUsersHandle"] is True
    api.ok("owner", "GET", f"/channels/{api.channel}/settings")


def breakouts(api: Api) -> None:
    base, user = f"/channels/{api.channel}/breakout", api.users["user"]
    spare = api.breakout(name="Spare")
    api.ok("owner", "DELETE", f"{base}/sessions/{spare}")
    key = api.breakout(name="Groups", duration=120_000)
    api.ok("owner", "POST", f"{base}/sessions/{key}", {"name": "Teams"})
    rooms = f"{base}/sessions/{key}/rooms"
    red, blue = api.room(key, name="Red"), api.room(key)
    api.ok("owner", "POST", f"{rooms}/{red}", {"name": "Crimson"})
    api.ok("owner", "DELETE", f"{rooms}/{blue}")
    assert [item["name"] for item in api.ok("owner", "GET", rooms).json] == ["Crimson"]
    api.ok("owner", "POST", f"{rooms}/{red}/participants/{user}")
    api.ok("owner", "DELETE", f"{rooms}/{red}/participants/{user}")
    api.ok("owner", "POST", f"{rooms}/{red}/participants/{user}")
    assert [u["id"] for u in api.ok("owner", "GET", f"{rooms}/{red}/participants").json] == [user]
    number = api.ok("operator", "POST", f"/channels/{api.channel}/linked/users/new", {"handle": "Linked one"}).json[
        "id"
    ]
    assert [u["id"] for u in api.ok("operator", "GET", f"/channels/{api.channel}/linked/users").json] == [number]
    assert api.ok("user", "GET", f"{base}/session").status == 204
    api.ok("owner", "POST", f"{base}/session/start")
    told = api.ok("user", "GET", f"{base}/session").json
    assert (told["id"], told["isActive"], told["breakoutRoom"]["id"]) == (key, True, red)
    api.ok("owner", "POST", f"{base}/session/stop")
    listed = api.ok("owner", "GET", f"{base}/sessions").json
    assert [(b["name"], b["isActive"], b["isCompleted"]) for b in listed] == [("Teams", False, True)]


def media(api: Api) -> None:
    for pool, who in (("/media", "customer-admin"), (f"/channels/{api.channel}/media", "owner")):
        key = api.ok(
            who, "POST", f"{pool}?name=clip&description=A%20clip", data=b"12345", content_type="video/mp4"
        ).json["id"]
        told = api.ok(who, "GET", f"{pool}/{key}").json
        assert (told["name"], told["size"], told["contentType"]) == ("clip", 5, "video/mp4")
        listed = api.ok(who, "GET", f"{pool}?query=clip").json
        assert (listed["total"], listed["results"][0]["id"]) == (1, key)
    assert api.ok("customer-admin", "GET", "/media?tags_all=brand,print").json["total"] == 1
    assert api.ok("customer-admin", "GET", "/media?tags_any=brand,print").json["total"] == 3


def events(api: Api) -> None:
    key = api.seeded["eventsEndpoints"][0]
    api.ok("customer-admin", "POST", f"/events/endpoints/{key}", {"active": False, "url": "https://example.com/hook"})


TOURS = [
    providers,
    terms,
    validators,
    users,
    handles,
    predefined,
    roles,
    levels,
    api_tokens,
    friendly,
    clients,
    channels,
    runtime,
    properties,
    sessions,
    configuration,
    breakouts,
    media,
    events,
]
