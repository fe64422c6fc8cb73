"""What names are made of: a class has one of its own, and each word of a name is English or a listed term."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from spellchecker import SpellChecker

from kit.source import MODULES, REPOSITORY, nodes, tree

#: The rooms of what crosses the wire: a class there may have the name of the thing that it shows or takes.
WIRE = ("api/", "control/", "assistant/")
#: Names of two things, with the reason.
EXCEPTIONS = {"Client": "a tenant; and the test client by the name under which people import it"}
#: Terms of the field, of libraries and of the API that no dictionary has.
TERMS = REPOSITORY / "tests/data/terms.txt"
#: A run of capitals, or of small letters that a capital may lead: the parts of ``HTTPError`` and ``not_found``.
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def named() -> dict[str, list[str]]:
    """The modules that declare a public class, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in MODULES.items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    return found


def shared(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """The names that two classes have, of which not just one is a wire form."""
    return {
        name: modules
        for name, modules in found.items()
        if name not in EXCEPTIONS
        if len(modules) > 2 or (len(modules) == 2 and sum(module.startswith(WIRE) for module in modules) != 1)
    }


def test_a_class_has_a_name_of_its_own():
    """Two of one name are a thing and its wire form."""
    assert shared(named()) == {}


def test_a_name_of_two_things_is_found():
    """Two records, two wire forms, three of anything."""
    assert shared({"A": ["domain/a.py", "domain/b.py"]})
    assert shared({"A": ["api/a.py", "control/b.py"]})
    assert shared({"A": ["api/a.py", "domain/b.py", "domain/c.py"]})
    assert not shared({"A": ["api/a.py", "domain/b.py"], "B": ["api/b.py"]})


def names(path: Path) -> Iterator[str]:
    """The names that a module gives, its own among them; not those that it uses."""
    yield path.stem
    for node in nodes(path):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                yield name
            case ast.Name(name, ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(name):
                yield name
            case ast.alias(asname=str(name)):
                yield name


def words(name: str) -> set[str]:
    """The words of a name, in small letters; fewer than three letters are an abbreviation."""
    return {part.lower() for part in PART.findall(name) if len(part) > 2}


@cache
def unknown() -> dict[str, set[str]]:
    """The words of the project's names that no dictionary has, each with the places where it stands."""
    places = defaultdict(set)
    for folder in ("confsim", "tests"):
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            for name in names(path):
                for word in words(name):
                    places[word].add(f"{path.relative_to(REPOSITORY)}: {name}")
    return {word: places[word] for word in SpellChecker().unknown(places)}


def test_every_word_of_a_name_is_known():
    """A word that is neither English nor a listed term is a slip of the pen, or of a replacement."""
    terms = set(TERMS.read_text(encoding="utf-8").split())
    strange = {word: sorted(places) for word, places in unknown().items() if word not in terms}
    assert strange == {}, f"rename these, or add a term that readers know to {TERMS.relative_to(REPOSITORY)}"


def test_every_listed_term_is_used():
    """A term that no name contains any longer leaves the list."""
    assert set(TERMS.read_text(encoding="utf-8").split()) - unknown().keys() == set()


def test_a_broken_word_is_found():
    """A replacement inside a longer word leaves a part that is no word."""
    assert SpellChecker().unknown(words("BOODEPENDS") | words("read_channel")) == {"boodepends"}
