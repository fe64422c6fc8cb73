"""Python's own names in the text of a page: a reader of the inspector calls an HTTP API, in any language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pkgutil import iter_modules
from typing import Any, NamedTuple

import confsim

#: What never belongs on a page, also not on one that is about Python.
_SLIPS = (
    r"\b[A-Z][a-z]\w*\.[A-Z][A-Z0-9_]+\b",  # a member of an enum
    r"<[\w.]+ object\b|\bobject at 0x[0-9a-f]+",
    r"<(?:class|function|module|bound method|built-in|generator|coroutine|method|property)\b",
    r"\b(?:dict_(?:keys|values|items)|mappingproxy|frozenset|defaultdict|OrderedDict|Counter|deque)\(",
    r"\b(?:datetime\.\w+|UUID|Decimal|Fraction|PosixPath|WindowsPath)\(",
    r"\b(?:NoneType|UnsetType|NoDefault|NODEFAULT|UNSET)\b",
    r"Traceback \(most recent call last\)|File \"[^\"]+\", line \d+",
    r"Expected `(?:str|int|float|bool|dict|list|tuple|array|object|null)\b",
)
#: What belongs only on a page about Python.
_NAMES = (
    rf"\bconfsim\.(?:{'|'.join(each.name for each in iter_modules(confsim.__path__))})\b",  # a module
    r"\b__\w+__\b",
    r"\b[A-Z][A-Za-z]*(?:Error|Exception)\b",
    rf"\b(?!(?:{'|'.join(confsim.__all__)})\()[A-Z][a-z]\w*\((?:\w+=|\))",  # a record
    r"(?<=[=:,(\[{])\s?(?:None|True|False)\b|\b(?:None|True|False)(?=[,)\]}])|^(?:None|True|False)$",
    r"\bNone (?:for|when|where|if|means|without|until)\b",
    r"\bb'[^'\n]{0,60}'|[\[({]'[^'\n]{0,60}'(?:, |: |[\])}])|: '[^'\n]{0,60}'[,}]",  # bytes, a list, a dict
)
SLIPS = re.compile("|".join(_SLIPS))
NAMES = re.compile("|".join((*_SLIPS, *_NAMES)))

#: Returns the texts of a page, also what is folded up and attributes; whether each is preformatted, and so one text.
_TEXTS = """() => {
  const texts = [[document.title, false]];
  const walk = (element) => {
    for (const name of ["title", "alt", "placeholder", "aria-label", "value"]) {
      texts.push([element.getAttribute(name) ?? "", false]);
    }
    if (element.tagName === "PRE") return texts.push([element.textContent, true]);
    if (/^(SCRIPT|STYLE)$/.test(element.tagName)) return;
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) texts.push([child.data, false]);
      else if (child.nodeType === Node.ELEMENT_NODE) walk(child);
    }
  };
  walk(document.body);
  return texts.map(([text, block]) => [text.trim(), block]).filter(([text]) => text);
}"""


class Shown(NamedTuple):
    """A text of a page, and whether it is preformatted."""

    text: str
    is_block: bool = False


def texts_of(page: Any) -> list[Shown]:
    """The texts of an open page of Playwright, each once."""
    return [Shown(*each) for each in dict.fromkeys(tuple(each) for each in page.evaluate(_TEXTS))]


def python_names(texts: Iterable[Shown], *, is_about_python: bool = False) -> Iterator[str]:
    """Yield each Python name with what stands around it. A block that is a Python program has them on purpose."""
    sought = SLIPS if is_about_python else NAMES
    for text, is_block in texts:
        if not (is_block and _is_program(text)):
            for name in sought.finditer(text):
                around = text[max(name.start() - 30, 0) : name.end() + 30]
                yield f"{name.group().strip()!r} in {' '.join(around.split())!r}"


def _is_program(text: str) -> bool:
    """Whether a text is Python that imports or defines something, and so not only a value."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(each, (ast.Import, ast.ImportFrom, ast.FunctionDef)) for each in body)
