"""Lists of media, and deleting from them."""

from __future__ import annotations

import pytest

from kit import NOTHING, OWNER, ROOM
from kit.things.media import fetch, pool_of, tag

# Lists


@pytest.fixture
def filled(pool):
    """Three files of different age, name and size."""
    for name, data in [("Beta", b"xxx"), ("alpha", b"x"), ("Gamma", b"xx")]:
        pool.upload(name, data)
        pool.sim.service.live.advance(1000)
    return pool


@pytest.mark.rule("R027", "R028", "R514", "R555")
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["Gamma", "alpha", "Beta"]),
        ({"sort": "created"}, ["Gamma", "alpha", "Beta"]),
        ({"order": "asc"}, ["Beta", "alpha", "Gamma"]),
        ({"sort": "created", "order": "asc"}, ["Beta", "alpha", "Gamma"]),
        ({"sort": "name"}, ["Gamma", "Beta", "alpha"]),
        ({"sort": "name", "order": "asc"}, ["alpha", "Beta", "Gamma"]),
        ({"sort": "size"}, ["Beta", "Gamma", "alpha"]),
        ({"sort": "size", "order": "asc"}, ["alpha", "Gamma", "Beta"]),
    ],
)
def test_a_pool_is_listed_in_order(filled, query, names):
    """By created unless asked otherwise, the newest first unless asked otherwise."""
    assert filled.names(**query) == names


@pytest.mark.rule("R027", "R028")
@pytest.mark.parametrize("query", [{"sort": "type"}, {"order": "up"}, {"limit": -1}, {"offset": "x"}])
def test_other_columns_and_orders_are_refused(pool, query):
    """Only the values stated for the call are allowed."""
    assert pool.call("list_media", **query).status == 400


@pytest.mark.rule("R021", "R514")
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"limit": 2}, ["Gamma", "alpha"]),
        ({"limit": 2, "offset": 2}, ["Beta"]),
        ({"offset": 9}, []),
        ({"limit": 0}, []),
    ],
)
def test_a_page_tells_the_total(filled, query, names):
    """The object is exactly total and results; total counts what is not on the page too."""
    body = filled.call("list_media", **query).body
    assert list(body) == ["total", "results"]
    assert (body["total"], [each["name"] for each in body["results"]]) == (3, names)


@pytest.mark.rule("R023", "R515")
@pytest.mark.parametrize(
    ("query", "names"), [("ALPHA", ["alpha"]), ("a", ["Gamma", "alpha", "Beta"]), ("%", []), ("z", [])]
)
def test_query_is_sought_in_the_name(filled, query, names):
    """Without case, anywhere in it; total counts what matches."""
    body = filled.call("list_media", query=query).body
    assert (body["total"], [each["name"] for each in body["results"]]) == (len(names), names)


@pytest.mark.rule("R515")
def test_query_is_not_sought_in_the_description(pool):
    """The name alone is matched."""
    pool.upload("name", description="secret")
    assert pool.names(query="secret") == []


@pytest.mark.rule("R023", "R516", "R517")
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"tags_all": "red"}, ["Gamma", "Beta"]),
        ({"tags_all": "red,blue"}, ["Beta"]),
        ({"tags_any": "red,blue"}, ["Gamma", "alpha", "Beta"]),
        ({"tags_any": "green"}, []),
        ({"tags_all": "red", "tags_any": "blue,green"}, ["Beta"]),
        ({"tags_all": "red", "query": "gam"}, ["Gamma"]),
        ({"tags_all": "RED"}, []),
    ],
)
def test_tags_filter_the_list(filled, query, names):
    """All of tags_all, at least one of tags_any; filters add up."""
    ids = {each["name"]: each["id"] for each in filled.call("list_media").body["results"]}
    for name, tags in {"Beta": ("red", "blue"), "alpha": ("blue",), "Gamma": ("red",)}.items():
        tag(filled.sim, ids[name], *tags)
    assert filled.names(**query) == names
    assert filled.call("list_media", **query).body["total"] == len(names)


@pytest.mark.rule("R329")
def test_tags_are_objects_with_a_name(pool):
    """In the order in which they were set, each once."""
    id = pool.upload()
    tag(pool.sim, id, "b", "a", "b")
    assert pool.call("get_media", mediaId=id).body["tags"] == [{"name": "b"}, {"name": "a"}]


# Deleting


def test_a_deleted_asset_is_gone(pool):
    """It is not found, not listed, and cannot be deleted again; the answer is empty."""
    id = pool.upload()
    answer = pool.call("delete_media", mediaId=id)
    assert (answer.status, answer.content) == (200, b"")
    assert pool.call("get_media", mediaId=id).status == 404
    assert pool.call("delete_media", mediaId=id).status == 404
    assert pool.names() == []


def test_several_assets_are_deleted_at_once(pool):
    """Those named, each once; the others stay."""
    ids = [pool.upload(name) for name in "abc"]
    assert pool.call("batch_delete_media", body=[ids[0], ids[2], ids[0]]).status == 200
    assert pool.names() == ["b"]
    assert pool.call("batch_delete_media", body=[]).status == 200


def test_a_batch_with_an_unknown_id_deletes_nothing(pool):
    """All or nothing."""
    id = pool.upload()
    assert pool.call("batch_delete_media", body=[id, NOTHING]).status == 404
    assert pool.names() == ["a.txt"]


@pytest.mark.parametrize("body", [None, {}, [1], "x"])
def test_a_batch_is_a_list_of_ids(pool, body):
    """Anything else is refused."""
    assert pool.call("batch_delete_media", body=body).status == 400


def test_the_pool_goes_with_the_channel(sim):
    """Assets of a deleted channel are gone, those of other pools stay."""
    channel, client = pool_of(sim, "channel"), pool_of(sim)
    url = channel.link(channel.upload())
    client.upload()
    assert sim.call("delete_channel", OWNER, uuid=ROOM).ok
    assert fetch(sim, url).status == 404
    assert client.names() == ["a.txt"]
