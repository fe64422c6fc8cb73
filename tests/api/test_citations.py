"""The numbers of rules, gaps and lines that an operation names speak of it, and not of the one it was copied from."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.reference import Gap, Rule, gaps, rules
from kit.each import by_name, each
from kit.tables import DATA

#: By operation: numbers that somebody read and that speak of it, although none of its words says so.
READ: dict[str, list[str]] = tomllib.loads((DATA / "citations.toml").read_text())
#: Words that speak of nearly every operation, and so of none.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "get set list find add remove create delete update check state id ids uuid of the for to by with and a user "
        "users channel channels client clients",
    )
)


@cache
def words(text: str) -> frozenset[str]:
    """The words of a text or a name in lower case, without common ones and without their endings."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", text.replace("_", " "))
    return frozenset(map(_stem, re.findall(r"[A-Za-z][a-z0-9]+", apart))) - _COMMON


def _stem(word: str) -> str:
    low = word.lower()
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if low.endswith(ending) and len(low) - len(ending) >= 3:
            return low.removesuffix(ending) + instead
    return low


def speaks_of(operation: Operation, said: Rule | Gap) -> bool:
    """Whether a rule or gap names the operation, belongs to a rule that does, or has a word of its name or path."""
    if isinstance(said, Rule):
        if said.operations:
            return operation.name in said.operations
        text = f"{said.statement} {said.section}"
    else:
        if any(operation.name in rules()[number].operations for number in said.rules):
            return True
        text = " ".join((said.question, said.default, said.topic, *said.alternatives))
    return bool(words(f"{operation.name} {operation.path}") & words(text))


def is_place_of(line: str, said: Rule | Gap) -> bool:
    """Whether a rule or gap is of the section or the line of a document that an operation names as its own."""
    part, _, place = line.partition(" ")
    if part != said.part:
        return False
    if re.fullmatch(r"L\d+", place) is None:
        return place in said.section
    spans = re.findall(r"(\d+)(?:-(\d+))?", said.lines)
    return any(int(first) <= int(place[1:]) <= int(last or first) for first, last in spans)


def unread(operation: Operation) -> dict[str, str]:
    """The numbers and the place of an operation of which no word shows that they speak of it, with what they say."""
    named = [said for number in (*operation.rules, *operation.gaps) if (said := rules().get(number) or gaps()[number])]
    found = {
        said.id: said.statement if isinstance(said, Rule) else said.question
        for said in named
        if not speaks_of(operation, said)
    }
    if not any(is_place_of(operation.line, said) for said in named):
        found[operation.line] = "none of its rules and gaps is of this place"
    return found


@each("operation", list(API), ids=by_name)
def test_the_numbers_of_an_operation_speak_of_it(operation):
    """A number that was copied from another operation says nothing of this one."""
    read = set(READ.get(operation.name, ()))
    found = unread(operation)
    wrong = {number: said for number, said in found.items() if number not in read}
    assert not wrong, (
        f"{operation.name} names {wrong}. Was it copied from another operation? If it speaks of this one, add it to "
        "tests/data/citations.toml: confsim/EXTENDING.md, “An operation”"
    )
    assert read == found.keys(), f"tests/data/citations.toml: {operation.name} needs no {sorted(read - found.keys())}"


def test_every_operation_of_the_list_exists():
    """The list of numbers that were read names no operation that is gone."""
    assert READ.keys() <= API.operations.keys()


def test_a_copied_number_is_noticed():
    """Guest access says nothing of the broadcast: its gap and rule are noticed there, and a line of another place."""
    broadcast = API["get_broadcast_state"]
    assert speaks_of(API["get_guest_access"], gaps()["G564"])
    assert not speaks_of(broadcast, gaps()["G564"])
    assert not speaks_of(broadcast, rules()["R094"])
    assert not is_place_of("P1 L247", rules()["R094"])
