"""The inspector in a real Chromium, driven by Playwright.

Its tests run where CONFSIM_CHROMIUM names the browser, with what ``confsim[browser]`` installs:
``CONFSIM_CHROMIUM=$(command -v chromium) pytest tests/browser``. Elsewhere they are left out.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from confsim import Simulator
from kit import OWNER, START, USER

CHROMIUM = os.environ.get("CONFSIM_CHROMIUM", "")
collect_ignore_glob = [] if CHROMIUM else ["test_*.py"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """The browser of the run."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def sim() -> Iterator[Simulator]:
    """A world in which something of everything has happened, on a live server; a call of it is held."""
    sim = Simulator(scenario="lobby", clock=START)
    sim.call("create_channel", OWNER, body={"name": "Planning"})
    sim.call("create_channel", OWNER, body={"nam": "Planning"})
    sim.call("set_user_email", USER, userId=1004, body={"email": "uma@example.com"})
    sim.call("reserve_handle", USER, body={"handle": "soon"})
    sim.faults.add("get_me", do={"hold": "before", "holdAtMost": "10m"})
    thread = threading.Thread(target=sim.call, args=("get_me", OWNER), daemon=True)
    thread.start()
    sim.faults.wait_for_held()
    sim.inspect(browser=False)
    yield sim
    for held in sim.faults.held:
        held.release()
    thread.join()
    sim.stop_inspecting()


class Visitor:
    """A browser window that looks at the inspector, and what went wrong in it: errors, and requests to elsewhere."""

    def __init__(self, page, root: str) -> None:
        self.page = page
        self.root = root
        self.wrong: list[str] = []
        page.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda request: self._check(request.url))

    def _check(self, url: str) -> None:
        if not url.startswith((self.root.partition("/_confsim")[0], "data:")):
            self.wrong.append(f"asked for {url}")

    def open(self, path: str = "") -> Visitor:
        """Go to a page of the inspector."""
        self.page.goto(self.root + path)
        return self


@pytest.fixture
def visit(chromium, sim) -> Iterator[object]:
    """Opens windows, by the options of Playwright's contexts; in the end nothing may have gone wrong in any."""
    opened: list[Visitor] = []
    contexts = []

    def opening(**options: object) -> Visitor:
        context = chromium.new_context(**{"viewport": {"width": 1180, "height": 760}, **options})
        contexts.append(context)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        opened.append(Visitor(context.new_page(), sim.inspect(browser=False)))
        return opened[-1].open()

    yield opening
    for context in contexts:
        context.close()
    assert [wrong for each in opened for wrong in each.wrong] == []
