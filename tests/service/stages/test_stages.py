"""Stages of the pipeline that a profile switches on: rate limit, idempotency keys, stale reads."""

from __future__ import annotations

from confsim.domain.identity.api_tokens import API_TOKENS
from confsim.service.stages import idempotency
from kit import CUSTOMER, demo

URL = {"url": "https://terms.example/new"}


def url(sim, *caller):
    """The URL of the terms: what the tests change."""
    return sim.call("get_client_terms", *caller, clientId=CUSTOMER).body["url"]


def test_a_rate_limit():
    """So many calls of a token in a minute; others have their own (G012)."""
    sim = demo(**{"http__rate-limit": 2})
    assert [sim.call("get_me", "demo-user").status for _ in range(3)] == [200, 200, 429]
    answer = sim.call("get_me", "demo-user")
    assert (answer.body["code"], answer.headers["Retry-After"]) == ("too_many_calls", "60")
    assert sim.call("get_me", "demo-owner").status == 200
    sim.clock.advance("1m")
    assert sim.call("get_me", "demo-user").status == 200


def test_an_idempotency_key():
    """A POST that is repeated with it has the first answer; without it, another thing is made (G074)."""
    sim = demo(**{"http__idempotency-key": "Idempotency-Key"})
    client = sim.client("demo-customer-admin")
    first, again, other = (client.post("/api_tokens", headers={"Idempotency-Key": key}).json for key in ("a", "a", "b"))
    assert first == again != other
    assert len(sim.call("list_api_tokens", "demo-customer-admin").body) == 3


def test_changes_may_show_late():
    """What is read is the world of some time ago, until the change shows (G015)."""
    sim = demo(**{"time__visibility-lag": 1000})
    before = url(sim)
    sim.call("update_terms_url", "demo-api-token", body=URL)
    assert url(sim) == before
    sim.clock.advance(999)
    assert url(sim) == before
    sim.clock.advance(1)
    assert url(sim) == URL["url"]


def test_a_reader_of_the_past_undoes_nothing():
    """What a read would set going there is not done, and what was written since stays (G015)."""
    sim = demo(**{"time__visibility-lag": 1000})
    old = sim.call("create_channel", "demo-owner", body={"name": "Old"}).body["channelUuid"]
    sim.clock.advance("5s")
    new = sim.call("create_channel", "demo-owner", body={"name": "New"}).body["channelUuid"]
    assert sim.call("get_streaming_proxy", "demo-owner", uuid=old).ok
    assert sim.call("get_channel", "demo-owner", uuid=new).status == 404
    sim.clock.advance("1s")
    assert sim.call("get_channel", "demo-owner", uuid=new).ok
    assert sim.call("get_streaming_proxy", "demo-owner", uuid=new).ok
    assert sim.requests[-1].changes


def test_what_falls_due_shows_late_too():
    """The end of a reservation is a change like any other (G015)."""
    sim = demo(**{"time__visibility-lag": 1000})
    sim.call("reserve_handle", "demo-user", body={"handle": "Neo"})
    shown = []
    for span in ("1s", "14m", "59s", "999ms", "1ms"):
        sim.clock.advance(span)
        shown.append(sim.call("check_handle_unique", "demo-owner", handle="Neo").body["unique"])
    assert shown == [False, False, False, False, True]


def test_a_world_that_is_brought_back_shows_at_once():
    """What was before it is no past of it (G015)."""
    sim = demo(**{"time__visibility-lag": 1000})
    sim.snapshot("start")
    before = url(sim)
    sim.clock.advance("1h")
    sim.call("update_terms_url", "demo-api-token", body=URL)
    sim.clock.advance("1h")
    assert url(sim) == URL["url"]
    sim.call("update_terms_url", "demo-api-token", body={"url": "https://terms.example/newer"})
    sim.restore("start")
    assert url(sim) == before


def test_worlds_that_nobody_can_see_any_more_are_forgotten():
    """Writes alone, with the clock standing or going on, hold no more earlier worlds than can become visible (G015)."""
    sim = demo(**{"time__visibility-lag": 1000})
    stale = sim.service.pipeline._stale
    before = url(sim)
    for number in range(20):
        sim.call("update_terms_url", "demo-api-token", body={"url": f"https://terms.example/{number}"})
    assert len(stale._worlds) == 2
    assert url(sim) == before
    for number in range(20):
        sim.clock.advance("500ms")
        sim.call("update_terms_url", "demo-api-token", body={"url": f"https://terms.example/later-{number}"})
    assert len(stale._worlds) <= 3
    assert url(sim) == "https://terms.example/later-17"


def test_the_oldest_keys_are_forgotten(monkeypatch):
    """A world that lives long does not hold every answer that it ever gave (G074)."""
    monkeypatch.setattr(idempotency, "MOST", 2)
    client = demo(**{"http__idempotency-key": "Idempotency-Key"}).client("demo-customer-admin")

    def made(key):
        return client.post("/api_tokens", headers={"Idempotency-Key": key}).json["id"]

    first = {key: made(key) for key in "abc"}
    assert (made("c"), made("b")) == (first["c"], first["b"])
    assert made("a") != first["a"]


def test_a_reset_forgets_counts_and_keys():
    """The rate limit counts anew, and a key makes another thing (G012, G074)."""
    sim = demo(**{"http__rate-limit": 2, "http__idempotency-key": "Idempotency-Key"})

    def made():
        return sim.client("demo-customer-admin").post("/api_tokens", headers={"Idempotency-Key": "a"})

    assert [made().status_code for _ in range(3)] == [200, 200, 429]
    before = len(sim.service.world.state(API_TOKENS, CUSTOMER).rows)
    sim.reset()
    assert made().status_code == 200
    assert len(sim.service.world.state(API_TOKENS, CUSTOMER).rows) == before


def test_without_a_profile_there_are_no_stages():
    """A call goes from the pipeline to its checks."""
    assert demo().service.pipeline.stages == ()
    assert len(demo(**{"http__rate-limit": 2}).service.pipeline.stages) == 1
