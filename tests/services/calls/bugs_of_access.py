"""Bugs of gates, objects, tenants, credentials and secrets."""

from __future__ import annotations

from services.calls.cases import shows
from services.calls.client import Api


def exchange(api: Api) -> str:
    return f"/clients/{api.client_id}/users/exchange"


def petra(api: Api, **more: str) -> int:
    given = {"name": "Petra", "email": "petra@example.com", **more}
    return int(api.ok("customer-admin", "POST", "/users/predefined", given).json["id"])


def second_channel(api: Api, who: str = "user") -> str:
    return str(api.ok(who, "POST", "/channels/create", {"name": "Second"}).json["channelUuid"])


@shows("wall-without-gate")
def wall(api: Api) -> None:
    api.fails("forbidden", "user", "POST", f"/channels/{api.channel}/settings/wall/disable")


@shows("operator-removal-without-gate")
def operator_removal(api: Api) -> None:
    api.fails("forbidden", "user", "DELETE", f"/channels/{api.channel}/operators/{api.users['operator']}")


@shows("rename-without-host")
def rename(api: Api) -> None:
    path = f"/channels/{api.channel}/users/{api.users['guest']}/rename"
    api.fails("forbidden", "user", "POST", path, {"handle": "Fool"})


@shows("config-written-by-reader")
def config_written(api: Api) -> None:
    api.fails("forbidden", "user", "POST", f"/channels/{api.channel}/config", {"extra": 1})


@shows("origin-for-everybody")
def origin(api: Api) -> None:
    petra(api, originId="o-1")
    api.fails("api_token_only", "customer-admin", "GET", "/users/predefined/o-1")


@shows("any-level-granted")
def any_level(api: Api) -> None:
    level = api.style.users.levels["partner-admin"][0]
    api.fails("level_denied", "customer-admin", "POST", f"/acl/{api.users['customer-admin']}/level/{level}")


@shows("property-deleted-by-reader")
def property_deleted(api: Api) -> None:
    path = f"/channels/{api.channel}/properties/agenda"
    api.ok("owner", "POST", path, 1)
    api.fails("forbidden", "user", "DELETE", path)


@shows("disabled-parent-ignored")
def disabled_parent(api: Api) -> None:
    api.ok(api.seeded["rootAdminToken"], "POST", f"/clients/{api.seeded['partnerClient']}/service/disable")
    api.fails("service_disabled", "owner", "POST", "/channels/create", {"name": "No"})


@shows("terms-asked-once")
def terms_asked(api: Api) -> None:
    api.ok("customer-admin", "POST", "/terms/new", {"url": "https://child.example/terms"})
    api.fails("terms_pending", "user", "GET", "/settings")


@shows("closed-lobby-lets-in", "c")
def closed_lobby(api: Api) -> None:
    base = f"/channels/{api.channel}"
    api.ok("owner", "POST", f"{base}/settings/lobby/door/close")
    api("user", "GET", f"{base}/proxyfor")
    api.advance(2)
    assert api.ok("user", "GET", f"{base}/proxyfor").json["mode"] == "waiting"


@shows("friendly-found-when-off")
def friendly_off(api: Api) -> None:
    api.ok("owner", "POST", f"/channels/{api.channel}/friendly/url", {"url": "hall"})
    api.ok("customer-admin", "POST", "/settings/friendly/urls/disable")
    api.fails("not_found", None, "GET", f"/clients/{api.client_id}/find/channel?url=hall")


@shows("owner-of-any-channel")
def any_channel(api: Api) -> None:
    second_channel(api)
    api.fails("forbidden", "user", "POST", f"/channels/{api.channel}/settings/midi/enable")


@shows("speech2text-by-owner")
def speech2text(api: Api) -> None:
    api.fails("forbidden", "owner", "POST", f"/channels/{api.channel}/settings/speech2text/enable")


@shows("room-of-any-breakout")
def room_of_any(api: Api) -> None:
    one, two = api.breakout(), api.breakout()
    room = api.room(one)
    path = f"/channels/{api.channel}/breakout/sessions/{two}/rooms/{room}"
    api.fails("not_found", "owner", "POST", path, {"name": "Mine"})


@shows("breakout-of-any-channel")
def breakout_of_any(api: Api) -> None:
    key, other = api.breakout(), second_channel(api)
    api.ok("user", "POST", f"/channels/{other}/settings/event/room/enable")
    api.fails("not_found", "user", "DELETE", f"/channels/{other}/breakout/sessions/{key}")


@shows("session-of-any-channel")
def session_of_any(api: Api) -> None:
    other = second_channel(api)
    api.present(api.users["owner"])
    live = api.ok("owner", "GET", "/sessions").json["results"][0]["id"]
    api.fails("not_found", "user", "DELETE", f"/channels/{other}/session/{live}")


@shows("any-session-id-ends-active", "b")
def any_session_id(api: Api) -> None:
    api.present(api.users["owner"])
    api.ok("owner", "DELETE", f"/channels/{api.channel}/session/{api.seeded['session']}")
    assert any(s.get("ended") is None for s in api.ok("owner", "GET", "/sessions").json["results"])


@shows("for-client-any-parent")
def for_client(api: Api) -> None:
    api.fails("for_client_foreign", "partner-admin", "GET", f"/users?for_client={api.seeded['otherChild']}")


@shows("service-of-any-child")
def service_of_any(api: Api) -> None:
    api.fails("foreign", "partner-admin", "POST", f"/clients/{api.seeded['otherChild']}/service/disable")


@shows("rename-anywhere")
def rename_anywhere(api: Api) -> None:
    other = second_channel(api)
    path = f"/channels/{other}/users/{api.users['guest']}/rename"
    api.fails("not_in_channel", "user", "POST", path, {"handle": "Fool"})


@shows("users-of-any-tenant")
def users_of_any(api: Api) -> None:
    assert api.ok("user", "GET", f"/users/multiple/{api.users['other-admin']}").json == []


@shows("media-of-any-tenant")
def media_of_any(api: Api) -> None:
    api.fails("foreign", "customer-admin", "GET", f"/media/{api.seeded['otherMedia']}")


@shows("endpoint-of-any-tenant")
def endpoint_of_any(api: Api) -> None:
    path = f"/events/endpoints/{api.seeded['otherEndpoint']}"
    api.fails("foreign", "customer-admin", "POST", path, {"active": False})


@shows("validator-any-tenant")
def validator_of_any(api: Api) -> None:
    key = api.ok("other-admin", "GET", "/validators").json[1]["validatorId"]
    api.fails("foreign", "customer-admin", "POST", f"/validators/{key}/enable")


@shows("recordings-of-any-tenant")
def recordings_of_any(api: Api) -> None:
    api.fails("foreign", "owner", "GET", f"/sessions/{api.seeded['otherSession']}/recordings")


@shows("guest-of-any-tenant")
def guest_of_any(api: Api) -> None:
    path = f"/clients/{api.client_id}/users/guest/{api.seeded['otherChannel']}"
    api.fails("not_found", None, "POST", path, {"handle": "Visitor"})


@shows("every-template-inherited")
def every_template(api: Api) -> None:
    names = [t["name"] for t in api.ok("customer-admin", "GET", "/templates").json["results"]]
    assert "Partner only" not in names


@shows("inherited-template-written")
def inherited_template(api: Api) -> None:
    key = api.ok("owner", "GET", f"/channels/{api.channel}/template").json["id"]
    api.fails("template_inherited", "customer-admin", "POST", f"/templates/{key}/config", {"extra": 1})


@shows("old-api-token-lives")
def old_api_token(api: Api) -> None:
    made = api.ok("customer-admin", "POST", "/api_tokens", {}).json
    api.ok("customer-admin", "POST", f"/api_tokens/{made['id']}/regenerate")
    api.fails("bad_token", "api:" + made["token"], "GET", "/settings")


@shows("deleted-api-token-lives")
def deleted_api_token(api: Api) -> None:
    made = api.ok("customer-admin", "POST", "/api_tokens", {}).json
    api.ok("api:" + made["token"], "GET", "/settings")
    api.ok("customer-admin", "DELETE", f"/api_tokens/{made['id']}")
    api.fails("bad_token", "api:" + made["token"], "GET", "/settings")


@shows("old-invitation-lives")
def old_invitation(api: Api) -> None:
    path = f"/users/{petra(api)}/invitation"
    old = api.ok("customer-admin", "POST", path).json["code"]
    api.ok("customer-admin", "POST", path)
    api.fails("bad_identity", None, "POST", exchange(api), {"idToken": old})


@shows("expired-invitation-shown")
def expired_invitation(api: Api) -> None:
    path = f"/users/{petra(api)}/invitation"
    api.ok("customer-admin", "POST", f"{path}?ttl=1m")
    api.advance(60)
    api.fails("no_invitation", "customer-admin", "GET", path)


@shows("reservation-used-twice")
def reservation_twice(api: Api) -> None:
    token = api.ok("user", "POST", "/users/handle/reserve", {"handle": "Nova"}).json["reservationToken"]
    api.ok("user", "POST", f"/users/me/handle/{token}")
    token_again = api.ok("user", "POST", "/users/handle/reserve", {"handle": "Vega"}).json["reservationToken"]
    api.ok("user", "POST", f"/users/me/handle/{token_again}")
    api.fails("reservation_unknown", "user", "POST", f"/users/me/handle/{token}")


@shows("old-reservation-lives")
def old_reservation(api: Api) -> None:
    token = api.ok("user", "POST", "/users/handle/reserve", {"handle": "Nova"}).json["reservationToken"]
    api.ok("user", "POST", "/users/handle/reserve", {"handle": "Nova"})
    api.fails("reservation_unknown", "user", "POST", f"/users/me/handle/{token}")


@shows("guest-token-never-expires")
def guest_forever(api: Api) -> None:
    _, token = api.guest()
    api.advance(24 * 3600)
    api.fails("expired_token", token, "GET", "/users/me")


@shows("api-tokens-unmasked")
def unmasked(api: Api) -> None:
    assert api.app.tokens["api-token"] not in api.ok("customer-admin", "GET", "/api_tokens").raw


@shows("validator-secret-shown")
def validator_secret(api: Api) -> None:
    assert "secret-1" not in api.ok("customer-admin", "GET", "/validators").raw


@shows("invitation-code-listed")
def invitation_listed(api: Api) -> None:
    number = petra(api)
    level = api.style.users.levels["reporter"][0]
    api.ok("customer-admin", "POST", f"/acl/{number}/level/{level}")
    code = api.ok("customer-admin", "POST", f"/users/{number}/invitation").json["code"]
    assert code not in api.ok("owner", "GET", "/users").raw


@shows("media-always-public")
def media_public(api: Api) -> None:
    key = api.ok("customer-admin", "POST", "/media?name=plan&read=private", data=b"1").json["id"]
    assert api.ok("customer-admin", "GET", f"/media/{key}").json["publicRead"] is False
