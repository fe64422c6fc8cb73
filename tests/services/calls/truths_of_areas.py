"""Values of the table of the truth as calls show them: those of identity, channels and what belongs to them."""

from __future__ import annotations

from typing import Any

from services.calls.client import Api
from services.calls.truths import derives, first, form_of


@derives("duration.placement")
def placement(api: Api) -> str:
    path, seconds = f"/channels/{api.seeded['quietChannel']}/proxyfor", 0
    api.ok("owner", "POST", f"/channels/{api.seeded['quietChannel']}/settings/lobby/door/open")
    while api("owner", "GET", path).status >= 400:
        api.advance(1)
        seconds += 1
    return f"time({seconds})" if seconds else "immediate"


@derives("duration.api-token")
def api_token(api: Api) -> int:
    made = api.ok("customer-admin", "POST", "/api_tokens", {"label": "New"}).json
    if made.get("expiresAt") is None:
        return 0
    left = made["expiresAt"] * (1 if made["expiresAt"] > 10**11 else 1000) - api.app.service.clock.now()
    return round(left / 86_400_000) * 86_400_000


@derives("http.options")
def options(api: Api) -> str:
    return "204" if api("user", "OPTIONS", "/users/me").status == 204 else "405"


@derives("http.caching")
def caching(api: Api) -> str | None:
    told = api.ok("user", "GET", "/users/me").headers.get("Cache-Control")
    return {None: "silent", "no-store": "no-store"}.get(told)


@derives("providers.default")
def default_provider(api: Api) -> str:
    told = api.ok(None, "GET", f"/clients/{api.client_id}/providers/auth").json
    return "first" if told.get("defaultProvider") else "absent"


@derives("providers.empty")
def no_providers(api: Api) -> str:
    return "none" if api("customer-admin", "POST", "/providers/auth", []).status < 300 else "refuse"


@derives("providers.available")
def providers(api: Api) -> list[str]:
    return [item["name"] for item in api.ok("user", "GET", "/providers/auth/available").json]


@derives("validators.container")
def validators(api: Api) -> str:
    return "array" if isinstance(api.ok("customer-admin", "GET", "/validators").json, list) else "page"


@derives("identity.exp-required")
def exp_required(api: Api) -> bool:
    api.ok("customer-admin", "POST", "/users/predefined", {"name": "Nora", "email": "n@n.example", "originId": "o-1"})
    auth = api.style.auth
    token = api.jwt(**{auth.origin_claim: "o-1", auth.name_claim: "Nora", "exp": None})  # type: ignore[arg-type]
    return api(None, "POST", f"/clients/{api.client_id}/users/exchange", {"idToken": token}).status >= 400


@derives("identity.unknown-subject")
def unknown_subject(api: Api) -> str:
    auth = api.style.auth
    token = api.jwt(**{auth.origin_claim: "o-9", auth.name_claim: "Nora"})
    answer = api(None, "POST", f"/clients/{api.client_id}/users/exchange", {"idToken": token})
    return "register" if answer.status < 300 else "refuse"


@derives("levels.table")
def levels(api: Api) -> dict[str, Any]:
    told = {"customer-admin": api.ok("customer-admin", "GET", f"/acl/{api.users['customer-admin']}/levels").json[0]}
    told["partner-admin"] = api.ok("partner-admin", "GET", f"/acl/{api.users['partner-admin']}/levels").json[0]
    return told


@derives("users.reputation")
def reputation(api: Api) -> int:
    number, _ = api.guest()
    return int(api.ok("owner", "GET", f"/users/multiple/{number}").raw.partition('"reputation": ')[2].partition(",")[0])


@derives("users.kinds")
def kinds(api: Api) -> dict[str, str]:
    petra = api.ok("customer-admin", "POST", "/users/predefined", {"name": "Petra", "email": "p@p.example"}).json["id"]
    linked = api.ok("operator", "POST", f"/channels/{api.channel}/linked/users/new", {"handle": "Linked"}).json["id"]
    numbers = {"registered": api.users["user"], "predefined": petra, "guest": api.users["guest"], "linked": linked}
    return {word: str(_user(api, number)["kind"]) for word, number in numbers.items()}


def _user(api: Api, number: int) -> dict[str, Any]:
    told = api.ok("owner", "GET", f"/users/multiple/{number}").json
    people = told.get("results", told.values()) if isinstance(told, dict) else told
    return dict(next(iter(people)))


@derives("users.several-container")
def several(api: Api) -> str:
    told = api.ok("owner", "GET", f"/users/multiple/{api.users['user']}").json
    return "array" if isinstance(told, list) else "page" if "results" in told else "by-id"


@derives("users.origin-id-twice")
def origin_id_twice(api: Api) -> str:
    for person in ("Petra", "Paula"):
        given = {"name": person, "email": f"{person}@p.example", "originId": "o-1"}
        answer = api("customer-admin", "POST", "/users/predefined", given)
    return "existing" if answer.status < 300 else "refuse"


@derives("breakout.session-name", "breakout.duration", "breakout.room-name", "breakout.room-names", "breakout.started")
def breakouts(api: Api) -> dict[str, Any]:
    one, two = api.breakout(), api.breakout(name="Second")
    api.room(one)
    base = f"/channels/{api.channel}/breakout/sessions"
    told = {item["id"]: item for item in api.ok("owner", "GET", base).json}
    room = first(api.ok("owner", "GET", f"{base}/{one}/rooms"))
    again = [api("owner", "POST", f"{base}/{two}/rooms", {"name": "Same"}).status for _ in range(2)]
    api.ok("owner", "POST", f"/channels/{api.channel}/breakout/session/start")
    active = next(item["id"] for item in api.ok("owner", "GET", base).json if item["isActive"])
    return {
        "breakout.session-name": told[one]["name"].replace("1", "{number}"),
        "breakout.duration": told[one]["duration"],
        "breakout.room-name": room["name"].replace("1", "{number}"),
        "breakout.room-names": "allow" if again[1] < 300 else "refuse",
        "breakout.started": {one: "oldest", two: "newest"}[active],
    }


@derives("breakout.modify-active", "breakout.delete-active", "breakout.without-room", "breakout.event-room-off")
def running_breakout(api: Api) -> dict[str, Any]:
    one = api.breakout()
    base = f"/channels/{api.channel}/breakout"
    api.ok("owner", "POST", f"{base}/session/start")
    without = api("user", "GET", f"{base}/session")
    changed = [
        api("owner", "POST", f"{base}/sessions/{one}", given).status < 300
        for given in ({"duration": 120_000}, {"name": "A"})
    ]
    deleted = api("owner", "DELETE", f"{base}/sessions/{one}").status < 300
    if deleted:
        api.breakout()
        api.ok("owner", "POST", f"{base}/session/start")
    off = api("owner", "POST", f"/channels/{api.channel}/settings/event/room/disable").status < 300
    return {
        "breakout.modify-active": {(True, True): "allow", (False, False): "refuse"}.get((changed[0], changed[1])),
        "breakout.delete-active": "stop" if deleted else "refuse",
        "breakout.without-room": "session" if without.status == 200 else str(without.status),
        "breakout.event-room-off": "stop" if off else "refuse",
    }


@derives("encode.absent")
def absent(api: Api) -> str:
    told = api.ok("owner", "GET", f"/channels/{api.seeded['quietChannel']}").json
    return "null" if "friendlyURL" in told else "omit"


@derives("properties.missing", "channel-properties.missing", "properties.null")
def properties(api: Api) -> dict[str, Any]:
    found = {}
    for id, base in (("", "/users/me"), ("channel-", f"/channels/{api.channel}")):
        answer = api("owner", "GET", f"{base}/properties/absent")
        found[f"{id}properties.missing"] = {404: "refused", 200: "null"}.get(answer.status)
    api.ok("owner", "POST", f"/channels/{api.channel}/properties/agenda", None)
    stored = api.ok("owner", "GET", f"/channels/{api.channel}/properties").json
    return {**found, "properties.null": "stored" if stored else "removes"}


@derives("presenters.zero")
def presenters_zero(api: Api) -> str:
    answer = api("owner", "POST", f"/channels/{api.channel}/settings/presenters/limit/0")
    return "nobody" if answer.status < 300 else "refuse"


@derives("populations.shape", "populations.idle")
def populations(api: Api) -> dict[str, Any]:
    api.ok("owner", "POST", f"/channels/{api.channel}/settings/lobby/door/open")
    api.present(api.users["user"])
    quiet = api.seeded["quietChannel"]
    told = api.ok("user", "GET", f"/channels/populations/{api.channel},{quiet}")
    shape = "list" if isinstance(told.json, list) else "map" if api.channel in told.json else None
    return {"populations.shape": shape, "populations.idle": "zero" if quiet in told.raw else "omit"}


@derives("sessions.name", "sessions.end-again", "units.session")
def sessions(api: Api) -> dict[str, Any]:
    api.present(api.users["user"])
    live = next(item for item in api.ok("owner", "GET", "/sessions").items if item.get("ended") is None)
    path = f"/channels/{api.channel}/session/{live['id']}"
    again = [api("owner", "DELETE", path).status < 300 for _ in range(2)]
    return {
        "sessions.name": "channel" if live["name"] == "Main hall" else "generated",
        "sessions.end-again": "ignore" if again[1] else "refuse",
        "units.session": form_of(live["started"]),
    }


@derives("images.unknown-size")
def unknown_size(api: Api) -> str:
    return "default" if api("user", "GET", "/users/me?imgSize=odd").status == 200 else "refuse"


@derives("config.service-default", "config.update", "config.categories")
def config(api: Api) -> dict[str, Any]:
    told = api.ok("user", "GET", "/config").json
    category = next(iter(told))
    part = api.ok("user", "GET", f"/config?categories={category}").json
    api.ok("customer-admin", "POST", "/config", {"one": {"a": 1, "b": 2}})
    api.ok("customer-admin", "POST", "/config", {"one": {"a": None}})
    one = api.ok("user", "GET", "/config").json["one"]
    by_keys = {("b",): "patch", ("a",): "replace", ("a", "b"): "keep"}
    return {
        "config.service-default": told,
        "config.update": by_keys[tuple(sorted(one))],
        "config.categories": "first-level" if list(part) == [category] else None,
    }


@derives("templates.none")
def no_template(api: Api) -> str | None:
    answer = api("owner", "GET", f"/channels/{api.seeded['quietChannel']}/template")
    return {404: "404", 204: "204"}.get(answer.status)


@derives("media.empty-file", "media.read-default", "media.tag", "units.media-created")
def media(api: Api) -> dict[str, Any]:
    empty = api("customer-admin", "POST", "/media?name=empty", data=b"", content_type="video/mp4")
    made = api.ok("customer-admin", "POST", "/media?name=clip", data=b"1", content_type="video/mp4").json
    told = api.ok("customer-admin", "GET", f"/media/{made['id']}").json
    tags = [tag for item in api.ok("customer-admin", "GET", "/media").items for tag in item["tags"]]
    return {
        "media.empty-file": "keep" if empty.status < 300 else "refuse",
        "media.read-default": "public" if told["publicRead"] else "private",
        "media.tag": "text" if isinstance(tags[0], str) else "object",
        "units.media-created": form_of(told["created"]),
    }


@derives("handles.equality", "handles.registered-rename")
def handles(api: Api) -> dict[str, Any]:
    free = api.ok("user", "GET", "/users/handle/unique?handle=OLGA").json["unique"]
    client = api.app.service.db.clients.get(api.client_id)
    assert client is not None
    client.unique_handles = False
    api.app.service.db.begin()
    api.app.service.db.clients.put(client)
    api.app.service.db.commit()
    api.ok("user", "POST", "/users/me/handle", {"handle": "Ursula"})
    now = api.ok("user", "GET", "/users/me").json["handle"]
    return {
        "handles.equality": "exact" if free else "caseless",
        "handles.registered-rename": "changes" if now == "Ursula" else "never",
    }


@derives("handles.reserve-again", "handles.reservation-bearer")
def reservations(api: Api) -> dict[str, Any]:
    made = [api("user", "POST", "/users/handle/reserve", {"handle": "Reserved"}) for _ in range(2)]
    token = [answer.json["reservationToken"] for answer in made if answer.status < 300][-1]
    taken = api("owner", "POST", f"/users/me/handle/{token}").status < 300
    return {
        "handles.reserve-again": "renewed" if made[1].status < 300 else "refused",
        "handles.reservation-bearer": "anybody" if taken else "maker",
    }


@derives("channels.deletion")
def deletion(api: Api) -> str:
    api.present(api.users["user"])
    return "ends" if api("owner", "DELETE", f"/channels/{api.channel}").status < 300 else "refuse"


@derives("initial.max-users", "initial.audio-quality", "initial.lobby-open", "channels.url-name")
def new_channel(api: Api) -> dict[str, Any]:
    made = api.ok("owner", "POST", "/channels/create", {"name": "Studio"}).json["channelUuid"]
    told = api.ok("owner", "GET", f"/channels/{made}").json
    api.ok("owner", "POST", f"/channels/{made}/rename?name=Atelier")
    now = api.ok("owner", "GET", f"/channels/{made}").json["urlName"]
    return {
        "initial.max-users": told["maxUsers"],
        "initial.audio-quality": told["audioQuality"],
        "initial.lobby-open": told["isOpen"],
        "channels.url-name": "stable" if now == told["urlName"] else "name",
    }


@derives("clients.names")
def client_names(api: Api) -> str | None:
    made = [api("partner-admin", "POST", "/clients/create", {"name": "Sub"}).status < 300 for _ in range(2)]
    if made[1]:
        return "allow"
    elsewhere = api(api.seeded["rootAdminToken"], "POST", "/clients/create", {"name": "Sub"}).status < 300
    return None if elsewhere else "refuse"


@derives("turn.life", "turn.uris", "turn.credentials")
def turn(api: Api) -> dict[str, Any]:
    told = [api.ok("user", "GET", f"/channels/{api.channel}/turn/credentials").json for _ in range(2)]
    fresh = told[0]["password"] != told[1]["password"]
    return {
        "turn.life": told[0]["ttl"],
        "turn.uris": told[0]["uris"],
        "turn.credentials": "fresh" if fresh else "constant",
    }


@derives("events.empty-update", "events.schemes")
def events(api: Api) -> dict[str, Any]:
    path = f"/events/endpoints/{api.seeded['eventsEndpoints'][0]}"
    empty = api("customer-admin", "POST", path, {}).status < 300
    plain = api("customer-admin", "POST", path, {"url": "http://hook.example"}).status < 300
    return {
        "events.empty-update": "ignore" if empty else "refuse",
        "events.schemes": "http-and-https" if plain else "https",
    }


@derives("units.token-expires", "units.promulgated", "units.api-token-expires")
def units(api: Api) -> dict[str, Any]:
    token = api.ok(None, "POST", f"/clients/{api.client_id}/users/guest/{api.channel}", {"handle": "Visitor"}).json
    terms = api.ok(None, "GET", f"/clients/{api.client_id}/terms").json
    made = api.ok("customer-admin", "POST", "/api_tokens", {"label": "New"}).json.get("expiresAt")
    found = {"units.token-expires": form_of(token["expires"]), "units.promulgated": form_of(terms["promulgated"])}
    return found if made is None else {**found, "units.api-token-expires": form_of(made)}


@derives("linked-users.same-handle")
def linked(api: Api) -> str:
    path = f"/channels/{api.channel}/linked/users/new"
    made = [api("operator", "POST", path, {"handle": "Linked"}).status < 300 for _ in range(2)]
    return "allow" if made[1] else "refuse"


@derives("route.prefix", "route.wrong-method", "route.trailing-slash", "route.case")
def routes(api: Api) -> dict[str, Any]:
    def status(method: str, path: str) -> int:
        return api.web.open(api.style.base_path + path, method=method, headers=api.headers("user")).status_code

    return {
        "route.prefix": api.style.base_path if status("GET", "/users/me") == 200 else None,
        "route.wrong-method": str(status("PUT", "/users/me")),
        "route.trailing-slash": "same" if status("GET", "/users/me/") == 200 else "404",
        "route.case": "ignore" if status("GET", "/Users/me") == 200 else "exact",
    }


@derives("roles.operator-again", "roles.remove-operator-on-owner", "roles.owner-is-operator")
def roles(api: Api) -> dict[str, Any]:
    base = f"/channels/{api.channel}/operators"
    again = api("owner", "POST", f"{base}/{api.users['operator']}").status < 300
    api.app.service.db.begin()
    for role in api.app.service.db.roles.find(channel_id=api.channel):
        role.owner = True  # two owners, so that none is the last
        api.app.service.db.roles.put(role)
    api.app.service.db.commit()
    taken = api("owner", "DELETE", f"{base}/{api.users['operator']}").status < 300
    left = [item["id"] for item in api.ok("owner", "GET", base).json]
    removed = None if api.users["operator"] in left else "take"
    return {
        "roles.operator-again": "succeed" if again else "refuse",
        "roles.remove-operator-on-owner": removed if taken else "refuse",
        "roles.owner-is-operator": api("owner", "GET", base).status == 200,
    }
