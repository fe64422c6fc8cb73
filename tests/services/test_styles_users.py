"""Each style behaves as its fields say: users, roles, levels, clients, terms and tokens."""

from __future__ import annotations

from services.calls.client import Api, done, either


def predefined(api: Api, name: str = "Petra", **more: str) -> int:
    """The number of a new predefined user."""
    given = {"name": name, "email": f"{name.lower()}@example.com", **more}
    return int(api.ok("customer-admin", "POST", "/users/predefined", given).json["id"])


def test_exchange(api: Api) -> None:
    """An identity token is exchanged for a token, and checked as the style says."""
    auth, path = api.style.auth, f"/clients/{api.client_id}/users/exchange"
    claims = {auth.origin_claim: "o-1", auth.name_claim: "Nora Nord", auth.picture_claim: "https://example.com/n.png"}
    answer = api(None, "POST", path, {"idToken": api.jwt(**claims)})
    if auth.exchange_creates:
        token = answer.json["token"]
        told = api.ok(token, "GET", "/users/me").json
        assert (told["handle"], told["imageUrl"]) == ("Nora Nord", "https://example.com/n.png")
        assert told["authKind"] == api.style.users.auth_kinds["Custom"]
        api.fails("terms_pending", token, "GET", "/settings")
        api.ok(token, "POST", "/users/me/terms/1")
        api.ok(token, "GET", "/settings")
        again = api.ok(None, "POST", path, {"idToken": api.jwt(**claims | {auth.name_claim: "Nora N."})}).json["token"]
        renamed = api.ok(again, "GET", "/users/me").json
        assert (renamed["id"], renamed["fullName"], renamed["handle"]) == (told["id"], "Nora N.", "Nora Nord")
    else:
        api.fails("unknown_identity", None, "POST", path, {"idToken": api.jwt(**claims)})
        predefined(api, originId="O-1")
        token = api.ok(None, "POST", path, {"idToken": api.jwt(**claims)}).json["token"]
        api.fails("terms_pending", token, "GET", "/users/me")
    api.fails("bad_identity", None, "POST", path, {"idToken": api.jwt("secret-2", **claims)})
    api.fails("bad_identity", None, "POST", path, {"idToken": "abc"})
    api.fails("bad_identity", None, "POST", path, {"idToken": api.jwt(**claims, aud="another")})
    api.fails("bad_identity", None, "POST", path, {"idToken": api.jwt(**claims | {"exp": 1000})})
    api.fails("bad_identity", None, "POST", path, {"idToken": api.jwt(name="Nobody")})
    without = api(None, "POST", path, {"idToken": api.jwt(**claims | {"exp": None})})
    assert (without.status < 300) != auth.exchange_needs_exp


def test_origin_ids(api: Api) -> None:
    """A second user with an origin id is refused or is the first one."""
    number = predefined(api, originId="Origin")
    given = {"name": "Pia", "email": "pia@example.com", "originId": "Origin"}
    if api.style.users.origin_taken == "existing":
        assert api.ok("customer-admin", "POST", "/users/predefined", given).json == {"id": number}
    else:
        api.fails("origin_taken", "customer-admin", "POST", "/users/predefined", given)
    found = api("api-token", "GET", "/users/predefined/ORIGIN")
    either(found, api.style.text.origin_id_any_case, api, "not_found")
    without = api("customer-admin", "POST", "/users/predefined", {"name": "Paul"})
    assert (without.status < 300) != api.style.users.predefined_needs_email


def test_several_users(api: Api) -> None:
    """Several users are returned in the order of the style; unknown ids answer as it says."""
    rules, user = api.style.users, api.users["user"]
    answer = api("owner", "GET", f"/users/multiple/{user},999,{user}")
    either(answer, rules.multiple_unknown != "fail", api, "not_found")
    told = api.ok("owner", "GET", f"/users/multiple/{user}").json
    first = {"array": lambda: told[0], "map": lambda: told[str(user)], "paged": lambda: told["results"][0]}
    assert first[rules.multiple_shape]()["handle"] == "Uma"
    if rules.multiple_unknown == "null":
        assert answer.json["999"] is None
    if rules.multiple_unknown == "omit":
        assert len(answer.json) == 1
    many = ",".join([str(user)] * (rules.multiple_most + 1))
    api.fails("bad_path", "owner", "GET", f"/users/multiple/{many}")
    api.fails("bad_path", "owner", "GET", "/users/multiple/me")


def test_me_by_api_token(api: Api) -> None:
    """GET /users/me with an API token answers as the style says."""
    answer = api("api-token", "GET", "/users/me")
    either(answer, api.style.users.me_by_api_token == "service", api, "user_only")
    api.fails("user_only", "api-token", "GET", "/users/me/terms")


def test_levels(api: Api) -> None:
    """Levels are granted and removed by the roles of the style."""
    rules, user = api.style.users, api.users["user"]
    numbers = {name: number for name, (number, _) in rules.levels.items()}
    may = [item["id"] for item in api.ok("customer-admin", "GET", "/acl/levels").json]
    assert may == [numbers[n] for n in rules.levels if n in rules.grantable["customer-admin"]]
    path = f"/acl/{user}/level/{may[-1]}"
    done(api("customer-admin", "DELETE", path), rules.level_not_held == "ok", api, "level_not_held")
    api.ok("customer-admin", "POST", path)
    done(api("customer-admin", "POST", path), rules.level_held == "ok", api, "level_held")
    api.fails("level_unknown", "customer-admin", "POST", f"/acl/{user}/level/77")
    api.fails("level_denied", "customer-admin", "POST", f"/acl/{user}/level/{numbers['owner']}")
    api.ok("customer-admin", "DELETE", path)
    admin = f"/acl/{api.users['customer-admin']}/level/{numbers['customer-admin']}"
    last = api("partner-admin", "DELETE", f"{admin}?for_client={api.client_id}")
    done(last, rules.last_admin == "ok", api, "last_admin")


def test_list_of_users(api: Api) -> None:
    """The list of users has the people and the fields of the style."""
    rules = api.style.users
    told = api.ok("owner", "GET", "/users").json
    names = [item["handle"] for item in told["results"]]
    assert ("Uma" in names) == (rules.listed == "all")
    assert "Gustav" not in names
    assert names[0] == "Carla"
    assert told["results"][0]["levels"] == [
        {"id": rules.levels["customer-admin"][0], "name": rules.levels["customer-admin"][1]}
    ]
    owner = rules.levels["owner"][0]
    assert [u["handle"] for u in api.ok("owner", "GET", f"/users?levels={owner}").json["results"]] == ["Olga"]
    both = api.ok("owner", "GET", f"/users?levels={owner},{rules.levels['operator'][0]}&sort=handle&order=asc").json
    assert [u["handle"] for u in both["results"]] == ["Olga", "Oscar"]
    api.fails("bad_query", "owner", "GET", "/users?levels=77")
    low = [u["handle"] for u in api.ok("owner", "GET", "/users?sort=level&order=asc").json["results"]]
    assert low[-1] == "Carla"
    api.fails("forbidden", "user", "GET", "/users")


def test_invitation_expiry_in_the_list(api: Api) -> None:
    """The expiry of an invitation is in the list where the style shows it."""
    number = predefined(api)
    rules = api.style.users
    level = rules.levels[rules.grantable["customer-admin"][-1]][0]
    api.ok("customer-admin", "POST", f"/acl/{number}/level/{level}")
    api.ok("customer-admin", "POST", f"/users/{number}/invitation?ttl=1h")
    told = next(u for u in api.ok("owner", "GET", "/users").json["results"] if u["id"] == number)
    assert told["kind"] == rules.kinds["predefined"]
    factor = {"ms": 1, "s": 1000}[api.style.times.list_invitation]
    assert abs(told["invitationExpiry"] * factor - api.app.service.clock.now() - 3_600_000) < 3000
    api.advance(3600)
    told = next(u for u in api.ok("owner", "GET", "/users").json["results"] if u["id"] == number)
    assert told.get("invitationExpiry") is None


def test_guest_handles(api: Api) -> None:
    """A guest with a taken handle is refused, renamed or accepted."""
    rules, path = api.style.users, f"/clients/{api.client_id}/users/guest/{api.channel}"
    answer = api(None, "POST", path, {"handle": "Olga"})
    assert (answer.status < 300) == (rules.unique_at_guest != "fail")
    if rules.unique_at_guest == "suffix":
        assert api.ok(answer.json["token"], "GET", "/users/me").json["handle"] == "Olga2"
    api.guest("Visitor")
    free = api.ok("user", "GET", "/users/handle/unique?handle=Visitor").json["unique"]
    assert free is not rules.guest_handles_count


def test_reservations(api: Api) -> None:
    """A handle is reserved, again and by others, as the style says."""
    rules, path = api.style.users, "/users/handle/reserve"
    first = api.ok("user", "POST", path, {"handle": "Nova"}).json["reservationToken"]
    api.fails("handle_taken", "owner", "POST", path, {"handle": "Nova"})
    again = api("user", "POST", path, {"handle": "Nova"})
    if rules.reserve_again == "fail":
        api.fails("handle_taken", "user", "POST", path, {"handle": "Nova"})
        token = first
    else:
        token = again.json["reservationToken"]
        api.fails("reservation_unknown", "user", "POST", f"/users/me/handle/{first}")
    by_other = api("owner", "POST", f"/users/me/handle/{token}")
    done(by_other, rules.reservation_bound == "client", api, "reservation_unknown")
    api.fails("handle_taken", "user", "POST", path, {"handle": "Carla"})
    unneeded = api("other-admin", "POST", path, {"handle": "Carla"})
    assert (unneeded.status < 300) == (rules.reserve_unneeded == "ok")


def test_registered_handles(api: Api) -> None:
    """A registered user keeps or changes the handle."""
    assert api.ok("user", "POST", "/users/me/handle", {"handle": "Changed"}).status == 200
    assert api.ok("user", "GET", "/users/me").json["handle"] == "Uma"
    api.ok("other-admin", "POST", "/users/me/handle", {"handle": "Changed"})
    changed = api.ok("other-admin", "GET", "/users/me").json["handle"] == "Changed"
    assert changed == (api.style.users.handle_of_registered == "changes")


def test_images(api: Api) -> None:
    """Images of users are accepted by type and size as the style says."""
    rules, path = api.style.users, "/users/me/image"
    api.ok("user", "POST", path, data=b"1" * rules.image_most, content_type="image/png")
    api.fails("too_large", "user", "POST", path, data=b"1" * (rules.image_most + 1), content_type="image/png")
    api.fails("no_image", "user", "POST", path)
    api.fails("bad_type", "user", "POST", path, data=b"1", content_type="text/plain")
    for kind in rules.image_types:
        api.ok("user", "POST", path, data=b"1", content_type=kind)
    api.ok("user", "POST", f"{path}?url=https://example.com/first.png", data=b"1", content_type="image/png")
    assert api.ok("user", "GET", "/users/me").json["imageUrl"] == "https://example.com/first.png"
    plain = api("user", "POST", f"{path}?url=http://example.com/first.png")
    done(plain, "http" in rules.image_url_schemes, api, "bad_query")
    none = api.ok("owner", "GET", "/users/me").json.get("imageUrl")
    assert (none is None) == (rules.default_image is None)


def test_masks(api: Api) -> None:
    """The list of API tokens masks them as the style says."""
    token = api.app.tokens["api-token"]
    shown = api.ok("customer-admin", "GET", "/api_tokens").json[0]["token"]
    assert token not in shown
    assert shown == api.style.users.mask.format(first4=token[:4], last4=token[-4:], stars="*" * (len(token) - 4))


def test_properties(api: Api) -> None:
    """Properties of users are stored, read when absent, and removed as the style says."""
    rules, path = api.style.users, "/users/me/properties/colour"
    absent = api("user", "GET", path)
    if rules.property_absent == "fail":
        api.fails("not_found", "user", "GET", path)
    else:
        assert absent.status == (204 if rules.property_absent == "empty" else 200)
    for value in (1, "two", [3], {"four": None}, True, 0, ""):
        api.ok("user", "POST", path, value)
        assert api.ok("user", "GET", path).json == value
    api.ok("user", "POST", path, None)
    assert (api("user", "GET", path).raw == "null") == (
        rules.property_null == "stores" or rules.property_absent == "null"
    )
    gone = api("owner", "DELETE", f"/channels/{api.channel}/properties/nothing")
    done(gone, rules.property_delete_absent == "ok", api, "not_found")


def test_operators(api: Api) -> None:
    """Operators are made, removed and listed as the style says."""
    rules, path = api.style.users, f"/channels/{api.channel}/operators"
    done(api("owner", "POST", f"{path}/{api.users['operator']}"), rules.role_held == "ok", api, "role_held")
    done(api("owner", "DELETE", f"{path}/{api.users['user']}"), rules.role_not_held == "ok", api, "role_not_held")
    owner = api("operator", "DELETE", f"{path}/{api.users['owner']}")
    kind = "is_owner" if rules.owner_as_operator == "fail" else "last_owner"
    assert owner.status == api.style.errors.kinds[kind].status
    api.ok("owner", "POST", f"{path}/{api.users['guest']}")
    order = [item["handle"] for item in api.ok("owner", "GET", path).json]
    assert order == (["Gustav", "Olga", "Oscar"] if rules.role_order == "handle" else ["Olga", "Oscar", "Gustav"])


def test_languages(api: Api) -> None:
    """Languages are checked as the style says."""
    rules, path = api.style.users, "/users/me/languages"
    api.ok("user", "POST", path, {"languages": ["de", "en-gb", "fr", "de"]})
    told = api.ok("user", "GET", "/users/me").json["languages"]
    codes = ["de", "en-GB", "fr"]
    header = "de, en-GB, fr" if rules.language_quality == "none" else "de,en-GB;q=0.9,fr;q=0.8"
    assert (
        told
        == {
            "object": {"languages": codes, "acceptLanguage": header},
            "pair": {"ordered": codes, "header": header},
            "items": {
                "items": [{"code": code, "position": i + 1} for i, code in enumerate(codes)],
                "acceptLanguage": header,
            },
        }[rules.languages]
    )
    api.fails("invalid", "user", "POST", path, {"languages": ["german"]})
    api.fails("invalid", "user", "POST", path, {"languages": ["de"] * (rules.languages_most + 1)})
    done(api("user", "POST", path, {"languages": ["xx"]}), rules.language_codes is None, api, "invalid")
    api.ok("user", "POST", path, {"languages": []})
    assert api.ok("user", "GET", "/users/me").json.get("languages") is None


def test_providers(api: Api) -> None:
    """Authentication providers are chosen as the style says."""
    rules = api.style.users
    told = api.ok("user", "GET", "/users/me/auth").json["provider"]
    assert (told == "Google") == (rules.auth_provider == "string")
    done(api("customer-admin", "POST", "/providers/auth", []), rules.provider_empty == "ok", api, "invalid")
    api.fails("invalid", "customer-admin", "POST", "/providers/auth", ["Nobody"])
    name = rules.available_providers[1]
    api.ok("customer-admin", "POST", "/providers/auth", [name])
    default = api.ok(None, "GET", f"/clients/{api.client_id}/providers/auth").json.get("defaultProvider")
    assert default == (name if rules.default_provider == "first" else None)
    twice = api("customer-admin", "POST", "/providers/auth", [name, name])
    done(twice, api.style.channels.list_duplicates == "drop", api, "invalid")


def test_validators_and_terms_again(api: Api) -> None:
    """Repeating a switch of a validator, or an acceptance of terms, answers as the style says."""
    rules = api.style.users
    answer = api.ok("customer-admin", "GET", "/validators")
    assert isinstance(answer.json, dict) == (rules.validator_shape == "paged")
    assert set(answer.items[0]) == set(rules.validator_item)
    key = answer.items[0].get("validatorId") or answer.items[0]["id"]
    done(api("customer-admin", "POST", f"/validators/{key}/enable"), rules.validator_repeat == "ok", api, "already")
    done(api("user", "POST", "/users/me/terms/1"), rules.terms_again == "ok", api, "already")


def test_clients(api: Api) -> None:
    """Clients are created with the names and shown with the fields of the style."""
    rules = api.style.channels
    made = api.ok("partner-admin", "POST", "/clients/create", {"name": "New"}).json["id"]
    again = api("partner-admin", "POST", "/clients/create", {"name": "new"})
    assert (again.status < 300) == (rules.client_name_unique == "none")
    elsewhere = api("partner-admin", "POST", "/clients/create", {"name": "Other"})
    assert (elsewhere.status < 300) == (rules.client_name_unique != "everywhere")
    api.fails("invalid", "partner-admin", "POST", "/clients/create", {"name": "x" * (rules.client_name_most + 1)})
    enabled = api("partner-admin", "POST", f"/clients/{made}/service/enable")
    done(enabled, rules.service_repeat == "ok", api, "already")
    api.fails("own_service", "partner-admin", "POST", f"/clients/{api.seeded['partnerClient']}/service/disable")
    told = api.ok("customer-admin", "GET", f"/clients/{api.client_id}").json
    assert set(told.get("details") or {}) == set(rules.client_details)
    terms = api.ok(None, "GET", f"/clients/{made}/terms").json
    assert (terms["version"], terms["required"]) == (1, api.style.auth.terms_required)


def test_partner_admin_at_home(api: Api) -> None:
    """A Partner Admin is a Customer Admin of the own client, or is not."""
    answer = api("partner-admin", "POST", "/users/predefined", {"name": "Petra", "email": "p@example.com"})
    assert (answer.status < 300) == api.style.auth.partner_is_admin_at_home


def test_api_tokens_act_as(api: Api) -> None:
    """API tokens have the roles of the style."""
    roles = api.style.auth.api_token_as.split()
    api.ok("api-token", "POST", f"/channels/{api.channel}/settings/speech2text/enable")
    done(
        api("api-token", "POST", f"/channels/{api.channel}/settings/attendees/mute"),
        "operator" in roles,
        api,
        "forbidden",
    )
    done(api("api-token", "POST", f"/channels/{api.channel}/settings/midi/enable"), "owner" in roles, api, "forbidden")
