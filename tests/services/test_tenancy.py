"""What belongs to one client is not there for another."""

from __future__ import annotations

import pytest

from services.calls.client import Api


def test_channels(api: Api) -> None:
    """No operation reaches a channel of another client."""
    base, user = f"/channels/{api.channel}", api.users["user"]
    for method, path in (
        ("GET", base),
        ("DELETE", base),
        ("POST", f"{base}/rename?name=Taken"),
        ("GET", f"{base}/settings"),
        ("GET", f"{base}/operators"),
        ("POST", f"{base}/operators/{user}"),
        ("GET", f"{base}/properties"),
        ("GET", f"{base}/config"),
        ("GET", f"{base}/template"),
        ("GET", f"{base}/media"),
        ("GET", f"{base}/participants"),
        ("GET", f"{base}/proxyfor"),
        ("GET", f"{base}/client"),
        ("GET", f"{base}/breakout/sessions"),
        ("GET", f"{base}/linked/users"),
        ("DELETE", f"{base}/session"),
        ("POST", f"{base}/settings/lobby/door/close"),
    ):
        api.fails("foreign", "other-admin", method, path)
    api.fails("foreign", "partner-admin", "GET", base)
    assert [c["name"] for c in api.ok("other-admin", "GET", "/channels").json["results"]] == ["Other hall"]
    told = api.ok("other-admin", "GET", f"/channels/populations/{api.channel},{api.seeded['otherChannel']}").raw
    assert api.channel not in told


@pytest.mark.parametrize("path", ["levels", "level/{level}"])
def test_levels(api: Api, path: str) -> None:
    """Levels of users of another client are not reached."""
    number = api.ok("other-admin", "GET", "/acl/levels").json[0]["id"]
    method = "GET" if path == "levels" else "POST"
    api.fails("foreign", "other-admin", method, f"/acl/{api.users['user']}/{path.format(level=number)}")


def test_users(api: Api) -> None:
    """No operation reaches a user of another client."""
    user = api.users["user"]
    api.fails("foreign", "other-admin", "POST", f"/users/{user}/email", {"email": "x@example.com"})
    api.fails("foreign", "other-admin", "POST", f"/users/{user}/invitation")
    listed = api.ok("other-admin", "GET", "/users").json["results"]
    assert [item["handle"] for item in listed] == ["Otto"]
    told = api("owner", "GET", f"/users/multiple/{user},{api.users['other-admin']}")
    assert "Otto" not in told.raw
    api.ok("api-token", "POST", "/users/predefined", {"name": "Petra", "originId": "o-1", "email": "p@example.com"})
    token = api.ok("other-admin", "POST", "/api_tokens", {}).json["token"]
    api.fails("not_found", "api:" + token, "GET", "/users/predefined/o-1")


def test_items_of_a_client(api: Api) -> None:
    """API tokens, validators, templates, media and endpoints of another client are not reached."""
    made = api.ok("customer-admin", "POST", "/api_tokens", {}).json["id"]
    api.fails("foreign", "other-admin", "DELETE", f"/api_tokens/{made}")
    api.fails("foreign", "other-admin", "POST", f"/api_tokens/{made}/regenerate")
    assert api.ok("other-admin", "GET", "/api_tokens").json == []
    item = api.ok("customer-admin", "GET", "/media").json["results"][0]["id"]
    api.fails("foreign", "other-admin", "GET", f"/media/{item}")
    api.fails("foreign", "other-admin", "GET", f"/sessions/{api.seeded['session']}")
    key = next(iter(api.ok("customer-admin", "GET", "/validators").items[0].values()))
    api.fails("foreign", "other-admin", "POST", f"/validators/{key}/disable")
    endpoint = api.seeded["eventsEndpoints"][0]
    api.fails("foreign", "other-admin", "POST", f"/events/endpoints/{endpoint}", {"active": False})
    for template in api.ok("customer-admin", "GET", "/templates").json["results"]:
        api.fails("foreign", "other-admin", "GET", f"/templates/{template['id']}")


def test_clients(api: Api) -> None:
    """Clients that are not below the caller are not reached."""
    for method, path, body in (
        ("GET", f"/clients/{api.client_id}", ...),
        ("GET", f"/clients/{api.client_id}/origins", ...),
        ("POST", f"/clients/{api.client_id}/origins", ["https://a.example"]),
        ("POST", f"/clients/{api.client_id}/domains", ["a.example"]),
    ):
        api.fails("foreign", "other-admin", method, path, body)
    api.fails("foreign", "partner-admin", "POST", f"/clients/{api.seeded['otherChild']}/service/disable")


def test_inherited_templates_are_read_only(api: Api) -> None:
    """A child client reads an inherited template and cannot change it."""
    listed = api.ok("customer-admin", "GET", "/templates").json["results"]
    house = next(item for item in listed if item["inherited"])
    api.fails("template_inherited", "customer-admin", "POST", f"/templates/{house['id']}/config", {"extra": 1})
    assert "Partner only" not in {item["name"] for item in listed}


def test_public_media(api: Api) -> None:
    """Public media are read without a token where the style says so."""
    for pool, who in (("/media", "customer-admin"), (f"/channels/{api.channel}/media", "owner")):
        keys = {}
        for read in ("public", "private"):
            path = f"{pool}?name={read}&read={read}"
            keys[read] = api.ok(who, "POST", path, data=b"123", content_type="image/png").json["id"]
        assert api.ok(who, "GET", f"{pool}/{keys['public']}").json["publicRead"] is True
        api.fails("no_token", None, "GET", f"{pool}/{keys['private']}")
        opened = api(None, "GET", f"{pool}/{keys['public']}")
        assert (opened.status == 200) == api.style.channels.media_public
        other = api("other-admin", "GET", f"{pool}/{keys['public']}")
        assert (other.status == 200) == api.style.channels.media_public
