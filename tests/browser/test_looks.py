"""Every page: accessible in light and dark, and as wide as a phone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from confsim.inspector.manual import REFERENCE
from confsim.inspector.pages import NAMES
from kit import ADMIN, ROOM

PAGES = (
    *(f"inspector/{name}" if name else "" for name in NAMES),
    "inspector/requests/r1",
    "inspector/requests/r2",
    "inspector/requests/c1",
    "inspector/time?at=r1",
    "inspector/operations/create_channel?tried=r1",
    "inspector/records/users/1004",
    "inspector/records/users/1004?timeline=true",
    f"inspector/records/channels/{ROOM}?at=r1",
    "inspector/machines/recording",
    "inspector/what-if?id=channels.unique-names&value=allow",
    "inspector/operations/create_channel",
    "inspector/operations/add_breakout_participant",
    "inspector/operations/get_channel",
    "inspector/operations/add_fault",
    "inspector/guides/faults",
    "inspector/explain/R094",
    "inspector/search?q=Planning",
    *(f"inspector/reference/{name}" for name in REFERENCE),
)
#: Pages of which axe judges another that is made alike, since these are so long that it takes half a minute.
LONG = {"inspector/reference/state-documents"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible(sim, visit, scheme):
    """By the rules of axe, contrast of colours included."""
    visitor = visit(color_scheme=scheme)
    for path in (each for each in PAGES if each not in LONG):
        visitor.open(path)
        found = Axe().run(visitor.page)
        assert found.violations_count == 0, f"{path}\n{found.generate_report()}"


def test_a_phone_is_accessible(sim, visit):
    """Where tables scroll, also those without a link in sight, and links stand close to each other."""
    visitor = visit(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    for path in (
        *("", "inspector/machines/recording", "inspector/operations/get_channel", "inspector/time"),
        *("inspector/requests?path=/nothing", "inspector/faults", "inspector/records?search=nothing"),
    ):
        visitor.open(path)
        found = Axe().run(visitor.page, options={"rules": {"target-size": {"enabled": True}}})
        assert found.violations_count == 0, f"{path}\n{found.generate_report()}"


def test_a_dark_page_is_dark(sim, visit):
    """As the system of the reader asks for."""
    brightness = {
        scheme: visit(color_scheme=scheme).page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
        )
        for scheme in ("light", "dark")
    }
    assert min(brightness["light"]) > 200
    assert max(brightness["dark"]) < 60


def test_a_phone_shows_every_page_without_moving_sideways(sim, visit):
    """What is wider moves in itself, and words that are too long are broken."""
    sim.client("demo-user").get(f"/v1_0/nowhere/{'w' * 110}")
    sim.call("create_api_token", ADMIN, body={"label": "long"}, expect=200)
    visitor = visit(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    for path in (*PAGES, "inspector/search?q=nowhere", "inspector/requests"):
        visitor.open(path)
        width = visitor.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, path
