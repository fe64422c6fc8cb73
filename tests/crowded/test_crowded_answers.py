"""The judge of answers finds what is wrong with one, and nothing in one that is right."""

from __future__ import annotations

import pytest

from kit.crowded.answers import Answer
from kit.crowded.texts import HOSTILE

WRONG = [
    (500, "application/json", "{}", "500"),
    (200, "application/json", '{"a": NaN}', "NaN"),
    (200, "application/json", '{"a": ', "is not application/json"),
    (200, "application/json", '{"state": "DeliveryState.WAITING"}', "DeliveryState.WAITING"),
    (200, "text/plain", "<class 'str'>", "<class"),
    (200, "text/plain", "<function f at 0x7f00>", "<function"),
    (200, "text/plain", "Traceback (most recent call last):\n", "Traceback"),
    (200, "application/toml", "[a", "is not application/toml"),
    (200, "text/x-python", "def f(:", "is not text/x-python"),
    (200, "text/x-terminal", "a\x1b[31mred", "control character"),
    (200, "text/html; charset=utf-8", f"<p>{HOSTILE['HTML']}</p>", "has a script"),
    (200, "text/html", f"<p title='{HOSTILE['attribute']}'>a</p>", "onmouseover"),
    (200, "text/html", f"<pre>{HOSTILE['comment']}</pre>", "ends textarea"),
    (200, "text/html", f'<a href="{HOSTILE["link"]}">a</a>', "leads to 'javascript"),
    (200, "text/html", "<p>a", "has no end of ['p']"),
    (200, "text/html", "<table><tr><td>None</td></tr></table>", "shows None"),
    (200, "text/html", "<p><img></p>", "an element img"),
]


@pytest.mark.parametrize(("status", "media", "text", "problem"), WRONG)
def test_a_wrong_answer_is_found(status, media, text, problem):
    """Each kind of mistake is named, with the question."""
    found = list(Answer("the question", status, media, text.encode()).problems())
    assert any(each.startswith("the question: ") and problem in each for each in found), found


@pytest.mark.parametrize(
    ("media", "text"),
    [
        ("application/json", '{"a": "\\u001b None <script>"}'),
        ("text/html", "<p>&lt;script&gt; <code>None</code> <a href='/x'>a</a><br></p>"),
        ("text/x-terminal", "a\tb\nc \\x1b"),
        ("application/octet-stream", "\x00\x1b"),
    ],
)
def test_a_right_answer_passes(media, text):
    """Escaped texts, texts of other media, and None as code."""
    assert list(Answer("the question", 200, media, text.encode()).problems()) == []
