"""Explanations of confsim's names: rules, gaps, assumptions, operations, machines and refusals.

Explanations are Markdown, with the names of other things in backticks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import zip_longest
from typing import Annotated, Any

import msgspec

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.assumptions.register import REGISTER, Assumption, in_force
from confsim.contract.operation import Operation
from confsim.contract.types import Wire
from confsim.kernel.diagram import in_words
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse, suggest
from confsim.reference import Gap, Rule, choices, gaps, rules
from confsim.reference.observed import observed
from confsim.service.document import FILES

from .declare import CONTROL

#: Explanations of the P1 and L notation and of the parts.
NUMBERS = {
    "P1": "The first part of the API's documents, about users, channels and what happens in them. `P1 L236` is line "
    "236 of it, `P1 States` a section.",
    "P2": "The second part of the API's documents, about what integrators add: identity, media, recordings, events.",
    "R": "A rule: one statement of the documents that a test can prove, in the words of confsim; `R001` to `R562`. An "
    "operation names the rules that it answers for, a test those that it proves.",
    "G": "A gap: one place where the documents say nothing, or two things; `G001` to `G597`. What confsim does there "
    "is an assumption, which names its gaps, and which a profile can change.",
}


#: Exit codes of the commands.
EXIT_CODES = {
    "exit codes": "What every command of `confsim` ends with: `exit 0`, `exit 1` or `exit 2`; `exit 141` where "
    "nobody reads on; `confsim exec` ends as the command that it runs.",
    "exit 0": "All is well.",
    "exit 1": "The command was used wrongly, something is missing or failed, or a scenario did not pass.",
    "exit 2": "Drift, and nothing else: a service answers otherwise than the model, or a replay otherwise than before.",
    "exit 141": "What reads the output has closed it, as `head` does in `confsim operations | head -1`.",
}
#: Letters of a word that must match: "handle_reserved" finds "handle reservation".
_STEM = 6
#: Most similar names that are listed, and those beside one that is explained.
_NEAR, _BESIDE = 20, 5


#: The kind of an explanation that lists similar names.
NEAR = "part of names"


class Explanation(Wire):
    """The explanation of a name: its ``kind`` and a text in Markdown; ``see`` are names of other things in it."""

    name: Annotated[str, "The name, as confsim writes it."]
    kind: Annotated[str, "What it is the name of."]
    text: Annotated[str, "What it is, in Markdown."]
    see: Annotated[list[str], "Other names in the text, which can be explained too."]


def explain(name: str, profile: Mapping[str, Any]) -> Explanation:
    """Return the explanation of a name, or of a place in the documents. A part of a name lists the names with it.

    Raises Misuse (404) for an unknown name, with the nearest.
    """
    wanted = written(name)
    kinds = _kinds(profile)
    for kind, (names, text) in kinds.items():
        if wanted in names:
            return _explanation(wanted, kind, text(wanted))
    status = {each: reason for each, reason in _refusals().items() if str(reason.value.status) == wanted}
    if status:
        said = (f"- `{each}`: {reason.value.message}" for each, reason in status.items())
        return _explanation(wanted, "status", ["The refusals that have this status by default:", "", *said])
    coded = [each for each, reason in _refusals().items() if in_force(profile, CODE[reason]) == name.strip()]
    if coded:
        return _explanation(coded[0], "refusal", _refusal(coded[0]))
    place = _place(name)
    if place is not None:
        return _explanation(*place)
    near = _near(wanted, [each for names, _ in kinds.values() for each in names])
    alike = [each for each in near if "." not in each and _stems(each) == _stems(wanted)]
    if len(alike) == 1:
        kind, text = next((kind, text) for kind, (names, text) in kinds.items() if alike[0] in names)
        beside = [f"`{each}`" for each in near[:_BESIDE] if each != alike[0]]
        also = f" Near it too: {', '.join(beside)}." if beside else ""
        begin = f"Nothing is called {wanted}: this is the nearest name.{also}"
        return _explanation(alike[0], kind, [begin, "", *text(alike[0])])
    if near:
        listed = [
            f"Nothing is called so. Near it {_counted(len(near))}:",
            "",
            *(f"- `{each}`" for each in near[:_NEAR]),
        ]
        rest = [f"- and {len(near) - _NEAR} more"] if len(near) > _NEAR else []
        return Explanation(name=wanted, kind=NEAR, text="\n".join(listed + rest), see=near[:_NEAR])
    known = [each for names, _ in kinds.values() for each in names]
    raise Misuse(f"nothing is called {name[:80]!r}{suggest(name, known)}", status=404)


def _explanation(name: str, kind: str, lines: Iterable[str]) -> Explanation:
    whole = "\n".join(lines)
    found = dict.fromkeys(re.findall(r"`([^`\n]+)`", whole))
    return Explanation(
        name=name, kind=kind, text=whole, see=[each for each in found if each != name and is_known(each)]
    )


def _counted(number: int) -> str:
    return "is one name" if number == 1 else f"are {number} names"


def written(name: str) -> str:
    """The name as confsim writes it: R94 is R094, handle-taken is handle_taken, and Lobby Door is lobby door."""
    text = " ".join(name.split())
    number = re.fullmatch(r"([RrGg])(\d{1,3})", text)
    if number is not None:
        return f"{number[1].upper()}{int(number[2]):03}"
    if text.upper() in NUMBERS:
        return text.upper()
    if text in Machine.declared:
        return text
    low = text.lower()
    for each in (low, *(re.sub(r"[ ._-]", part, low) for part in ("_", " ", "-"))):
        if any(each in names for names in _declared()) or each in _refusals() or each in EXIT_CODES:
            return each
    return _folded().get(low, low)


def _folded() -> dict[str, str]:
    """Return names by their lower-case form."""
    return {each.lower(): each for each in Machine.declared if not each.islower()}


def _place(name: str) -> tuple[str, str, Iterator[str]] | None:
    """Return the explanation of a place in the documents (P1 L236, P2 Limits, L236); None for anything else."""
    found = re.fullmatch(
        r"(?:(P[12])\b[ ,]*)?(.*?)[ ,]*(?:\b(?:L|lines? ) *(\d{1,9})(?:-L?(\d{1,9}))?)?", name.strip(), re.IGNORECASE
    )
    if found is None or not (found[1] or found[3]):
        return None
    part, section, first = (found[1] or "").upper(), found[2].lower(), found[3]
    if first is None and not section:
        return None
    lines = range(int(first), int(found[4] or first) + 1) if first is not None else None

    def stands(each: Rule | Gap) -> bool:
        here = not part or each.part == part
        return here and section in each.section.lower() and (lines is None or _touches(each.lines, lines))

    at = [each.id for each in rules().values() if stands(each)], [each.id for each in gaps().values() if stands(each)]
    if not any(at):
        return None
    span = "" if first is None else f"L{first}-{found[4]}" if found[4] else f"L{first}"
    whole = " ".join(each for each in (part, section.title(), span) if each)
    return whole, "place in the documents", _listed_place(*at)


def _touches(text: str, lines: range) -> bool:
    """Return whether lines in the notation of rules and gaps ("172, 235", "40-44") overlap a range."""
    for piece in re.findall(r"(\d+)(?:-(\d+))?", text):
        if int(piece[0]) < lines.stop and int(piece[1] or piece[0]) >= lines.start:
            return True
    return False


def _listed_place(stated: list[str], open_: list[str]) -> Iterator[str]:
    for title, said in (
        ("What is stated there:", {id: rules()[id].statement for id in stated}),
        ("What is left open there:", {id: gaps()[id].question for id in open_}),
    ):
        if said:
            yield from [title, "", *(f"- `{id}`: {text}" for id, text in said.items()), ""]


def _near(wanted: str, known: list[str]) -> list[str]:
    """Return the names that begin with all the wanted words or have them in their text, most similar first."""
    from difflib import SequenceMatcher

    parts = _stems(wanted)
    if not parts:
        return []
    said = {name: f"{name} {reason.value.message}".lower() for name, reason in _refusals().items()}

    def rank(name: str) -> tuple[bool, float, str]:
        low = name.lower()
        return "." in name, -SequenceMatcher(None, wanted, low).ratio(), name

    found = [each for each in dict.fromkeys(known) if all(part in said.get(each, each.lower()) for part in parts)]
    return sorted(found, key=rank)


def _stems(name: str) -> list[str]:
    """Return the beginnings of the words of a name, by which "handle_reserved" is "handle reservation"."""
    return [part[:_STEM] for part in re.findall("[a-z]{3,}", name.lower())]


def is_known(name: str) -> bool:
    """Return whether something of the API or of its documents has this name."""
    if re.fullmatch(r"[RG]\d{3}", name) is not None:
        return name in (rules() if name[0] == "R" else gaps())
    return any(name in each for each in _declared()) or name in _refusals()


def _declared() -> tuple[Mapping[str, Any], ...]:
    """Return the declared names: operations, files beside the API, assumptions and machines."""
    return API.operations, FILES.operations, CONTROL.operations, REGISTER.entries, Machine.declared


def names() -> Iterator[str]:
    """Yield every name that can be explained."""
    for found, _ in _kinds({}).values():
        yield from found


def _kinds(profile: Mapping[str, Any]) -> dict[str, tuple[Iterable[str], Callable[[str], Iterator[str]]]]:
    """Return the names of each kind of thing, with the function that explains one."""
    return {
        "numbering": (NUMBERS, lambda name: iter([NUMBERS[name]])),
        "rule": (rules(), _rule),
        "gap": (gaps(), _gap),
        "assumption": (REGISTER.entries, lambda name: _assumption(REGISTER.entries[name], profile)),
        "operation": (API.operations, lambda name: _operation(API[name], profile)),
        "file beside the API": (FILES.operations, lambda name: _operation(FILES[name], {})),
        "operation of the control plane": (CONTROL.operations, lambda name: _operation(CONTROL[name], {})),
        "state machine": (Machine.declared, _machine),
        "refusal": (_refusals(), _refusal),
        "exit code": (EXIT_CODES, lambda name: iter([EXIT_CODES[name]])),
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
    yield from ["", "Others:", "", *_others(id)] if gap.alternatives else []
    yield from _listed("Settled by", _settling([id]))
    yield from _listed("Rules that it touches", gap.rules)


def _others(id: str) -> Iterator[str]:
    """Yield the alternatives of a gap, each with what chooses it in a profile, or with why nothing does."""
    found, reasons = choices().choices.get(id, ()), choices().reasons
    for text, choice in zip_longest(gaps()[id].alternatives, found):
        how = (
            "" if choice is None else f": not to be chosen. {reasons[choice]}" if choice in reasons else f": `{choice}`"
        )
        yield f"- {text}{how}"


def _unchosen(id: str) -> list[str]:
    """Return the alternatives of a gap that nothing chooses, each with the reason."""
    return [line for line in _others(id) if ": not to be chosen. " in line]


def _assumption(entry: Assumption[Any], profile: Mapping[str, Any]) -> Iterator[str]:
    yield entry.statement
    for id in entry.gaps:
        unchosen = _unchosen(id)
        yield from ["", f"`{id}`: {gaps()[id].question}", *([""] if unchosen else ()), *unchosen]
    yield from ["", f"Default: `{_json(entry.default)}`"]
    if entry.id in profile:
        yield from ["", f"Chosen by the profile: `{_json(profile[entry.id])}`"]
    yield from ["", f"Otherwise: {', '.join(f'`{_json(each)}`' for each in entry.alternatives)}"]
    area, _, word = entry.id.partition(".")
    value = next(iter(entry.candidates()), entry.default)
    yield from ["", "In a profile:", "", "```toml", f"[{area}]", f"{word} = {_json(value)}", "```"]
    yield from _listed("Operations", API.concerned(entry))
    yield from _listed("Refusals that it decides", (name.lower() for name in entry.refuses))


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
        own = [each.id for each in REGISTER.entries.values() if operation.name in API.concerned(each)]
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


@cache
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
    seen = [name for name, each in observed().items() if reason.name in each["refusals"]]
    if len(seen) < _NEAR:
        yield from _listed("Operations that were seen to answer it", seen)
    else:
        yield from ["", f"{len(seen)} operations were seen to answer it."]
