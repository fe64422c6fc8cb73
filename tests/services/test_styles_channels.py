"""Each style behaves as its fields say: channels, sessions, configuration, breakouts, media, friendly URLs, events."""

from __future__ import annotations

import pytest

from services.calls.client import Answer, Api, done, either


def made(answer: Answer, ok: bool, api: Api, kind: str) -> None:
    """The answer is a creation, or else the failure of this kind."""
    assert answer.status == (api.style.replies.created if ok else api.style.errors.kinds[kind].status), answer


def test_defaults(api: Api) -> None:
    """A new channel has the defaults of its style."""
    key = api.ok("owner", "POST", "/channels/create", {"name": "Studio"}).json["channelUuid"]
    told, defaults = api.ok("owner", "GET", f"/channels/{key}").json, api.style.channels.defaults
    assert told["isOpen"] is defaults["is_open"]
    assert told["maxUsers"] == defaults["max_users"]
    assert told["audioQuality"] == defaults["audio_quality"]
    assert api.ok("owner", "GET", f"/channels/{key}/settings").json["mediaPoolSize"] == defaults["media_pool_size"]
    meeting = told["meetingId"]
    assert meeting.replace("-", "").isdigit()
    assert api.ok("api-token", "GET", f"/channels?meetingId={meeting.replace('-', '')}").json == {"uuid": key}
    api.fails("not_found", "api-token", "GET", "/channels?meetingId=1")


def test_location(api: Api) -> None:
    """A creation has a Location header where the style gives one."""
    answer = api.ok("owner", "POST", "/channels/create", {"name": "Studio"})
    expected = f"{api.style.base_path}/channels/{answer.json['channelUuid']}" if api.style.replies.location else None
    assert answer.headers.get("Location") == expected
    assert answer.headers.get("Cache-Control") == api.style.replies.cache_control


def test_deleting_a_live_channel(api: Api) -> None:
    """A channel with people in it can be deleted or not, as the style says."""
    api.present(api.users["user"])
    answer = api("owner", "DELETE", f"/channels/{api.channel}")
    done(answer, api.style.channels.delete_while_live == "ends", api, "channel_live")


def test_populations(api: Api) -> None:
    """The populations of channels have the shape of the style, and count who is present."""
    rules, quiet = api.style.channels, api.seeded["quietChannel"]
    api.present(api.users["user"])
    api.present(api.users["owner"])
    told = api.ok("owner", "GET", f"/channels/populations/{quiet},nonsense,{api.channel}").json
    zero = rules.populations_quiet == "zero"
    if rules.populations_shape == "map":
        assert told == ({quiet: 0, api.channel: 2} if zero else {api.channel: 2})
    elif rules.populations_shape == "array":
        assert told == [{"channelUuid": api.channel, "population": 2}]
    else:
        assert told == {"total": 2, "channels": [{"channelUuid": api.channel, "population": 2}]}
    api.ok("owner", "GET", "/channels/populations/" + ",".join([api.channel] * 200))
    over = api("owner", "GET", "/channels/populations/" + ",".join([quiet] * 200 + [api.channel]))
    either(over, rules.populations_over == "cut", api, "bad_path")
    if rules.populations_over == "cut":
        assert api.channel not in over.raw


def test_streaming_addresses(api: Api) -> None:
    """The addresses of streaming, TURN and the lobby are those of the style."""
    rules, base = api.style.channels, f"/channels/{api.channel}"
    for kind in rules.data_kinds:
        told = api.ok("user", "GET", f"{base}/data/{kind}").json
        assert told["url"] == rules.socket_url.format(channel=api.channel, what=f"data/{kind}")
        assert told.get("mode") == rules.mode
    api.fails("unknown_kind", "user", "GET", f"{base}/data/nothing")
    turn = api.ok("user", "GET", f"{base}/turn/credentials").json
    assert turn["uris"] == list(rules.turn_uris)
    assert set(turn) == {"username", "password", "ttl", "uris"}


def test_presenters(api: Api) -> None:
    """The limit of presenters is kept between the bounds of the style."""
    rules, base = api.style.channels, f"/channels/{api.channel}/settings/presenters/limit"
    for limit, ok in (
        (rules.presenters_least, True),
        (rules.presenters_most, True),
        (rules.presenters_most + 1, False),
        (rules.presenters_least - 1, False),
    ):
        if limit >= 0:
            done(api("owner", "POST", f"{base}/{limit}"), ok, api, "bad_path")


def test_ending_sessions(api: Api) -> None:
    """Ending a session that is not there, or is over, answers as the style says."""
    rules, base = api.style.channels, f"/channels/{api.channel}/session"
    done(api("owner", "DELETE", base), rules.end_nothing == "ok", api, "no_session")
    done(api("owner", "DELETE", f"{base}/{api.seeded['session']}"), rules.end_over == "ok", api, "session_over")
    api.fails("not_found", "owner", "DELETE", f"{base}/{api.seeded['otherSession']}")
    api.fails("not_found", "owner", "DELETE", f"{base}/nothing")
    api.present(api.users["user"])
    name = api.ok("owner", "GET", "/sessions?order=desc").json["results"]
    live = next(s for s in name if s.get("ended") is None)
    assert live["name"] == rules.session_name.format(channel="Main hall", count=3)


def test_session_filters(api: Api) -> None:
    """The list of sessions follows its filters; a crossed range answers as the style says."""
    now, day = api.app.service.clock.now(), 86_400_000
    crossed = api("owner", "GET", f"/sessions?from={now}&to={now - day}")
    either(crossed, api.style.channels.crossed_range == "empty", api, "bad_query")
    assert api.ok("owner", "GET", f"/sessions?from={now - 7 * day}").json["total"] == 1
    assert api.ok("owner", "GET", f"/sessions?to={now - 7 * day}").json["total"] == 1
    for word, meant in (("true", 1), ("false", 1)):
        assert api.ok("owner", "GET", f"/sessions?hasRecording={word}").json["total"] == meant
    for word in ("1", "yes"):
        known = word in api.style.requests.bool_words
        either(api("owner", "GET", f"/sessions?hasRecording={word}"), known, api, "bad_query")
    assert api.ok("owner", "GET", f"/sessions?channel={api.seeded['quietChannel']}").json["total"] == 0
    most = api.ok("owner", "GET", "/sessions?sort=presence&order=desc").json["results"]
    assert [s["participantsCount"] for s in most] == [3, 2]


def test_event_room_switched_off(api: Api) -> None:
    """Switching an event room off ends its running breakout session or is refused."""
    base = f"/channels/{api.channel}"
    api.fails("not_event_room", "owner", "POST", f"{base}/breakout/sessions", {})
    api.breakout()
    api.ok("owner", "POST", f"{base}/breakout/session/start")
    off = api("owner", "POST", f"{base}/settings/event/room/disable")
    done(off, api.style.channels.event_off_while_running == "ends", api, "breakout_running")


def test_active_channels(api: Api) -> None:
    """Active channels are those of the caller, with the people in them."""
    api.present(api.users["user"])
    told = {c["channelName"]: c for c in api.ok("owner", "GET", "/channels/active").json}
    assert set(told) == {"Main hall", "Side room"}
    people = told["Main hall"]["participants"]
    if api.style.channels.participants == "count":
        assert people == {"count": 1}
    else:
        assert people["total"] == 1
        assert people["users"][0]["handle"] == "Uma"
    assert [c["channelName"] for c in api.ok("user", "GET", "/channels/active").json] == ["Main hall"]


def test_configuration(api: Api) -> None:
    """Configuration is written, merged or replaced, and read as the style says."""
    rules, path = api.style.channels, f"/channels/{api.channel}/config"
    assert api.ok("user", "GET", "/config").json == rules.config_default
    api.ok("customer-admin", "POST", "/config", {"x": {"one": 1, "list": ["a"]}})
    api.ok("customer-admin", "POST", "/config", {"x": {"two": 2, "gone": None}})
    told = api.ok("user", "GET", "/config").json["x"]
    assert ("one" in told) == (rules.config_write == "merge")
    assert ("gone" in told) == (rules.config_null == "stores")
    api.ok("customer-admin", "POST", "/config", {"list": ["a"]})
    api.ok("owner", "POST", path, {"list": ["b"]})
    expected = ["a", "b"] if rules.config_lists == "append" else ["b"]
    assert api.ok("owner", "GET", path).json["list"] == expected
    api.ok("customer-admin", "POST", "/config?theme=dark", {"shade": "dark"})
    assert "shade" not in api.ok("user", "GET", "/config").json
    assert api.ok("user", "GET", "/config?theme=dark").json["shade"] == "dark"
    either(api("user", "GET", "/config?theme=odd"), rules.config_themes is None, api, "bad_query")
    either(api("user", "GET", "/config?categories=nothing"), rules.config_bad_category == "ignore", api, "bad_query")
    either(api("user", "GET", "/config?context=nothing"), rules.config_bad_context == "ignore", api, "bad_query")
    context, categories = next(iter(rules.config_contexts.items()))
    assert set(api.ok("user", "GET", f"/config?context={context}").json) <= set(categories)
    api.fails("bad_query", "user", "GET", "/config?language=english!")
    texts = {rules.config_texts: {"bye": "Good bye"}}
    done(api("owner", "POST", path, texts), not rules.texts_need_language, api, "bad_query")
    api.ok("owner", "POST", f"{path}?language=de", {rules.config_texts: {"bye": "Tschüs"}})
    assert api.ok("owner", "GET", f"{path}?language=de").json[rules.config_texts]["bye"] == "Tschüs"
    assert api.ok("owner", "GET", path).json[rules.config_texts].get("bye") != "Tschüs"
    api.fails("not_object", "owner", "POST", path, [1])


def test_configuration_of_clients_above(api: Api) -> None:
    """The configuration of a parent client counts or not, as the style says."""
    if api.style.auth.partner_is_admin_at_home:
        api.ok("partner-admin", "POST", "/config", {"above": 1})
    else:
        api.fails("forbidden", "partner-admin", "POST", "/config", {"above": 1})
        number = api.style.users.levels["customer-admin"][0]
        user = api.users["partner-admin"]
        api("partner-admin", "POST", f"/acl/{user}/level/{number}")
        api.ok("partner-admin", "POST", "/config", {"above": 1})
    told = api.ok("owner", "GET", f"/channels/{api.channel}/config").json
    assert ("above" in told) == (api.style.channels.inheritance == "client-chain")


def test_templates(api: Api) -> None:
    """Templates are listed in the order of the style, with those inherited."""
    rules = api.style.channels
    names = [t["name"] for t in api.ok("customer-admin", "GET", "/templates").json["results"]]
    in_order = ["Aged", "Class", "House style", "Town hall"]
    assert names == (in_order if rules.template_order == "name" else ["Town hall", "Aged", "Class", "House style"])
    path = f"/channels/{api.seeded['quietChannel']}/template"
    if rules.no_template == "fail":
        api.fails("no_template", "owner", "GET", path)
    else:
        assert api("owner", "GET", path).status == (204 if rules.no_template == "empty" else 200)
    listed = api.ok("owner", "GET", f"/channels/{api.channel}/templates").json
    assert listed["total"] == (3 if rules.channel_templates == "enabled" else 4)
    assert api.ok("customer-admin", "GET", "/templates?onlyInheritable=true").json["total"] == 3
    house = api.ok("owner", "GET", f"/channels/{api.channel}/template").json["id"]
    if api.style.auth.partner_is_admin_at_home:
        api.ok("partner-admin", "POST", f"/templates/{house}/config", {"house": True})
        assert api.ok("owner", "GET", f"/channels/{api.channel}/config").json["house"] is True


def test_breakout_limits(api: Api) -> None:
    """The duration and the name of a breakout session are kept within bounds."""
    rules, base = api.style.channels, f"/channels/{api.channel}/breakout/sessions"
    api.breakout()
    told = api.ok("owner", "GET", base).json[0]
    assert (told["name"], told["duration"]) == (rules.breakout_name.format(count=1), rules.breakout_duration)
    for duration, ok in (
        (rules.breakout_least, True),
        (rules.breakout_most, True),
        (rules.breakout_least - 1, False),
        (rules.breakout_most + 1, False),
    ):
        made(api("owner", "POST", base, {"name": "x", "duration": duration}), ok, api, "invalid")


def test_breakout_order_and_start(api: Api) -> None:
    """Breakout sessions are listed and started in the order of the style."""
    rules, base = api.style.channels, f"/channels/{api.channel}/breakout"
    keys = {name: api.breakout(name=name) for name in ("Beta", "Alpha", "Gamma")}
    names = [b["name"] for b in api.ok("owner", "GET", f"{base}/sessions").json]
    assert (
        names
        == {
            "created": ["Beta", "Alpha", "Gamma"],
            "newest": ["Gamma", "Alpha", "Beta"],
            "name": ["Alpha", "Beta", "Gamma"],
        }[rules.breakout_order]
    )
    done(api("owner", "POST", f"{base}/session/stop"), rules.stop_none == "ok", api, "none_running")
    api.ok("owner", "POST", f"{base}/session/start")
    active = [b["id"] for b in api.ok("owner", "GET", f"{base}/sessions").json if b["isActive"]]
    assert active == [keys["Gamma" if rules.start_which == "newest" else "Beta"]]
    for _ in range(2):
        api.ok("owner", "POST", f"{base}/session/stop")
        api.ok("owner", "POST", f"{base}/session/start")
    api.ok("owner", "POST", f"{base}/session/stop")
    api.fails("none_to_start", "owner", "POST", f"{base}/session/start")


def test_changing_a_running_breakout(api: Api) -> None:
    """A running or completed breakout session is changed or not, as the style says."""
    rules, base = api.style.channels, f"/channels/{api.channel}/breakout"
    key = api.breakout(duration=600_000)
    path = f"{base}/sessions/{key}"
    room = api.room(key, name="Red")
    api.ok("owner", "POST", f"{base}/session/start")
    done(api("owner", "POST", path, {"name": "New"}), rules.change_running != "fail", api, "breakout_started")
    longer = api("owner", "POST", path, {"duration": 1_200_000})
    done(longer, rules.change_running == "extends", api, "breakout_started")
    renamed = api("owner", "POST", f"{path}/rooms/{room}", {"name": "Blue"})
    done(renamed, rules.rooms_after_start == "ok", api, "breakout_started")
    added = api("owner", "POST", f"{path}/rooms", {"name": "Late"})
    made(added, rules.rooms_after_start == "ok", api, "breakout_started")
    participant = f"{path}/rooms/{room}/participants/{api.users['user']}"
    api.fails("breakout_started", "owner", "POST", participant)
    api.fails("breakout_started", "owner", "DELETE", participant)
    api.advance(601)
    over = api.ok("owner", "GET", f"{base}/sessions").json[0]["isCompleted"]
    assert over is (rules.change_running != "extends")
    api.advance(600)
    done(api("owner", "POST", path, {"name": "Done"}), rules.change_over == "ok", api, "breakout_over")
    api.ok("owner", "DELETE", path)
    api.fails("not_found", "owner", "DELETE", path)


def test_deleting_a_running_breakout(api: Api) -> None:
    """Deleting a running breakout session stops it or is refused."""
    base = f"/channels/{api.channel}/breakout"
    key = api.breakout()
    api.ok("owner", "POST", f"{base}/session/start")
    gone = api("owner", "DELETE", f"{base}/sessions/{key}")
    done(gone, api.style.channels.delete_running == "stops", api, "breakout_running")


def test_rooms(api: Api) -> None:
    """Breakout rooms follow their limits, and take participants as the style says."""
    rules, key = api.style.channels, api.breakout()
    path, user = f"/channels/{api.channel}/breakout/sessions/{key}/rooms", api.users["user"]
    red, blue = api.room(key, name="Red"), api.room(key)
    assert [r["name"] for r in api.ok("owner", "GET", path).json] == ["Red", rules.room_name.format(count=2)]
    made(api("owner", "POST", path, {"name": "Red"}), rules.rooms_same_name == "ok", api, "name_taken")
    unassigned = api("owner", "DELETE", f"{path}/{red}/participants/{user}")
    done(unassigned, rules.participant_absent == "ok", api, "not_assigned")
    api.ok("owner", "POST", f"{path}/{red}/participants/{user}")
    again = api("owner", "POST", f"{path}/{red}/participants/{user}")
    done(again, rules.participant_again == "ok", api, "assigned")
    moved = api("owner", "POST", f"{path}/{blue}/participants/{user}")
    done(moved, rules.participant_elsewhere == "moves", api, "assigned_elsewhere")
    stranger, _ = api.guest("Stranger", channel=api.seeded["quietChannel"])
    other = api("owner", "POST", f"{path}/{blue}/participants/{stranger}")
    done(other, rules.participant_others == "any", api, "not_in_channel")
    rooms = len(api.ok("owner", "GET", path).json)
    for _ in range(rules.rooms_most - rooms):
        api.room(key)
    api.fails("too_many_rooms", "owner", "POST", path, {})
    listed = api.ok("owner", "GET", "/channels?limit=100").json["total"]
    assert listed == (2 + rules.rooms_most if rules.rooms_listed else 2)


def test_a_user_without_room(api: Api) -> None:
    """A user without a room gets the answer of the style."""
    base, rule = f"/channels/{api.channel}/breakout", api.style.channels.unassigned
    key = api.breakout()
    api.ok("owner", "POST", f"{base}/session/start")
    if rule == "fail":
        api.fails("no_room", "user", "GET", f"{base}/session")
    elif rule == "204":
        assert api.ok("user", "GET", f"{base}/session").status == 204
    else:
        told = api.ok("user", "GET", f"{base}/session").json
        assert told["id"] == key
        assert told.get("breakoutRoom") is None
    api.fails("user_only", "api-token", "GET", f"{base}/session")


def test_linked_users(api: Api) -> None:
    """The handle of a linked user is unique or not, as the style says."""
    path = f"/channels/{api.channel}/linked/users/new"
    api.ok("operator", "POST", path, {"handle": "Linked"})
    made(
        api("operator", "POST", path, {"handle": "Linked"}),
        api.style.channels.linked_unique == "ok",
        api,
        "handle_taken",
    )


def test_media(api: Api) -> None:
    """Uploads have the names, tags and readers of the style."""
    rules = api.style.channels
    data = {"data": b"1", "content_type": "image/png"}
    made(api("customer-admin", "POST", "/media", **data), rules.media_name == "file", api, "bad_query")
    made(api("customer-admin", "POST", "/media?name=none"), rules.media_empty == "ok", api, "no_file")
    key = api.ok("customer-admin", "POST", "/media?name=plan", **data).json["id"]
    told = api.ok("customer-admin", "GET", f"/media/{key}").json
    assert told["publicRead"] is (rules.media_read == "public")
    api.fails("bad_query", "customer-admin", "POST", "/media?name=x&read=some", **data)
    tagged = api.ok("customer-admin", "GET", "/media?tags_all=brand&query=logo").json["results"][0]["tags"]
    assert tagged == (["brand"] if rules.tag == "string" else [{"name": "brand"}])


@pytest.mark.parametrize("style", ["b"])
def test_media_size(style: str) -> None:
    """An upload beyond the largest size is refused."""
    api = Api(style)
    most = api.style.channels.media_most
    api.fails(
        "too_large", "customer-admin", "POST", "/media?name=big", data=b"1" * (most + 1), content_type="video/mp4"
    )
    api.ok("customer-admin", "POST", "/media?name=big", data=b"1" * most, content_type="video/mp4")


def test_events_endpoints(api: Api) -> None:
    """Events endpoints accept the addresses of the style, and are refused without the Events API."""
    rules, path = api.style.channels, f"/events/endpoints/{api.seeded['eventsEndpoints'][0]}"
    done(api("customer-admin", "POST", path, {}), rules.endpoint_nothing == "ok", api, "invalid")
    plain = api("customer-admin", "POST", path, {"url": "http://example.com/hook"})
    done(plain, "http" in rules.endpoint_schemes, api, "invalid")
    api.fails("invalid", "customer-admin", "POST", path, {"url": "hook"})
    api.fails("not_found", "customer-admin", "POST", "/events/endpoints/nothing", {"active": True})


def test_friendly_urls(api: Api) -> None:
    """Friendly URLs are checked, set and removed as the style says."""
    rules, path = api.style.channels, f"/channels/{api.channel}/friendly/url"
    ask = f"/clients/{api.client_id}/url/available?url=hall"
    free = api.ok(None, "GET", ask).json
    assert free == ({"uuid": ""} if rules.friendly_free == "empty" else {})
    done(api("owner", "DELETE", path), rules.friendly_delete_none == "ok", api, "not_found")
    api.ok("owner", "POST", path, {"url": "hall"})
    either(api(None, "GET", ask), rules.friendly_free != "fail", api, "friendly_taken")
    api.fails(
        "friendly_taken", "owner", "POST", f"/channels/{api.seeded['quietChannel']}/friendly/url", {"url": "hall"}
    )
    done(api("owner", "POST", path, {"url": "saal"}), rules.friendly_again == "replace", api, "friendly_has_one")


def test_origins_and_domains(api: Api) -> None:
    """Allowed origins and domains are checked and stored as the style says."""
    rules, client = api.style.channels, f"/clients/{api.client_id}"
    given = ["https://b.example.com/", "https://a.example.com"]
    api.ok("customer-admin", "POST", f"{client}/origins", given)
    kept = ["https://b.example.com", "https://a.example.com"]
    told = api.ok("customer-admin", "GET", f"{client}/origins").json
    assert told == (sorted(kept) if rules.list_order == "sorted" else kept)
    for bad in ("https://a.example.com/path", "nothing", "ftp://a.example.com"):
        api.fails("invalid", "customer-admin", "POST", f"{client}/origins", [bad])
    plain = api("customer-admin", "POST", f"{client}/origins", ["http://a.example.com"])
    done(plain, "http" in rules.origin_schemes, api, "invalid")
    api.fails("invalid", "customer-admin", "POST", f"{client}/domains", ["no domain"])
    star = api("customer-admin", "POST", f"{client}/domains", ["*.example.com"])
    either(star, rules.domain_pattern.startswith(r"(\*"), api, "invalid")
