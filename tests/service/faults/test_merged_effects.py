"""What several faults do to one call: of each kind of words those of the first that has any."""

from __future__ import annotations

import pytest

from confsim.service.faults.words import merged, read_effect
from confsim.service.messages import Request, Response


def effect(**words):
    """The effect of one fault."""
    return read_effect(words, "do")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([{"status": 418, "body": {"a": 1}}, {"headers": {"X-A": "1"}}],
         {"status": 418, "body": {"a": 1}, "headers": {"X-A": "1"}}),
        ([{"clock": "1s"}, {"clock": "2s", "real": "5ms"}], {"clock": "1s", "real": "5ms"}),
        ([{"headers": {"X-A": "1"}}, {"status": 418}, {"clock": "1s"}],
         {"headers": {"X-A": "1"}, "status": 418, "clock": "1s"}),
        ([{"status": 500}, {"status": 418, "body": "x"}], {"status": 500}),
        ([{"reason": "channel_full", "facts": {"limit": 3}}, {"retryAfter": 5}, {"truncate": 4}],
         {"reason": "channel_full", "facts": {"limit": 3}, "truncate": 4}),
        ([{"hold": "before"}, {"hold": "after", "holdAtMost": "1m"}, {"drop": "after"}],
         {"hold": "before", "drop": "after"}),
        ([{"headers": {"X-A": "1"}}, {"headers": {"X-B": "2"}}], {"headers": {"X-A": "1"}}),
    ],
)  # fmt: skip
def test_the_first_of_each_kind_counts(parts, expected):
    """Its words are those that are shown, and what they mean is done."""
    found = merged([effect(**each) for each in parts])
    assert found == effect(**expected)
    assert dict(found.given) == expected


def test_bodies_of_several_faults(sim):
    """A call that is answered by one and delayed by another has the body of the first."""
    sim.faults.add(operation="get_me", do={"status": 418, "body": {"short": True}})
    sim.faults.add(operation="get_me", do={"clock": "1s", "headers": {"X-Pot": "tea"}})
    answer = sim.call("get_me", "demo-owner")
    assert (answer.status, answer.body) == (418, {"short": True})


@pytest.mark.parametrize(
    ("headers", "kinds"),
    [
        ({}, ["application/json"]),
        ({"X-Pot": "tea"}, ["application/json"]),
        ({"content-type": "application/tea+json"}, ["application/tea+json"]),
    ],
)
def test_an_answer_has_one_content_type(sim, headers, kinds):
    """That of its body, or the one that the fault says."""
    sim.faults.add(operation="get_me", do={"status": 418, "body": {"short": True}, "headers": headers})
    sim.call("get_me", "demo-owner")
    sent = sim.service.journal.last().response.headers
    assert [value for name, value in sent if name.lower() == "content-type"] == kinds


@pytest.mark.parametrize(
    ("do", "method", "cut"),
    [
        ({"clock": "1s"}, "GET", None),
        ({"drop": "after"}, "GET", -1),
        ({"truncate": True}, "GET", 5),
        ({"truncate": 0}, "GET", 0),
        ({"truncate": 3}, "GET", 3),
        ({"truncate": 9}, "GET", 9),
        ({"truncate": 10}, "GET", 9),
        ({"truncate": 10**6}, "GET", 9),
        ({"truncate": 3}, "HEAD", -1),
        ({"truncate": True}, "HEAD", -1),
    ],
)
def test_after_how_many_bytes_a_response_is_cut(do, method, cut):
    """Before the last byte in any case; one without a body before its status line."""
    response = effect(**do).altered(Response(200, [], b"0123456789"), Request(method, "/"))
    assert (response.cut, response.delay) == (cut, 0)


def test_a_response_is_delayed_by_seconds():
    """Whatever unit the fault is given in; its headers come last."""
    altered = effect(real="1500ms", headers={"X-A": "1"})
    response = altered.altered(Response(200, [("A", "b")]), Request("GET", "/"))
    assert (response.delay, response.headers, response.cut) == (1.5, [("A", "b"), ("X-A", "1")], None)
