"""Pools of media: files, links, sizes, who may."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.api.catalogue import API
from kit import ADMIN, API_TOKEN, EVENT_ROOM, NOTHING, OWNER, START_MS, USER, demo
from kit.each import each
from kit.things.media import POOLS, Pool, fetch, pool_of, tag

# Upload and read


@pytest.mark.rule("R329", "R330", "R331", "R513", "R518", "R519", "R559")
def test_an_uploaded_file_is_an_asset(pool):
    """Name, description and read come from the query, the type from the header, the size from the bytes."""
    answer = pool.call(
        "upload_media", body=b"<svg/>", content_type="image/svg+xml", name="Bild ä.svg", description="A", read="public"
    )
    assert (answer.status, list(answer.body)) == (200, ["id"])
    assert pool.call("get_media", mediaId=answer.body["id"]).body == {
        "id": answer.body["id"],
        "name": "Bild ä.svg",
        "size": 6,
        "description": "A",
        "tags": [],
        "contentType": "image/svg+xml",
        "publicRead": True,
        "created": START_MS,
    }


@pytest.mark.rule("R519")
@pytest.mark.parametrize(("read", "public"), [("public", True), ("private", False), (None, False)])
def test_read_becomes_public_read(pool, read, public):
    """An upload that does not say is private."""
    id = pool.upload(read=read)
    assert pool.call("get_media", mediaId=id).body["publicRead"] is public


@pytest.mark.rule("R329")
def test_description_is_left_out_when_there_is_none(pool):
    """It is an option of the asset; the type of untyped bytes is that of any bytes."""
    asset = pool.call("get_media", mediaId=pool.upload()).body
    assert "description" not in asset
    assert asset["contentType"] == "application/octet-stream"


@pytest.mark.parametrize(
    ("query", "body", "status", "code"),
    [
        ({}, b"x", 400, "invalid_input"),
        ({"name": " "}, b"x", 400, "invalid_input"),
        ({"name": "x" * 256}, b"x", 400, "invalid_input"),
        ({"name": "a", "read": "all"}, b"x", 400, "invalid_input"),
        ({"name": "a"}, b"", 400, "media_missing"),
        ({"name": "a"}, 100_000_001, 413, "media_too_large"),
    ],
)
def test_bad_uploads_are_refused(pool, query, body, status, code):
    """Without a name, of another read, without a byte, with too many."""
    answer = pool.call("upload_media", body=bytes(body), **query)
    assert (answer.status, answer.body["code"]) == (status, code)
    assert pool.names() == []


@pytest.mark.parametrize("kind", ["text", "text/", "/plain", "text/plain\u00e9", "a b/c"])
def test_a_type_that_is_none_is_refused(pool, kind):
    """The type is stored and served, so it must be one."""
    assert pool.call("upload_media", body=b"x", content_type=kind, name="a").status == 400


@pytest.mark.rule("R518")
def test_names_need_not_differ(pool):
    """Two assets of one name are two assets."""
    assert pool.upload("twin") != pool.upload("twin")
    assert pool.names() == ["twin", "twin"]


@given(data=st.binary(min_size=1, max_size=2000))
def test_bytes_come_back_as_they_went(data):
    """Whatever was uploaded is downloaded, byte for byte."""
    pool = pool_of(Simulator(clock=0), "channel")
    id = pool.upload(data=data)
    assert pool.call("get_media", mediaId=id).body["size"] == len(data)
    assert fetch(pool.sim, pool.link(id)).body == data


# Pools are apart


@pytest.mark.rule("R512")
@pytest.mark.parametrize("name", ["get_media", "get_media_link", "delete_media"])
def test_an_asset_of_another_pool_is_not_there(sim, name):
    """Neither the client's in a channel, nor a channel's in the client, nor one channel's in another."""
    channel, client = pool_of(sim, "channel"), pool_of(sim)
    other = Pool(sim, "channel", {"uuid": EVENT_ROOM}, OWNER, USER)
    mine, ours = channel.upload(), client.upload()
    for pool, id in [(channel, ours), (client, mine), (other, mine), (other, ours), (client, NOTHING)]:
        answer = pool.call(name, mediaId=id)
        assert (answer.status, answer.body["code"]) == (404, "not_found")
    assert (channel.names(), client.names(), other.names()) == (["a.txt"], ["a.txt"], [])


def test_both_pools_have_the_same_calls():
    """What there is for a channel there is for the client, with the same query and the same answer."""
    names = [name for name in API.operations if API[name].area == "media" and "_channel_" in name]
    assert len(names) == 7
    for name in names:
        one, other = API[name], API[name.replace("_channel_", "_client_")]
        assert [each.name for each in one.query_parameters] == [each.name for each in other.query_parameters]
        assert (one.result, one.path) == (other.result, f"/channels/{{uuid}}{other.path}")


def test_pools_of_clients_are_apart(sim):
    """Another client's administrator finds nothing."""
    id = pool_of(sim).upload()
    assert sim.call("get_client_media", "demo-other-admin", mediaId=id).status == 404
    assert sim.call("list_client_media", "demo-other-admin").body == {"total": 0, "results": []}


# Links


@pytest.mark.rule("R331")
def test_a_link_leads_to_the_bytes(pool):
    """Without a token, of the type and length of the upload; browsers save the file."""
    id = pool.upload("Ä b.html", b"<b>", content_type="text/html; charset=utf-8")
    answer = fetch(pool.sim, pool.link(id))
    headers = dict(answer.headers)
    assert (answer.status, answer.body, headers["Content-Type"]) == (200, b"<b>", "text/html; charset=utf-8")
    assert headers["Content-Disposition"] == "attachment; filename*=UTF-8''%C3%84%20b.html"
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("query", "life"), [({}, 300_000), ({"ttl": "1m"}, 60_000), ({"ttl": "1d"}, 86_400_000)])
def test_a_link_expires(pool, query, life):
    """At its instant it is dead; five minutes unless asked otherwise."""
    url = pool.link(pool.upload(), **query)
    pool.sim.service.live.advance(life - 1)
    assert fetch(pool.sim, url).status == 200
    pool.sim.service.live.advance(1)
    assert (fetch(pool.sim, url).status, b"media_link_invalid" in fetch(pool.sim, url).body) == (403, True)


@pytest.mark.parametrize("where", POOLS)
def test_a_link_may_live_an_hour_unless_asked_otherwise(where):
    """A profile sets its life without ttl; the life that is asked for stays."""
    pool = pool_of(demo(**{"duration__media-link": 3_600_000}), where)
    id = pool.upload()
    url, short = pool.link(id), pool.link(id, ttl="1m")
    pool.sim.service.live.advance(3_600_000 - 1)
    assert (fetch(pool.sim, url).status, fetch(pool.sim, short).status) == (200, 403)
    pool.sim.service.live.advance(1)
    assert fetch(pool.sim, url).status == 403


@pytest.mark.parametrize("ttl", ["0m", "5", "", "m"])
def test_a_bad_ttl_is_refused(pool, ttl):
    """A link needs a life."""
    id = pool.upload()
    assert pool.call("get_media_link", mediaId=id, ttl=ttl).status == 400


def test_a_link_cannot_be_forged(pool):
    """A longer life, another asset, no signature: no bytes."""
    one, other = pool.upload(), pool.upload()
    url = pool.link(one)
    for forged in (
        url.replace("expires=1", "expires=9"),
        url.replace(one, other),
        url.partition("&")[0],
        url[:-1] + "é",
    ):
        answer = fetch(pool.sim, forged)
        assert (answer.status, b"media_link_invalid" in answer.body) == (403, True)
    assert fetch(pool.sim, url.partition("?")[0]).status == 403


@pytest.mark.rule("R331")
def test_public_assets_are_read_without_authorization(pool):
    """At the address of the link without its signature; private ones are not."""
    public, private = pool.upload(read="public", data=b"seen"), pool.upload()
    assert fetch(pool.sim, pool.link(public).partition("?")[0]).body == b"seen"
    assert fetch(pool.sim, pool.link(private).partition("?")[0]).status == 403


def test_links_of_deleted_assets_are_dead(pool):
    """The bytes are gone."""
    id = pool.upload(read="public")
    url = pool.link(id)
    pool.call("delete_media", mediaId=id)
    assert fetch(pool.sim, url).status == 404


def test_bytes_travel_over_http(sim):
    """Up with their Content-Type, down by the link, at an address that the app serves."""
    client = sim.client(ADMIN)
    sent = client.post("/media?name=a%20b&read=private", data=b"\x00\xff", content_type="image/png")
    link = client.get(f"/media/{sent.json['id']}/link").json["url"]
    parts = urlsplit(link)
    got = sim.client().get(f"{parts.path}?{parts.query}")
    assert (got.status_code, got.data, got.headers["Content-Type"]) == (200, b"\x00\xff", "image/png")


# Pool size


def test_the_pool_has_a_size(pool):
    """One GiB fits into a pool, as the settings say too."""
    assert pool.call("get_media_pool_size").body == {"mediaPoolSize": 2**30}


def test_a_full_pool_refuses(sim):
    """What does not fit is refused; what is deleted makes room; pools do not count together."""
    sim = demo(**{"size__media-pool": 10})
    pool, other = pool_of(sim, "channel"), pool_of(sim)
    id = pool.upload(data=b"12345678")
    answer = pool.call("upload_media", body=b"123", name="b")
    assert (answer.status, answer.body["code"]) == (409, "media_pool_full")
    other.upload(data=b"1234567890")
    pool.call("delete_media", mediaId=id)
    pool.upload(data=b"1234567890")


# Gates


READS = ["get_media", "list_media", "get_media_link", "get_media_pool_size"]
WRITES = ["upload_media", "delete_media", "batch_delete_media"]
ARGUMENTS = {
    "get_media": {"mediaId": NOTHING},
    "get_media_link": {"mediaId": NOTHING},
    "delete_media": {"mediaId": NOTHING},
    "upload_media": {"name": "a", "body": b"x"},
    "batch_delete_media": {"body": []},
}
ADMITTED = {
    ("channel", "read"): {OWNER, "demo-operator", USER, "demo-guest", ADMIN, API_TOKEN},
    ("channel", "write"): {OWNER, "demo-operator", API_TOKEN},
    ("client", "read"): {OWNER, "demo-operator", USER, ADMIN, API_TOKEN},
    ("client", "write"): {ADMIN, API_TOKEN},
}


@each("name", READS + WRITES)
@each("caller", [OWNER, "demo-operator", USER, "demo-guest", ADMIN, API_TOKEN])
def test_who_may_use_a_pool(pool, name, caller):
    """A channel's is read by all with access, the client's by registered users and administrators; hosts write."""
    admitted = caller in ADMITTED[pool.word, "read" if name in READS else "write"]
    pool = pool_of(pool.sim.fork(), pool.word)
    arguments = {**ARGUMENTS.get(name, {})}
    if "mediaId" in arguments:
        arguments["mediaId"] = pool.upload()
    answer = pool.call(name, by=caller, **arguments)
    assert (answer.status not in (401, 403)) is admitted


@each("name", READS + WRITES)
def test_nobody_uses_a_pool_without_a_token(pool, name):
    """A token is needed, and one of the client: the channel of another is not there."""
    arguments = ARGUMENTS.get(name, {})
    pool = pool_of(pool.sim.fork(), pool.word)
    full = name.replace("_media", f"_{pool.word}_media")
    assert pool.sim.call(full, **pool.path, **arguments).status == 401
    if pool.word == "channel":
        assert pool.call(name, by="demo-other-admin", **arguments).status == 404


# What may be otherwise


def test_uploads_may_be_multipart():
    """The first part with a filename is the file, its type that of the part."""
    pool = pool_of(demo(media__form="multipart"))
    body = (
        b'--B\r\nContent-Disposition: form-data; name="x"\r\n\r\nfield\r\n'
        b'--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\nContent-Type: image/gif\r\n\r\n'
        b"GIF\r\n\x00\r\n--B--\r\n"
    )
    id = pool.upload(data=body, content_type='multipart/form-data; boundary="B"')
    asset = pool.call("get_media", mediaId=id).body
    assert (asset["contentType"], fetch(pool.sim, pool.link(id)).body) == ("image/gif", b"GIF\r\n\x00")


@pytest.mark.parametrize(
    ("boundary", "data"),
    [
        ("a", b"line one\r\n--abc\r\n--a-\r\nline two"),
        ("B", b"--Bx\r\n"),
        ("B", b"\r\n\r\n--C--\r\n"),
        ("B", b""),
        ("a+b (c)?", bytes(range(256))),
    ],
)
@pytest.mark.parametrize("kind", ["text/plain", "message/rfc822", "multipart/mixed; boundary=x"])
def test_a_file_in_a_form_is_not_cut(boundary, data, kind):
    """Only a whole line is a delimiter, and the file stays as it is, whatever its type."""
    pool = pool_of(demo(**{"media__form": "multipart", "media__empty-file": "keep"}))
    head = f'--{boundary}\r\nContent-Disposition: form-data; filename="a"; name="f"\r\nContent-Type: {kind}\r\n\r\n'
    body = head.encode() + data + f"\r\n--{boundary}--\r\n".encode()
    id = pool.upload(data=body, content_type=f'multipart/form-data; boundary="{boundary}"')
    assert fetch(pool.sim, pool.link(id)).body == data


@pytest.mark.parametrize(
    ("kind", "body"),
    [(None, b"x"), ("text/plain", b"x"), ("multipart/form-data; boundary=B", b"--B\r\n\r\nx\r\n--B--")],
)
def test_multipart_without_a_file_is_refused(kind, body):
    """Another type, or no part with a filename."""
    pool = pool_of(demo(media__form="multipart"))
    assert pool.call("upload_media", body=body, content_type=kind, name="a").status == 400


def test_empty_files_may_be_stored():
    """An asset of no bytes."""
    pool = pool_of(demo(**{"media__empty-file": "keep"}))
    assert pool.call("get_media", mediaId=pool.upload(data=b"")).body["size"] == 0


def test_names_may_have_to_differ():
    """Within a pool, not between pools."""
    sim = demo(**{"media__same-name": "refuse"})
    pool = pool_of(sim)
    pool.upload("twin")
    answer = pool.call("upload_media", body=b"x", name="twin")
    assert (answer.status, answer.body["code"]) == (409, "media_name_taken")
    pool_of(sim, "channel").upload("twin")


def test_uploads_may_be_public_unless_they_say():
    """The default of read and the type of untyped bytes are choices."""
    sim = demo(**{"media__read-default": "public", "media__untyped": "text/plain"})
    pool = pool_of(sim)
    asset = pool.call("get_media", mediaId=pool.upload()).body
    assert (asset["publicRead"], asset["contentType"]) == (True, "text/plain")


def test_tags_may_be_texts_without_case():
    """Names alone, matched without case."""
    pool = pool_of(demo(**{"media__tag": "text", "media__tag-match": "caseless"}))
    tag(pool.sim, pool.upload("x"), "Red")
    assert pool.names(tags_all="RED") == ["x"]
    assert pool.call("list_media").body["results"][0]["tags"] == ["Red"]


def test_public_bytes_may_need_a_link():
    """The plain address then answers nobody."""
    pool = pool_of(demo(**{"media__public-read": False}))
    url = pool.link(pool.upload(read="public"))
    assert (fetch(pool.sim, url).status, fetch(pool.sim, url.partition("?")[0]).status) == (200, 403)


def test_channels_may_inherit_the_pool_of_the_client():
    """They read it and do not write it."""
    sim = demo(media__pools="inherited")
    client, channel = pool_of(sim), pool_of(sim, "channel")
    id = client.upload("ours")
    channel.upload("mine")
    assert channel.names() == ["mine", "ours"]
    assert channel.call("get_media", mediaId=id).body["name"] == "ours"
    assert channel.call("delete_media", mediaId=id).status == 404


def test_the_pool_size_may_be_what_is_used():
    """The bytes that are in the pool."""
    pool = pool_of(demo(**{"media__pool-size": "used", "size__media-pool": 0}), "channel")
    pool.upload(data=b"123")
    pool.upload(data=b"45")
    assert pool.call("get_media_pool_size").body == {"mediaPoolSize": 5}


def test_a_batch_may_pass_over_unknown_ids():
    """The others are deleted."""
    pool = pool_of(demo(media__batch="skip"))
    id = pool.upload()
    assert pool.call("batch_delete_media", body=[NOTHING, id]).status == 200
    assert pool.names() == []


def test_created_may_be_in_seconds():
    """The unit is a choice."""
    pool = pool_of(demo(**{"units__media-created": "epoch-s"}))
    assert pool.call("get_media", mediaId=pool.upload()).body["created"] == 1769904000
