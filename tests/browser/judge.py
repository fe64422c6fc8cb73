"""Judges pages of the inspector as a browser draws them, and the texts that they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from browser.python_names import python_names, texts_of

#: Widths in CSS pixels: a phone, a tablet, a laptop, a large screen.
WIDTHS = (360, 768, 1280, 1920)
_HEIGHT = 800
_GEOMETRY = (Path(__file__).parent / "geometry.js").read_text(encoding="utf-8")
#: Opens what is folded up; returns whether anything was.
_UNFOLD = """() => {
  const folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((each) => { each.open = true; });
  return folded.length > 0;
}"""


class Finding(NamedTuple):
    """A fault of a page: the rule, the text that it is seen at, and the widths at which it is."""

    rule: str
    text: str
    widths: tuple[int, ...] = ()

    def __str__(self) -> str:
        at = f" at {', '.join(map(str, self.widths))} px" if self.widths else ""
        return f"{self.rule}{at}: {self.text}"


def faults_of_drawing(page: Any, widths: Iterable[int] = WIDTHS) -> Iterator[Finding]:
    """Yield what is drawn badly on an open page of Playwright: as it is opened, and with everything unfolded."""
    seen: dict[tuple[str, str], dict[int, None]] = {}
    widths = tuple(widths)
    while True:
        for width in widths:
            page.set_viewport_size({"width": width, "height": _HEIGHT})
            for each in page.evaluate(_GEOMETRY):
                seen.setdefault((each["rule"], each["text"]), {})[width] = None
        if not page.evaluate(_UNFOLD):
            break
    for (rule, text), at in seen.items():
        yield Finding(rule, text, tuple(at))


def faults_of_words(page: Any, *, is_about_python: bool = False) -> Iterator[Finding]:
    """Yield the Python names that an open page shows."""
    for text in dict.fromkeys(python_names(texts_of(page), is_about_python=is_about_python)):
        yield Finding("Python", text)
