"""The gates that the documents state, and those that every style has."""

from __future__ import annotations

import json

import pytest

from kit.each import by_name, each
from services.calls.client import Api
from services.conferencing import STYLES
from services.conferencing.context import ROUTES, Route
from services.conferencing.gates import DOCUMENTED

PUBLIC = {
    "client.providers",
    "client.terms",
    "friendly.available",
    "friendly.find",
    "user.exchange",
    "guest.create",
    "staging.clock",
    "staging.presence",
}


def test_what_needs_no_token() -> None:
    """Only the listed operations answer callers without a token."""
    assert {route.name for route in ROUTES if route.public} == PUBLIC


@each("route", [r for r in ROUTES if not r.public], ids=by_name)
def test_everything_else_needs_one(shared: Api, route: Route) -> None:
    """Every other operation refuses a call without a token, and one with an unknown token."""
    path = route.path.replace("<", "").replace(">", "")
    shared.fails("no_token", None, route.method, path)
    shared.fails("bad_token", "nobody", route.method, path)


@pytest.fixture
def shared() -> Api:
    """One service for all calls of a test."""
    return Api("b")


def test_styles_have_the_same_open_gates() -> None:
    """The styles decide the same gates, and none that the documents state."""
    tables = [set(style.gates) for style in STYLES.values()]
    assert tables[0] == tables[1] == tables[2]
    assert not tables[0] & set(DOCUMENTED)


def test_styles_have_the_same_errors_and_reasons() -> None:
    """The styles have the same kinds of failures and the same reasons."""
    first, *others = STYLES.values()
    for style in others:
        assert set(style.errors.kinds) == set(first.errors.kinds)
        assert set(style.errors.reasons) == set(first.errors.reasons)


def calls(api: Api, who: str, kind: str, *listed: tuple[str, str]) -> None:
    """Make calls that all fail in the same way."""
    for method, path in listed:
        api.fails(
            kind, who, method, path, {"name": "x", "handle": "Someone", "label": "x"} if method == "POST" else ...
        )


def test_operators_only(api: Api) -> None:
    """Operations for operators refuse users and Customer Admins who are not operators."""
    base, guest = f"/channels/{api.channel}", api.users["guest"]
    for who in ("user", "customer-admin"):
        calls(
            api,
            who,
            "forbidden",
            ("POST", f"{base}/operators/{api.users['user']}"),
            ("DELETE", f"{base}/operators/{api.users['operator']}"),
            ("GET", f"{base}/operators"),
            ("POST", f"{base}/settings/attendees/mute"),
            ("POST", f"{base}/users/{guest}/rename"),
            ("POST", f"{base}/properties/key"),
            ("DELETE", f"{base}/properties/key"),
        )


def test_owners_only(api: Api) -> None:
    """Operations for owners refuse operators, users, Customer Admins and guests."""
    base = f"/channels/{api.channel}/settings"
    for who in ("operator", "user", "customer-admin", "guest"):
        calls(api, who, "forbidden", ("POST", f"{base}/midi/enable"), ("POST", f"{base}/event/room/enable"))


def test_customer_admins_only(api: Api) -> None:
    """Operations for Customer Admins refuse everybody else of the client."""
    for who in ("owner", "operator", "user", "guest"):
        calls(
            api,
            who,
            "forbidden",
            ("POST", f"/channels/{api.channel}/settings/speech2text/enable"),
            ("POST", "/api_tokens"),
            ("GET", "/api_tokens"),
            ("POST", "/users/predefined"),
            ("GET", "/validators"),
            ("POST", "/terms/new"),
            ("POST", "/settings/friendly/urls/disable"),
            ("POST", f"/events/endpoints/{api.seeded['eventsEndpoints'][0]}"),
        )


def test_partner_admins_only(api: Api) -> None:
    """Operations for Partner Admins refuse Customer Admins and others."""
    for who in ("customer-admin", "owner", "guest", "api-token"):
        calls(
            api,
            who,
            "forbidden",
            ("POST", "/clients/create"),
            ("POST", f"/clients/{api.client_id}/service/disable"),
            ("GET", f"/users/{api.users['user']}"),
        )
        api.fails("for_client_denied", who, "GET", f"/users?for_client={api.seeded['siblingClient']}")


def test_for_client(api: Api) -> None:
    """for_client acts on a child client, and is refused to all but its Partner Admins."""
    names = {u["handle"] for u in api.ok("partner-admin", "GET", f"/users?for_client={api.client_id}").json["results"]}
    assert {"Carla", "Olga"} <= names
    assert "Paula" not in names
    api.fails("for_client_foreign", "partner-admin", "GET", f"/users?for_client={api.seeded['otherChild']}")
    api.fails("for_client_unknown", "partner-admin", "GET", "/users?for_client=nobody")
    grandchild = api(api.seeded["rootAdminToken"], "GET", f"/users?for_client={api.client_id}")
    assert (grandchild.status == 200) == (api.style.auth.for_client_depth == "descendant")
    own = api("partner-admin", "GET", f"/users?for_client={api.seeded['partnerClient']}")
    assert (own.status == 200) == api.style.auth.for_client_own


def test_api_token_only(api: Api) -> None:
    """Operations that only API tokens may call refuse users."""
    for who in ("customer-admin", "partner-admin", "owner"):
        api.fails("api_token_only", who, "GET", "/users/predefined/origin-1")
    api.fails("not_found", "api-token", "GET", "/users/predefined/origin-1")


def test_disabled_client(api: Api) -> None:
    """A disabled client refuses calls, but still shows what is public."""
    api.ok("partner-admin", "POST", f"/clients/{api.client_id}/service/disable")
    assert api.ok("partner-admin", "GET", f"/clients/{api.client_id}").json["disabled"] is True
    for who, method, path in (
        ("owner", "POST", "/channels/create"),
        ("api-token", "POST", "/users/predefined"),
        ("owner", "POST", f"/channels/{api.channel}/settings/wall/disable"),
    ):
        answer = api(who, method, path, {"name": "x"})
        assert answer.status == 403, answer
    assert api(None, "POST", f"/clients/{api.client_id}/users/guest/{api.channel}", {"handle": "Gigi"}).status == 403
    everything = api.style.auth.disabled_refuses == "all"
    assert api("owner", "GET", f"/channels/{api.channel}").status == (403 if everything else 200)
    api.fails("service_disabled", "owner", "GET", f"/channels/{api.channel}/proxyfor")
    api.ok("partner-admin", "POST", f"/clients/{api.client_id}/service/enable")
    api.ok("owner", "POST", "/channels/create", {"name": "Again"})


def test_terms_bind_everybody(api: Api) -> None:
    """New terms must be accepted before other calls go on."""
    api.ok("customer-admin", "POST", "/terms/new", {"url": "https://child.example/terms-2"})
    for who in ("customer-admin", "owner", "user"):
        api.fails("terms_pending", who, "GET", "/settings")
    api.ok("api-token", "GET", "/settings")
    guests_too = api.style.auth.terms_apply_to_guests == "always"
    assert (api("guest", "GET", "/settings").status != 200) == guests_too
    api.fails("wrong_terms", "user", "POST", "/users/me/terms/1")
    api.ok("user", "POST", "/users/me/terms/2")
    api.ok("user", "GET", "/settings")


def test_one_validator_is_active(api: Api) -> None:
    """Enabling a validator disables the active one."""
    key, flag = ("id", "enabled") if "id" in api.style.users.validator_item else ("validatorId", "active")
    items = api.ok("customer-admin", "GET", "/validators").items
    assert [item[flag] for item in items] == [True, False, False]
    assert "secret" not in json.dumps(items)
    api.ok("customer-admin", "POST", f"/validators/{items[2][key]}/enable")
    told = api.ok("customer-admin", "GET", "/validators").items
    assert [item[flag] for item in told] == [False, False, True]
    claim = {api.style.auth.origin_claim: "x"}
    path = f"/clients/{api.client_id}/users/exchange"
    api.fails("bad_identity", None, "POST", path, {"idToken": api.jwt(**claim)})
    api.ok("customer-admin", "POST", f"/validators/{items[2][key]}/disable")
    api.fails("no_validator", None, "POST", path, {"idToken": api.jwt("secret-3", **claim)})


def test_list_of_sessions_is_for_operators(api: Api) -> None:
    """The list of sessions shows the channels of which the caller is an operator."""
    assert api.ok("user", "GET", "/sessions").json["total"] == 0
    assert api.ok("customer-admin", "GET", "/sessions").json["total"] == 0
    assert api.ok("operator", "GET", "/sessions").json["total"] == 2
