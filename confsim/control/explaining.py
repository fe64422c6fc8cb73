"""Explanations of confsim's names: of rules, gaps, assumptions, operations, machines and refusals.

Explanations are Markdown, in which the names of other things stand in backticks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any

import msgspec

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import REGISTER, Entry
from confsim.assumptions.register.candidates import candidates
from confsim.contract.operation import Operation
from confsim.contract.types import Wire
from confsim.kernel.diagram import in_words
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse, suggest
from confsim.reference import gaps, rules

from .declare import CONTROL

#: What the numbers and the parts are.
NUMBERS = {
    "P1": "The first part of the API's documents, about users, channels and what happens in them. `P1 L236` is line "
    "236 of it, `P1 States` a section.",
    "P2": "The second part of the API's documents, about what integrators add: identity, media, recordings, events.",
    "R": "A rule: one statement of the documents that a test can prove, in the words of confsim; `R001` to `R562`. An "
    "operation names the rules that it answers for, a test those that it proves.",
    "G": "A gap: one place where the documents say nothing, or two things; `G001` to `G597`. What confsim does there "
    "is an assumption, which names its gaps, and which a profile can change.",
}


#: Letters of a word that must match: handle_reserved finds handle reservation.
_STEM = 6


class Explanation(Wire):
    """What a name stands for: its ``kind`` and a text in Markdown; ``see`` are names of other things in it."""

    name: Annotated[str, "The name, as confsim writes it."]
    kind: Annotated[str, "What it is the name of."]
    text: Annotated[str, "What it is, in Markdown."]
    see: Annotated[list[str], "Other names in the text, which can be explained too."]


def explain(name: str, profile: Mapping[str, Any]) -> Explanation:
    """What a name stands for, whatever its case; for a part of names, those that it is a part of.

    Misuse (404) for one that nothing has, with the nearest.
    """
    wanted = _normal(name)
    for kind, (names, text) in _kinds(profile).items():
        if wanted in names:
            whole = "\n".join(text(wanted))
            found = dict.fromkeys(re.findall(r"`([^`\s]+)`", whole))
            return Explanation(
                name=wanted, kind=kind, text=whole, see=[each for each in found if each != wanted and is_known(each)]
            )
    known = [each for names, _ in _kinds(profile).values() for each in names]
    parts = [part[:_STEM] for part in re.findall("[a-z]+", wanted.lower())]
    near = [each for each in known if parts and all(part in each.lower() for part in parts)]
    if near:
        listed = "\n".join(
            [f"Nothing is called so. Near it are {len(near)} names:", "", *(f"- `{each}`" for each in near)]
        )
        return Explanation(name=wanted, kind="part of names", text=listed, see=near)
    raise Misuse(f"nothing is called {name[:80]!r}{suggest(name, known)}", status=404)


def _normal(name: str) -> str:
    """The name as confsim writes it: R94 is R094, and a code of a refusal is in lower case."""
    text = name.strip()
    number = re.fullmatch(r"([RrGg])(\d{1,3})", text)
    if number is not None:
        return f"{number[1].upper()}{int(number[2]):03}"
    return text.upper() if text.upper() in NUMBERS else text if text in Machine.declared else text.lower()


def is_known(name: str) -> bool:
    """Whether something of the API or of its documents has this name."""
    return any(name in each for each in (API.operations, REGISTER.entries, rules(), gaps(), Machine.declared))


def names() -> Iterator[str]:
    """Every name that can be explained."""
    for found, _ in _kinds({}).values():
        yield from found


def _kinds(profile: Mapping[str, Any]) -> dict[str, tuple[Iterable[str], Callable[[str], Iterator[str]]]]:
    """The names of each kind of thing, and what makes the lines about one."""
    return {
        "numbering": (NUMBERS, lambda name: iter([NUMBERS[name]])),
        "rule": (rules(), _rule),
        "gap": (gaps(), _gap),
        "assumption": (REGISTER.entries, lambda name: _assumption(REGISTER.entries[name], profile)),
        "operation": (API.operations, lambda name: _operation(API[name], profile)),
        "operation of the control plane": (CONTROL.operations, lambda name: _operation(CONTROL[name], {})),
        "state machine": (Machine.declared, _machine),
        "refusal": (_refusals(), _refusal),
    }


def _listed(title: str, found: Iterable[str]) -> list[str]:
    written = [f"`{each}`" for each in found]
    return ["", f"{title}: {', '.join(written)}"] if written else []


def _settling(ids: Iterable[str]) -> list[str]:
    wanted = set(ids)
    return sorted(entry.id for entry in REGISTER.entries.values() if wanted & set(entry.gaps))


def _rule(id: str) -> Iterator[str]:
    rule = rules()[id]
    place = f"{rule.part}, {rule.section}" + (f", lines {rule.lines}" if rule.lines else "")
    also = f"; also lines {rule.also} of the other part" if rule.also else ""
    yield rule.statement
    yield from ["", f"Where: {place}{also} ({rule.basis})"]
    yield from _listed("Operations", rule.operations)
    yield from _listed("What it leaves open", rule.gaps)
    yield from _listed("Assumptions about that", _settling(rule.gaps))


def _gap(id: str) -> Iterator[str]:
    gap = gaps()[id]
    place = f"{gap.part}, {gap.section or gap.topic}" + (f", lines {gap.lines}" if gap.lines else "")
    weight = {"H": "high", "M": "medium", "L": "low"}[gap.weight]
    yield gap.question
    yield from ["", f"Nearest to it: {place}. What the answer means to a client: {weight}."]
    yield from ["", f"The answer that suggests itself: {gap.default}"]
    yield from ["", f"Others: {'; '.join(gap.alternatives)}"] if gap.alternatives else []
    yield from _listed("Settled by", _settling([id]))
    yield from _listed("Rules that it touches", gap.rules)


def _assumption(entry: Entry[Any], profile: Mapping[str, Any]) -> Iterator[str]:
    yield entry.statement
    for id in entry.gaps:
        yield from ["", f"`{id}`: {gaps()[id].question}"]
    yield from ["", f"Default: `{_json(entry.default)}`"]
    if entry.id in profile:
        yield from ["", f"Chosen by the profile: `{_json(profile[entry.id])}`"]
    yield from ["", f"Otherwise: {', '.join(f'`{_json(each)}`' for each in entry.alternatives)}"]
    area, _, word = entry.id.partition(".")
    value = next(iter(candidates(entry)), entry.default)
    yield from ["", "In a profile:", "", "```toml", f"[{area}]", f"{word} = {_json(value)}", "```"]
    yield from _listed("Operations", entry.operations)


def _json(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()


def _operation(operation: Operation, profile: Mapping[str, Any]) -> Iterator[str]:
    method, path = operation.route(profile)
    yield f"`{method} {operation.catalogue.prefix_under(profile)}{path}`"
    yield from [
        "",
        (operation.function.__doc__ or operation.summary).strip().replace("\n    ", "\n").replace("``", "`"),
    ]
    if operation.catalogue is API:
        yield from ["", f"For: {operation.gate}. It is {operation.source.value.replace('_', ' ')}."]
        yield from _listed("Rules", operation.rules)
        yield from _listed("Gaps", operation.gaps)
        own = [each.id for each in REGISTER.entries.values() if operation.name in each.operations]
        yield from _listed("Assumptions", sorted(own))


def _machine(name: str) -> Iterator[str]:
    machine = Machine.declared[name]
    yield machine.title
    yield from [
        "",
        f"States: {', '.join(str(state.value) for state in machine.states)}; it begins {machine.initial.value}.",
    ]
    columns = ("when", "at", "on", "only if", "then", "effect", "source")
    yield from ["", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for row in in_words(machine):
        yield f"| {' | '.join(row[column].replace('|', 'or') for column in columns)} |"


def _refusals() -> dict[str, Reason]:
    return {reason.name.lower(): reason for reason in Reason}


def _refusal(code: str) -> Iterator[str]:
    reason = _refusals()[code]
    refused, word = reason.value, code.replace("_", "-")
    yield f"{refused.status}: {refused.message}"
    stated = f"The status is stated: {refused.source}." if refused.source else "The documents do not state the status."
    yield from ["", stated]
    found = (id for id in (f"status.{word}", f"code.{word}") if id in REGISTER.entries)
    yield from _listed("Assumptions", found)
    yield from _listed("Gaps", refused.gaps.split())
