"""Texts that a page, an export, a terminal or a file has to treat as text: one of each way to break out of it."""

from __future__ import annotations

from collections.abc import Mapping

#: What a page that does not escape a text would run; ``marks_in`` finds it.
SCRIPT = "<script>alert(1)</script>"
#: By what they attack.
HOSTILE: Mapping[str, str] = {
    "HTML": f"\"'>{SCRIPT}<img src=x onerror=alert(1)><svg/onload=alert(1)>",
    "attribute": "x' onmouseover='alert(1)' style='position:fixed",
    "comment": "--></textarea></title></pre><!--",
    "template": "{{7*7}} {% raw %} ${7*7} #{7*7} <%= 7*7 %> {0.__class__} %(x)s %s",
    "shell": '\'; echo $(id) `id` "$HOME" | & > < \\ ! ~ * # ;',
    "curl": "@/etc/passwd -H 'A: b' --data-raw {a,b}[1-3]",
    "Python": "'''\"\"\" \\N{DASH} \\x00 \\u0000 \\",
    "JSON": '{"a": [1, "\\u0000", null]} null None True',
    "path": "../../etc/passwd?a=b#c&d=%2F%00+;e",
    "link": "javascript:alert(1)//https://evil.example/@",
    "terminal": "\x1b[31mred\x1b]0;title\x07\x1b[2J\x08\x7f",
    "lines": "first\r\nSet-Cookie: a=b\r\n\r\nsecond\tthird\x0bfourth",
    "bidi": "\u202egnp.exe\u202c \u2066x\u2069 \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "invisible": "a\u200bb\ufeffc\u00add\u2028e\u2029f",
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f\u200d\U0001f308 e\u0301\u0337 \u00df\u0130",
    "unbroken": "W" * 2000,
    "spreadsheet": "=cmd|' /C calc'!A0",
    "Markdown": "[x](javascript:alert(1)) ![y](z) `a` **b** | c |\n# d",
    "word": "undefined",
    "blank": " ",
}
#: A token without a place to break, as long as those of identity providers.
LONG_TOKEN = "eyJhbGciOiJSUzI1NiJ9." + "Zm9vYmFy" * 120
#: A name of the longest kind that people give.
LONG_NAME = "Quarterly planning of the department for the coordination of interdepartmental coordination " * 2


def cut(number: int, length: int | None = None) -> str:
    """Return the hostile text of a number, which goes round, at most so many characters of it."""
    texts = tuple(HOSTILE.values())
    return texts[number % len(texts)][:length]
