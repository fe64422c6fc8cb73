"""Takes the screenshots of the README.

``CONFSIM_CHROMIUM=$(command -v chromium) python tests/browser/screenshots.py`` writes them anew.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

import confsim
from confsim import Simulator, demo

PLACE = Path(confsim.__file__).parent / "guides" / "images"
SIZE = {"width": 1280, "height": 800}


def world() -> Simulator:
    """A world in which a client has just misspelt a field."""
    sim = Simulator(scenario="lobby", clock="2026-02-01T09:00:00Z")
    for name in ("Planning", "Review", "Standup"):
        sim.call("create_channel", demo.OWNER, body={"name": name})
    sim.call("create_channel", demo.OWNER, body={"nam": "Retrospective"})
    sim.call("set_user_email", demo.USER, userId=sim.demo.user.id, body={"email": "uma@example.com"})
    sim.call("create_channel", demo.GUEST, body={"name": "x"})
    sim.call("reserve_handle", demo.USER, body={"handle": "Neo"})
    sim.faults.add("get_me", do={"hold": "before", "holdAtMost": "10m"})
    threading.Thread(target=sim.call, args=("get_me", demo.OWNER), daemon=True).start()
    sim.faults.wait_for_held()
    return sim


def main() -> None:
    """Write them."""
    PLACE.mkdir(exist_ok=True)
    sim = world()
    renamed = next(each.id for each in sim.requests if each.status == 400)
    sim.clock.advance("20m")
    reserved = next(each.id for each in sim.requests if each.operation == "reserve_handle")
    pages = {
        "overview": ("", "light"),
        "call": (f"inspector/requests/{renamed}", "light"),
        "moment": (f"inspector/records?kind=reservations&at={reserved}", "light"),
        "what-if": ("inspector/what-if?id=errors.body&value=problem", "light"),
        "faults": ("inspector/faults", "dark"),
    }
    with sim.serve() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CONFSIM_CHROMIUM"], args=["--no-sandbox"])
        for name, (path, scheme) in pages.items():
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            page.goto(f"{server.root}/_confsim/{path}")
            page.screenshot(path=PLACE / f"{name}.png")
        browser.close()
    for held in sim.faults.held:
        held.drop()


if __name__ == "__main__":
    main()
