"""An answer of any of confsim's faces, and what is wrong with it whatever the question was."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from msgspec import Struct

#: What nobody is shown: a defect of ours, an object of Python's, a member of an Enum.
_INTERNAL = re.compile(
    r"Traceback \(most recent call last\)|INTERNALERROR|"
    r"<(?:class|function|bound method|module|built-in) |object at 0x|<[\w.]+ object|"
    r"\b(?:[A-Z][a-z]+){1,4}\.[A-Z][A-Z_]{2,}\b|UNSET\b|functools\.partial"
)
#: Elements without an end tag.
_VOID = {"br", "hr", "img", "input", "link", "meta", "col", "wbr", "path", "rect"}
#: Elements that load, run or hide something, of which a page has none.
_HARMFUL = {
    *("img", "image", "iframe", "frame", "frameset", "object", "embed", "applet", "base", "style", "template", "slot"),
    *("audio", "video", "source", "track", "math", "foreignobject", "animate", "set", "use", "portal", "noscript"),
}
#: Characters that make a terminal do something.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")


class Answer(Struct, frozen=True):
    """What was asked, and the answer: its status (of a command 200, or 500 for a crash), media type and bytes."""

    question: str
    status: int
    media: str
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the answer, each with the question."""
        if self.status >= 500:
            yield f"{self.question}: {self.status} {self.text[:300]}"
        found = _INTERNAL.search(self.text)
        if found is not None:
            yield f"{self.question}: shows {self.text[max(0, found.start() - 80) : found.end() + 80]!r}"
        reader = _READERS.get(self.media.partition(";")[0].strip())
        if reader is not None and self.body:
            try:
                yield from (f"{self.question}: {problem}" for problem in reader(self.text))
            except (ValueError, SyntaxError, RecursionError) as error:
                yield f"{self.question}: is not {self.media}: {error}"


def _json(text: str) -> Iterator[str]:
    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not a JSON value")

    json.loads(text, parse_constant=refuse)
    return iter(())


def _python(text: str) -> Iterator[str]:
    compile(text, "answer", "exec")
    return iter(())


def _toml(text: str) -> Iterator[str]:
    tomllib.loads(text)
    return iter(())


def _terminal(text: str) -> Iterator[str]:
    found = _CONTROL.search(text)
    if found is not None:
        yield f"prints a control character: {text[max(0, found.start() - 60) : found.end() + 20]!r}"


def _html(text: str) -> Iterator[str]:
    page = Page()
    page.feed(text)
    page.close()
    yield from dict.fromkeys(page.problems)
    if page.open:
        yield f"has no end of {page.open}"


#: Reads an answer of a media type, and yields what is wrong with it. Raises ValueError or SyntaxError.
_READERS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "application/json": _json,
    "application/problem+json": _json,
    "application/schema+json": _json,
    "application/toml": _toml,
    "text/x-python": _python,
    "text/html": _html,
    "text/x-terminal": _terminal,
}


def _is_ours(target: str) -> bool:
    """Whether a page may lead there: to a page of the same server, or to a site that a guide names."""
    if target.startswith("https://"):
        return ".example" not in target
    return target.startswith(("/", "#")) and not target.startswith("//")


class Page(HTMLParser):
    """A page: its links, and what a browser would run or misunderstand in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.open: list[str] = []
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Check an element and its attributes."""
        values = dict(attrs)
        if tag in _HARMFUL:
            self.problems.append(f"has an element {tag}")
        if tag == "script" and set(values) != {"src", "defer"}:
            self.problems.append(f"has a script {values}")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.problems.append(f"has an attribute {name}={value!r}")
            if name in {"href", "src", "action", "formaction"} and value and not _is_ours(value):
                self.problems.append(f"leads to {value!r}")
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that the element that ends is the last one that began."""
        if tag in _VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"ends {tag} in {self.open[-3:]}")
        elif self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        """Check that a value that Python lacks is not shown by its name."""
        if data.strip() == "None" and self.open[-1:] != ["code"]:
            self.problems.append(f"shows None in {self.open[-3:]}")
