"""Takes pictures of every page of the inspector, to be looked at.

``CONFSIM_CHROMIUM=$(command -v chromium) PYTHONPATH=tests python tests/browser/gallery.py FOLDER [WORLD or LOOK …]``
writes each page of the fresh, the crowded and the hostile world in each look, and sheets with many of them.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from browser.visited import paths
from kit.crowded import BUILDERS

#: The looks, by name: the options of a browser's context. A zoom of 200 % is half the width at twice the density.
LOOKS: dict[str, dict[str, Any]] = {
    f"{scheme}-{width}": {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    for scheme in ("light", "dark")
    for width in (360, 1280, 1920)
} | {
    "zoomed": {"device_scale_factor": 2, "viewport": {"width": 640, "height": 450}},
    "forced": {"forced_colors": "active", "viewport": {"width": 1280, "height": 900}},
}
#: Pages of a kind beside those of the menu; most pixels of the height of a picture; pictures of a sheet.
ALIKE, HIGHEST, OF_SHEET = 2, 2400, 16


def main(folder: Path, chosen: list[str]) -> None:
    """Write the pictures and the sheets, of the worlds and looks that are named or of all."""
    worlds = [world for world in BUILDERS if world in chosen] or list(BUILDERS)
    looks = {look: options for look, options in LOOKS.items() if look in chosen} or LOOKS
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CONFSIM_CHROMIUM"], args=["--no-sandbox"])
        for world in worlds:
            sim = BUILDERS[world]()
            visited = list(chain.from_iterable(paths(sim, ALIKE).values()))
            root = sim.inspect(browser=False)
            for look, options in looks.items():
                context = browser.new_context(**options)
                pictures = list(_pictures(context.new_page(), root, visited, folder / world / look))
                context.close()
                _sheets(browser, pictures, folder / f"{world}-{look}", options["viewport"]["width"])
            sim.stop_inspecting()
        browser.close()


def _pictures(page: Any, root: str, chosen: list[str], folder: Path) -> Iterator[Path]:
    """Yield the picture of each page, with its number and its path as the name."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(chosen):
        page.goto(root + path)
        width, height = page.evaluate("[innerWidth, document.documentElement.scrollHeight]")
        picture = folder / f"{number:03} {re.sub('[^a-z0-9]+', ' ', path.lower())[-60:] or 'overview'}.png"
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, HIGHEST)}
        page.screenshot(path=picture, full_page=True, clip=clip)
        yield picture


def _sheets(browser: Any, pictures: list[Path], name: Path, width: int) -> None:
    """Write sheets of pictures beside each other."""
    small = 200 if width < 600 else 420
    page = browser.new_page(viewport={"width": (small + 8) * (8 if width < 600 else 4), "height": 900})
    for begin in range(0, len(pictures), OF_SHEET):
        figures = "".join(
            f'<figure><img src="{each.as_uri()}"><figcaption>{each.stem}</figcaption></figure>'
            for each in pictures[begin : begin + OF_SHEET]
        )
        sheet = name.with_name(f"{name.name}-{begin // OF_SHEET}.html")
        sheet.write_text(
            "<style>body{margin:0;display:flex;flex-wrap:wrap;gap:4px;background:#888;font:11px sans-serif}"
            f"figure{{margin:0;width:{small}px;height:440px;overflow:hidden}}img{{width:100%;display:block}}"
            f"figcaption{{background:#fff}}figure{{display:flex;flex-direction:column-reverse;justify-content:flex-end}}"
            f"</style>{figures}",
            encoding="utf-8",
        )
        page.goto(sheet.as_uri())
        page.screenshot(path=sheet.with_suffix(".png"), full_page=True)
        sheet.unlink()
    page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2:])
