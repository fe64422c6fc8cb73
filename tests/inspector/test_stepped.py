"""Pages that take long are made in slices, between which others are served."""

from __future__ import annotations

import threading

import pytest

from confsim import Simulator
from confsim.inspector.stepped import beside
from confsim.service import deferred
from confsim.service.messages import Request
from kit import OWNER, START

PAGES = (
    "inspector/records?search=Room+7",
    "inspector/search?q=room+7",
    "inspector/requests",
    "inspector/what-if?id=channels.unique-names&value=refuse",
    "inspector/presence",
    "inspector/reference/state-documents",
    "inspector/reference/command-line",
    "inspector/operations/create_channel",
    "",
)


@pytest.fixture(scope="module")
def sim():
    """A world with some rooms, all of one name twice."""
    sim = Simulator(clock=START)
    for number in range(30):
        sim.call("create_channel", OWNER, body={"name": f"Room {number // 2}"})
    return sim


def ask(sim, path, accept="text/html"):
    """The first response to a browser, or to a program."""
    target, _, query = f"/_confsim/{path}".partition("?")
    return sim.app(Request("GET", target, query, {"accept": accept, "host": "localhost"}, b""))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_made_in_slices_is_the_same_page(sim, path, monkeypatch):
    """However thin they are; nobody waits for it, and other calls are answered in between."""
    whole = deferred.wait_for(ask(sim, path))
    monkeypatch.setattr(deferred, "SLICE", 0.0)
    response, polls = ask(sim, path), 0
    while response.poll is not None:
        assert sim.service.lock.acquire(blocking=False)
        sim.service.lock.release()
        response, polls = response.poll() or response, polls + 1
    assert polls > 1
    assert (response.status, response.body) == (whole.status, whole.body)


def test_a_mistake_that_shows_late_is_a_page(sim, monkeypatch):
    """As one that shows at once."""
    monkeypatch.setattr(deferred, "SLICE", 0.0)
    for path, status in (("inspector/records?kind=rooms", 404), ("inspector/records/channels/nowhere", 404)):
        response = deferred.wait_for(ask(sim, path))
        assert response.status == status
        assert b"Not found" in response.body


def test_work_beside_is_done_by_another_thread():
    """Its result is returned, what it raises is raised."""
    assert deferred.wait_for_result(lambda: deferred.in_steps(beside(threading.get_ident))) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        deferred.wait_for_result(lambda: deferred.in_steps(beside(lambda: 1 / 0)))


def test_a_program_gets_the_whole_index(sim, monkeypatch):
    """However long what it says takes."""
    whole = deferred.wait_for(ask(sim, "", "*/*"))
    monkeypatch.setattr(deferred, "SLICE", 0.0)
    assert deferred.wait_for(ask(sim, "", "*/*")).body == whole.body
    assert b'"inspector"' in whole.body
