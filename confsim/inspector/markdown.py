"""Markdown as HTML, by markdown-it (CommonMark with tables); raw HTML in it is shown as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from msgspec import Struct

#: A word in which a hyphen stands between two numbers.
_RANGE = re.compile(r"\S*\d-\d\S*")
#: A function from a name in backticks, or the file of a guide, to its URL; None when there is no page.
Link = Callable[[str], str | None]


class Heading(Struct, frozen=True):
    """A heading: its level, its text, its anchor."""

    level: int
    text: str
    id: str


class Rendered(Struct, frozen=True):
    """A text as HTML, and its headings below the first level."""

    html: str
    headings: list[Heading]


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    made.add_render_rule("code_inline", _code)
    made.add_render_rule("link_open", _link)
    made.add_render_rule("text", _text)
    made.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>')
    made.add_render_rule("table_close", lambda *_: "</table></div>")
    return made


def _code(_renderer: RendererHTML, tokens: Sequence[Token], place: int, _options: Any, env: Any) -> str:
    text = tokens[place].content
    shown = f"<code>{escape(text)}</code>"
    target = env["link"](text)
    return shown if target is None else f'<a href="{escape(target)}">{shown}</a>'


def _text(_renderer: RendererHTML, tokens: Sequence[Token], place: int, _options: Any, _env: Any) -> str:
    """Keep a range of numbers, such as L304-305, on one line."""
    return _RANGE.sub(r'<span class="whole">\g<0></span>', escape(tokens[place].content, quote=False))


def _link(renderer: RendererHTML, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    """Replace a link to a file beside the text by one to the page of that file."""
    target = env["link"](str(tokens[place].attrGet("href")))
    if target is not None:
        tokens[place].attrSet("href", target)
    return str(renderer.renderToken(tokens, place, options, env))


def render(text: str, link: Link) -> Rendered:
    """Return a text as HTML, without its first-level heading, which the page shows itself."""
    tokens = _parser().parse(text)
    headings: list[Heading] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            title = tokens[place + 1].content
            level = int(token.tag[1])
            found = Heading(level, title.replace("`", ""), re.sub(r"[^\w-]+", "-", title.lower()).strip("-"))
            token.attrSet("id", found.id)
            headings.append(found)
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        del tokens[:3]
    html = _parser().renderer.render(tokens, _parser().options, {"link": link})
    return Rendered(html, [each for each in headings if each.level > 1])
