"""Each style behaves as its fields say: ids, tokens, requests, pages, texts and instants."""

from __future__ import annotations

import math

from services.calls.client import Answer, Api, done, either
from services.conferencing.store.ids import conforms


def test_ids(api: Api) -> None:
    """Ids have the forms of the style."""
    ids = api.style.ids
    assert conforms(api.channel, ids.channel)
    assert conforms(api.client_id, ids.client)
    assert conforms(api.seeded["session"], ids.session)
    assert conforms(api.breakout(), ids.breakout)
    assert conforms(api.ok("customer-admin", "POST", "/api_tokens", {}).json["id"], ids.api_token)
    assert conforms(api.seeded["otherMedia"], ids.media)
    assert conforms(api.channel.upper(), ids.channel) is False
    either(api("owner", "GET", f"/channels/{api.channel.upper()}"), ids.path_any_case, api, "not_found")


def test_tokens(api: Api) -> None:
    """Tokens are taken from the places of the style, and refused elsewhere."""
    auth, token = api.style.auth, api.app.tokens["user"]
    path = api.style.base_path + "/settings"
    upper = {auth.user_header: auth.user_scheme.upper() + token}
    got = api.web.get(path, headers=upper).status_code
    assert (got == 200) == (auth.scheme_any_case or not auth.user_scheme)
    got = api.web.get(path + f"?access_token={token}").status_code
    assert (got == 200) == (auth.query_parameter == "access_token")
    missing = api(None, "GET", "/settings")
    assert missing.headers.get("WWW-Authenticate") == auth.challenge
    if auth.user_header != auth.api_header:
        assert api.web.get(path, headers={auth.user_header: api.app.tokens["api-token"]}).status_code == 401


def test_token_result(api: Api) -> None:
    """Handing out a token has the fields of the style."""
    path = f"/clients/{api.client_id}/users/guest/{api.channel}"
    now = api.app.service.clock.now()
    answer = api.ok(None, "POST", path, {"handle": "Visitor"})
    assert answer.status == api.style.replies.created
    life = api.style.auth.guest_ttl
    expected = {"ms": now + life, "s": (now + life) // 1000, "left-s": life // 1000}[api.style.times.token_expires]
    assert abs(answer.json["expires"] - expected) <= (2000 if api.style.times.token_expires == "ms" else 2)


def test_unknown_fields_and_parameters(api: Api) -> None:
    """Unknown fields and parameters are ignored or refused."""
    rules = api.style.requests
    path = f"/channels/{api.channel}/description"
    done(api("owner", "POST", path, {"description": "x", "more": 1}), rules.unknown_field == "ignore", api, "invalid")
    either(api("owner", "GET", "/channels?more=1"), rules.unknown_query == "ignore", api, "bad_query")


def test_nulls_and_types(api: Api) -> None:
    """Null, empty values and values of other types are read as the style says."""
    rules = api.style.requests
    answer = api("customer-admin", "POST", "/api_tokens", {"label": None})
    if rules.null_field == "reject":
        api.fails("invalid", "customer-admin", "POST", "/api_tokens", {"label": None})
    else:
        assert answer.status == api.style.replies.created
    key = api.breakout()
    path = f"/channels/{api.channel}/breakout/sessions/{key}"
    done(api("owner", "POST", path, {"duration": "120000"}), rules.numbers_in_text, api, "invalid")
    api.fails("invalid", "owner", "POST", path, {"duration": True})
    api.fails("invalid", "owner", "POST", path, {"name": 7})


def test_headers(api: Api) -> None:
    """The headers of answers are those of the style."""
    rules = api.style.requests
    either(
        api("user", "GET", "/settings", headers={"Accept": "text/html"}),
        rules.accept == "ignore",
        api,
        "not_acceptable",
    )
    for accept in ("application/json", "*/*"):
        api.ok("user", "GET", "/settings", headers={"Accept": accept})
    path = f"/channels/{api.channel}/description"
    answer = api("owner", "POST", path, data='{"description": "x"}', content_type="text/plain")
    done(answer, rules.content_type == "ignore", api, "bad_type")


def test_bodies(api: Api) -> None:
    """Bodies that are not JSON objects are refused."""
    path = f"/channels/{api.channel}/description"
    kind = {"content_type": "application/json"}
    api.fails("bad_json", "owner", "POST", path, data="{", **kind)
    api.fails("bad_json", "owner", "POST", path, data='{"description": NaN}', **kind)
    api.fails("no_body", "owner", "POST", path, data="", **kind)
    api.fails("not_object", "owner", "POST", path, data="[]", **kind)
    api.fails("not_array", "customer-admin", "POST", "/providers/auth", data="{}", **kind)
    api.fails("too_large", "owner", "POST", path, data=" " * (api.style.requests.body_most + 1) + "{}", **kind)


def test_routes(api: Api) -> None:
    """Unknown routes and methods are refused as the style says."""
    api.fails("no_route", "user", "GET", "/nothing/here")
    api.fails("bad_method", "user", "PUT", "/settings")
    either(api("user", "GET", "/settings/"), api.style.requests.trailing_slash, api, "no_route")
    upper = api("owner", "POST", f"/channels/{api.channel}/settings/wall/DISABLE")
    done(upper, api.style.requests.state_any_case, api, "bad_state")
    api.fails("bad_state", "owner", "POST", f"/channels/{api.channel}/settings/wall/off")
    api.fails("bad_path", "partner-admin", "GET", f"/users/abc?for_client={api.client_id}")
    api.fails("bad_path", "owner", "POST", f"/channels/{api.channel}/settings/presenters/limit/many")


def test_field_lists(api: Api) -> None:
    """Faults of fields are told in the form of the style."""
    answer = api.fails("invalid", "customer-admin", "POST", "/users/predefined", {"email": 1})
    errors, body = api.style.errors, answer.json
    if errors.field_form == "objects":
        assert [d["field"] for d in body["error"]["details"]] == ["name", "email"]
    elif errors.field_form == "map":
        assert set(body["errors"]) == {"name", "email"}
        assert body["status"] == 422
        assert body["type"].endswith("request.invalid")
    else:
        assert body["fields"] == ["name"]
        assert body["timestamp"].endswith("Z")
    answer = api.fails("forbidden", "user", "GET", "/validators")
    assert answer.headers["Content-Type"] == errors.content_type
    assert ("fields" in answer.json) == errors.fields_when_none
    assert "details" not in answer.raw


def test_img_size(api: Api) -> None:
    """imgSize is checked as the style says."""
    rules = api.style.requests
    either(api("user", "GET", "/users/me?imgSize=giant"), rules.bad_img_size == "default", api, "bad_query")
    api.ok("user", "POST", "/users/me/image", data=b"PNG", content_type="image/png")
    sizes = {"small": "40x40", "medium": "80x80", "large": "100x100", "xxlarge": "175x175", "unfurl": "600x600"}
    for word, pixels in sizes.items():
        assert pixels in api.ok("user", "GET", f"/users/me?imgSize={word}").json["imageUrl"]
    assert sizes[rules.default_img_size] in api.ok("user", "GET", "/users/me").json["imageUrl"]


def test_pages(api: Api) -> None:
    """Pages have the default and the largest length of the style."""
    rules = api.style.paging
    for i in range(rules.default + 2):
        api.ok("customer-admin", "POST", f"/media?name=m{i:03d}", data=b"1", content_type="image/png")
    told = api.ok("customer-admin", "GET", "/media?query=m").json
    assert (told["total"], len(told["results"])) == (rules.default + 2, rules.default)
    assert (
        len(api.ok("customer-admin", "GET", f"/media?query=m&limit={rules.most}").json["results"]) == rules.default + 2
    )
    over = api("customer-admin", "GET", f"/media?limit={rules.most + 1}")
    either(over, rules.over_most == "clamp", api, "bad_query")
    zero = api("customer-admin", "GET", "/media?query=m&limit=0")
    either(zero, rules.zero != "reject", api, "bad_query")
    if rules.zero != "reject":
        assert len(zero.json["results"]) == (rules.default if rules.zero == "default" else 0)
    either(api("customer-admin", "GET", "/media?offset=-1"), rules.negative_offset == "zero", api, "bad_query")
    either(api("customer-admin", "GET", "/media?limit=ten"), rules.not_a_number == "default", api, "bad_query")
    either(api("customer-admin", "GET", "/media?sort=colour"), rules.bad_sort == "default", api, "bad_query")
    either(api("customer-admin", "GET", "/media?order=up"), rules.bad_sort == "default", api, "bad_query")
    api.fails("bad_query", "customer-admin", "GET", "/media?limit=-1")
    last = api.ok("customer-admin", "GET", f"/media?query=m&offset={rules.default}").json
    assert (last["total"], len(last["results"])) == (rules.default + 2, 2)


def test_orders(api: Api) -> None:
    """sort and order are read as the style says."""
    rules = api.style.paging
    for order in ("asc", "desc"):
        told = api.ok("customer-admin", "GET", f"/media?sort=created&order={order}").json["results"]
        made = ["poster", "logo", "flyer", "banner"]
        back = rules.tie == "desc" or (rules.tie == "follow" and order == "desc")
        assert [item["name"] for item in told] == (made[::-1] if back else made)
    upper = api.ok("customer-admin", "GET", "/media?sort=name&order=asc").json["results"]
    assert [item["name"] for item in upper] == ["banner", "flyer", "logo", "poster"]
    api.present(api.users["user"])
    told = api.ok("owner", "GET", "/sessions?sort=ended&order=asc").json["results"]
    assert (told[0].get("ended") is None) == (rules.nothing == "first")
    assert [s for s in told if s.get("ended")] == sorted((s for s in told if s.get("ended")), key=lambda s: s["ended"])
    for name in ("alpha", "Beta"):
        api.ok("owner", "POST", "/channels/create", {"name": name})
    names = [c["name"] for c in api.ok("owner", "GET", "/channels?sort=name&order=asc").json["results"]]
    assert names == sorted(names, key=str.casefold if rules.name_sort_any_case else None)


def test_searches(api: Api) -> None:
    """Searches look where the style says."""
    rules = api.style.paging

    def found(text: str) -> list[str]:
        return [c["name"] for c in api.ok("owner", "GET", f"/channels?search={text}").json["results"]]

    assert found("Side") == ["Side room"]
    assert found("nothing") == []
    assert found("room") == ["Side room"]
    assert found("oom") == ([] if rules.search == "prefix" else ["Side room"])
    assert found("room%20Side") == (["Side room"] if rules.search == "words" else [])
    assert found("side") == (["Side room"] if rules.search_any_case else [])
    assert len(found("%20")) == 2


def test_handles(api: Api) -> None:
    """Handles are trimmed, compared and bounded as the style says."""
    rules = api.style.text
    path = f"/clients/{api.client_id}/users/guest/{api.channel}"

    def handle(text: str) -> str:
        return str(api.ok(api.guest(text)[1], "GET", "/users/me").json["handle"])

    if rules.handle_blanks == "reject":
        api.fails("invalid", None, "POST", path, {"handle": " Vera "})
    else:
        assert handle(" Vera ") == "Vera"
        assert handle(" Vera  Vee ") == ("Vera Vee" if rules.handle_blanks == "collapse" else "Vera  Vee")
    assert len(handle("y" * rules.handle_most)) == rules.handle_most
    api.fails("invalid", None, "POST", path, {"handle": "y" * (rules.handle_most + 1)})
    assert len(handle("q" * rules.handle_least)) == rules.handle_least
    if rules.handle_least > 1:
        api.fails("invalid", None, "POST", path, {"handle": "q" * (rules.handle_least - 1)})
    api.fails("invalid", None, "POST", path, {"handle": ""})
    for word in rules.reserved_handles:
        if len(word) >= rules.handle_least:
            api.fails("handle_taken", "user", "POST", "/users/handle/reserve", {"handle": word})
    same = api.ok("user", "GET", "/users/handle/unique?handle=olga").json["unique"]
    assert same is not rules.handle_any_case
    url = api.ok(api.guest("Änne Bär")[1], "GET", "/users/me").json["urlHandle"]
    assert url == {"slug": "anne-bar", "underscore": "anne_bar", "percent": "%C3%84nne%20B%C3%A4r"}[rules.url_handle]


def test_names_and_descriptions(api: Api) -> None:
    """Names and descriptions are trimmed and bounded as the style says."""
    rules = api.style.text
    api.fails("name_taken", "owner", "POST", "/channels/create", {"name": "Main hall"})
    answer = api("owner", "POST", "/channels/create", {"name": "MAIN HALL"})
    assert (answer.status == api.style.replies.created) == (rules.channel_name_unique == "exact")
    api.ok("owner", "POST", "/channels/create", {"name": "n" * rules.channel_name_most})
    api.fails("invalid", "owner", "POST", "/channels/create", {"name": "n" * (rules.channel_name_most + 1)})
    api.fails("invalid", "owner", "POST", "/channels/create", {"name": "  "})
    base = f"/channels/{api.channel}"
    api.ok("owner", "POST", f"{base}/description", {"description": "x" * 200})
    api.fails("invalid", "owner", "POST", f"{base}/description", {"description": "x" * 201})
    done(
        api("owner", "POST", f"{base}/description", {"description": "x" * 199 + "  "}),
        rules.description_trim,
        api,
        "invalid",
    )
    done(
        api("owner", "POST", f"{base}/description", {"description": None}),
        rules.description_null == "clears",
        api,
        "invalid",
    )
    spaced = api.ok("owner", "POST", "/channels/create", {"name": " Big  one "}).json["channelUuid"]
    kept = {"trim": "Big  one", "collapse": "Big one", "keep": " Big  one "}[rules.name_blanks]
    assert api.ok("owner", "GET", f"/channels/{spaced}").json["channelName"] == kept


def test_addresses(api: Api) -> None:
    """Addresses and email addresses are checked as the style says."""
    rules = api.style.text
    api.ok("user", "POST", "/users/me/email", {"email": "Uma@Example.com"})
    assert api.ok("user", "GET", "/auth/profile").json["email"] == (
        "uma@example.com" if rules.email_lower else "Uma@Example.com"
    )
    api.fails("invalid", "user", "POST", "/users/me/email", {"email": "nobody"})
    done(
        api("user", "POST", "/users/me/email", {"email": " u@example.com "}),
        rules.email_blanks == "trim",
        api,
        "invalid",
    )
    done(
        api("user", "POST", "/users/me/email", {"email": "olga@example.com"}),
        not rules.email_unique,
        api,
        "email_taken",
    )


def test_labels_keys_and_friendly_urls(api: Api) -> None:
    """Labels, property keys and friendly URLs are bounded as the style says."""
    rules = api.style.text
    api.ok("customer-admin", "POST", "/api_tokens", {"label": "x" * rules.label_most})
    api.fails("invalid", "customer-admin", "POST", "/api_tokens", {"label": "x" * (rules.label_most + 1)})
    again = api("customer-admin", "POST", "/api_tokens", {"label": "x" * rules.label_most})
    assert (again.status == api.style.replies.created) != rules.label_unique
    path = f"/channels/{api.channel}/friendly/url"
    for word in rules.friendly_reserved:
        api.fails("invalid", "owner", "POST", path, {"url": word})
    api.fails("invalid", "owner", "POST", path, {"url": "no good"})
    api.ok("owner", "POST", path, {"url": "Hall"})
    found = api(None, "GET", f"/clients/{api.client_id}/find/channel?url=hall")
    either(found, rules.friendly_lower, api, "not_found")
    limit = api.style.text.value_most
    api.fails("too_large", "owner", "POST", f"/channels/{api.channel}/properties/key", "x" * limit)


def test_absent_options(api: Api) -> None:
    """Absent options are left out or null."""
    told = api.ok("user", "GET", "/users/me").json
    assert ("description" in told) == (api.style.replies.absent == "null")
    assert told.get("description") is None


def test_instants(api: Api) -> None:
    """Instants have the units and forms of the style."""
    times, now = api.style.times, api.app.service.clock.now()

    def near(value: int, form: str, expected: int) -> None:
        factor = {"ms": 1, "s": 1000}[form]
        assert abs(value * factor - expected) < 5000, (value, form)

    day = 86_400_000
    session = api.ok("owner", "GET", f"/sessions/{api.seeded['session']}").json
    near(session["started"], times.session, now - 10 * day)
    near(session["ended"], times.session, now - 10 * day + 3_600_000)
    near(api.ok(None, "GET", f"/clients/{api.client_id}/terms").json["promulgated"], times.terms, now - 90 * day)
    near(api.ok("customer-admin", "GET", "/media").json["results"][0]["created"], times.media, now - 40 * day)
    asset = api.ok("owner", "GET", f"/sessions/{api.seeded['session']}/recordings").json[0]
    near(asset["startTime"], times.asset, now - 10 * day)
    assert {c["created"] // 1000 for c in api.ok("owner", "GET", "/channels").json["results"]} == {
        math.floor((now - age * day) / 1_000_000) for age in (20, 30)
    }
    made = api.ok("customer-admin", "POST", "/api_tokens", {}).json
    if api.style.auth.api_token_ttl:
        near(made["expiresAt"], times.api_token, now + api.style.auth.api_token_ttl)


def test_ttl(api: Api) -> None:
    """A ttl is read as the style says."""
    given = {"name": "Petra", "email": "petra@example.com"}
    number = api.ok("customer-admin", "POST", "/users/predefined", given).json["id"]
    path, auth = f"/users/{number}/invitation", api.style.auth

    def remaining(answer: Answer) -> float:
        now, value = api.app.service.clock.now(), answer.json["expires"]
        return {"ms": value - now, "s": value * 1000 - now, "left-s": value * 1000}[api.style.times.invitation]

    assert abs(remaining(api.ok("customer-admin", "POST", path)) - auth.invitation_ttl) < 3000
    for unit, length in auth.ttl_units.items():
        if 2 * length <= auth.ttl_most:
            assert abs(remaining(api.ok("customer-admin", "POST", f"{path}?ttl=2{unit}")) - 2 * length) < 3000
    for bad in ("5", "m", "1x", "0m", "-1m", "1.5h", "9999d"):
        api.fails("bad_query", "customer-admin", "POST", f"{path}?ttl={bad}")
