"""What happens by itself happens at its instant."""

from __future__ import annotations

import math

from services.calls.client import Api


def test_reservation_lasts_fifteen_minutes(api: Api) -> None:
    """A reserved handle is free again after fifteen minutes."""
    token = api.ok("user", "POST", "/users/handle/reserve", {"handle": "Nova"}).json["reservationToken"]
    api.advance(15 * 60 - 5)
    assert api.ok("owner", "GET", "/users/handle/unique?handle=Nova").json["unique"] is False
    api.fails("handle_taken", "owner", "POST", "/users/handle/reserve", {"handle": "Nova"})
    api.advance(5)
    assert api.ok("owner", "GET", "/users/handle/unique?handle=Nova").json["unique"] is True
    api.fails("reservation_expired", "user", "POST", f"/users/me/handle/{token}")
    api.ok("owner", "POST", "/users/handle/reserve", {"handle": "Nova"})


def test_guest_token_expires(api: Api) -> None:
    """The token of a guest expires."""
    _, token = api.guest("Visitor")
    api.advance(api.style.auth.guest_ttl // 1000 - 5)
    api.ok(token, "GET", "/users/me")
    api.advance(5)
    api.fails("expired_token", token, "GET", "/users/me")


def test_api_token_expires(api: Api) -> None:
    """An API token with a ttl expires."""
    made = api.ok("customer-admin", "POST", "/api_tokens", {"label": "Short"}).json
    life = api.style.auth.api_token_ttl
    if life is None:
        assert made.get("expiresAt") is None
        return
    api.advance(life // 1000)
    api.fails("expired_token", "api:" + made["token"], "GET", "/settings")


def test_invitation_expires(api: Api) -> None:
    """An invitation expires."""
    given = {"name": "Petra", "email": "petra@example.com"}
    number = api.ok("customer-admin", "POST", "/users/predefined", given).json["id"]
    path = f"/users/{number}/invitation"
    api.fails("no_invitation", "customer-admin", "GET", path)
    first = api.ok("customer-admin", "POST", f"{path}?ttl=2h").json["code"]
    second = api.ok("customer-admin", "POST", f"{path}?ttl=2h").json["code"]
    assert first != second
    exchange = f"/clients/{api.client_id}/users/exchange"
    if api.style.auth.invitation_kind == "Persistent":
        api.ok(None, "POST", exchange, {"idToken": second})
        api.fails("bad_identity", None, "POST", exchange, {"idToken": first})
    api.advance(7200)
    api.fails("no_invitation", "customer-admin", "GET", path)
    api.fails("bad_identity", None, "POST", exchange, {"idToken": second})


def test_breakout_ends_when_its_duration_is_over(api: Api) -> None:
    """A breakout session ends at the end of its duration."""
    base, user = f"/channels/{api.channel}", api.users["user"]
    key = api.breakout(duration=600_000)
    room = api.room(key)
    api.ok("owner", "POST", f"{base}/breakout/sessions/{key}/rooms/{room}/participants/{user}")
    api.present(user)
    api.present(api.users["owner"])
    api.ok("owner", "POST", f"{base}/breakout/session/start")
    api.fails("breakout_running", "owner", "POST", f"{base}/breakout/session/start")
    told = api.ok("owner", "GET", f"{base}/breakout/sessions/{key}/rooms").json[0]
    within = api.ok("owner", "GET", f"/sessions/{told['sessionId']}").json
    assert within.get("ended") is None
    assert within["parentId"] is not None
    api.advance(595)
    assert api.ok("owner", "GET", f"{base}/breakout/sessions").json[0]["isActive"] is True
    started = api.ok("owner", "GET", f"{base}/breakout/sessions").json[0]["started"]
    api.advance(3600)
    told = api.ok("owner", "GET", f"{base}/breakout/sessions").json[0]
    assert (told["isActive"], told["isCompleted"]) == (False, True)
    ended = api.ok("owner", "GET", f"/sessions/{within['id']}").json["ended"]
    due = started + 600_000
    assert ended == (due if api.style.times.session == "ms" else math.floor(due / 1000))
    people = api.ok("owner", "GET", f"{base}/participants").json["results"]
    assert people[0]["id"] == user
    assert "2" in api.ok("owner", "GET", f"/channels/populations/{api.channel}").raw.replace(api.channel, "")


def test_door_closes_when_the_channel_becomes_empty(api: Api) -> None:
    """A door that closes by itself does so when the last person leaves."""
    base = f"/channels/{api.channel}"
    api.ok("operator", "POST", f"{base}/settings/lobby/door/auto-close/enable")
    api.ok("operator", "POST", f"{base}/settings/lobby/door/open")
    api.present(api.users["user"])
    api.present(api.users["owner"])
    api.present(api.users["user"], there=False)
    assert api.ok("owner", "GET", base).json["isOpen"] is True
    api.present(api.users["owner"], there=False)
    assert api.ok("owner", "GET", base).json["isOpen"] is False
    rule = api.style.channels.closed_lobby
    if rule == "fail":
        api.fails("lobby_closed", "user", "GET", f"{base}/proxyfor")
    else:
        api("user", "GET", f"{base}/proxyfor")
        api.advance(5)
        assert api.ok("user", "GET", f"{base}/proxyfor").json["mode"] == rule


def test_linked_users_go_with_their_channel(api: Api) -> None:
    """Users linked to a channel are removed with it."""
    key = api.ok("owner", "POST", "/channels/create", {"name": "Studio"}).json["channelUuid"]
    number = api.ok("owner", "POST", f"/channels/{key}/linked/users/new", {"handle": "Linked one"}).json["id"]
    made = api.ok("owner", "GET", f"/users/{number}/invitation")
    assert (made.status, made.json["userId"]) == (200, number) if api.style.gates["invitation.get"] else True
    api.ok("owner", "DELETE", f"/channels/{key}")
    api.fails("not_found", "customer-admin", "GET", f"/users/{number}/auth")


def test_channel_is_created_on_a_server(api: Api) -> None:
    """Where channels take time to be placed, the first caller is told so."""
    api.ok("owner", "POST", f"/channels/{api.channel}/settings/lobby/door/open")
    path, wait = f"/channels/{api.channel}/proxyfor", api.style.channels.placing_ms
    if wait:
        assert api("user", "GET", path).status == 409
        api.advance(wait // 1000)
    assert api("user", "GET", path).status == 200


def test_a_shortened_breakout_ends_at_once(api: Api) -> None:
    """A running breakout session whose new duration is over ends at once."""
    if api.style.channels.change_running != "extends":
        return
    base, user = f"/channels/{api.channel}", api.users["user"]
    key = api.breakout(duration=600_000)
    room = api.room(key)
    api.ok("owner", "POST", f"{base}/breakout/sessions/{key}/rooms/{room}/participants/{user}")
    api.present(user)
    api.ok("owner", "POST", f"{base}/breakout/session/start")
    session = api.ok("owner", "GET", f"{base}/breakout/sessions/{key}/rooms").json[0]["sessionId"]
    api.advance(300)
    api.ok("owner", "POST", f"{base}/breakout/sessions/{key}", {"duration": 60_000})
    assert api.ok("owner", "GET", f"{base}/breakout/sessions").json[0]["isCompleted"] is True
    ended = api.ok("owner", "GET", f"/sessions/{session}").json["ended"]
    assert abs(ended - api.app.service.clock.now()) < 3000


def test_a_breakout_ends_with_its_event_room(api: Api) -> None:
    """A running breakout session ends when its event room is switched off."""
    base, user = f"/channels/{api.channel}", api.users["user"]
    key = api.breakout()
    room = api.room(key)
    api.ok("owner", "POST", f"{base}/breakout/sessions/{key}/rooms/{room}/participants/{user}")
    api.present(user)
    api.ok("owner", "POST", f"{base}/breakout/session/start")
    api.ok("owner", "DELETE", f"{base}/session")
    told = api.ok("owner", "GET", f"{base}/breakout/sessions").json[0]
    assert (told["isActive"], told["isCompleted"]) == (False, True)
    live = [s for s in api.ok("owner", "GET", "/sessions").json["results"] if s.get("ended") is None]
    assert live == []
