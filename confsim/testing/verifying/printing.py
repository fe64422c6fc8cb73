"""A reproducer as a shell script and as a test: ids from earlier calls are taken from their answers."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Difference
from confsim.testing.learning.comparing.places import NOT_NAMES, Elements, Entries, ObjectShape
from confsim.testing.learning.run import Run, RunStep
from confsim.transport.address import address

_MARK = re.compile(r"@@(\w+)@@")
_NUMBER = re.compile(r'"@@(N\w+)@@"')
_NO_TOKEN = "no-such-token"


class Printer:
    """Prints the steps of a reproducer; ``variables`` names the ids that they make, by kind and id in the model."""

    def __init__(self, run: Run, steps: Sequence[RunStep]) -> None:
        self._run = run
        self._steps = steps
        self._variables: dict[tuple[str, Any], str] = {}
        self._captures: dict[int, list[tuple[str, str]]] = {}
        self._find_variables()

    def _find_variables(self) -> None:
        """Name the values that a later step takes from the answer of an earlier one."""
        wanted = {named for step in self._steps for named in (*step.call.names(), ("tokens", step.call.caller))}
        counts: dict[str, int] = {}
        for place, step in enumerate(self._steps):
            if step.predicted.reply.status >= 400:
                continue
            shape = self._run.shapes.answer(step.call.declared)
            for kind, value, pointer in _placed(shape, step.predicted.reply.body, ""):
                named = kind, value
                if named in wanted and named not in self._variables:
                    word = kind.rstrip("s")
                    counts[word] = counts.get(word, 0) + 1
                    prefix = "N" if isinstance(value, int) else ""
                    self._variables[named] = f"{prefix}{word}_{counts[word]}"
                    self._captures.setdefault(place, []).append((self._variables[named], pointer))

    def _marked(self, call: ModelCall) -> ModelCall:
        """Return the call with placeholders for ids from earlier steps and for tokens of the accounts."""

        def mark(kind: str, value: Any) -> Any:
            name = self._variables.get((kind, value))
            if name is not None:
                return f"@@{name}@@"
            role = self._run.accounts.role(value) if kind == "tokens" else ""
            if role:
                return f"@@{role.replace('-', '_')}@@"
            return value if value == _NO_TOKEN else self._run.known.service(kind, value)

        return call.renamed(mark)

    # In words

    def words(self) -> list[str]:
        """Return the steps in words, one a line: caller, operation, and status of the service's answer."""
        lines = []
        for step in self._steps:
            call = self._marked(step.call)
            who = "nobody" if call.caller is None else _MARK.sub(r"\1", call.caller)
            made = self._run.things.caller(step.call.caller)
            if who == call.caller != _NO_TOKEN:  # no step of these made the token
                who = "somebody else" if made is None else f"{made.role} of the run"
            given = {**call.path, **call.query}
            text = " ".join(f"{name}={value}" for name, value in given.items())
            body = "" if call.body is None else f" body {_body_text(call.body)}"
            plain = _MARK.sub(lambda match: match[1].removeprefix("N"), f"{call.operation} {text}{body}".strip())
            lines.append(f"{who.replace('_', '-')}: {plain} -> {step.reply.status}")
        return lines

    # As a shell script

    def curl(self) -> str:
        """Return the steps as a shell script with curl and jq; tokens come from the environment."""
        lines = [f"BASE_URL={shlex.quote(self._run.base_url)}"]
        for place, step in enumerate(self._steps):
            command = self._command(self._marked(step.call))
            captures = self._captures.get(place, [])
            if captures:
                lines.append(f"ANSWER=$({command})")
                lines += [f"""{_shell(name)}=$(echo "$ANSWER" | jq -r '{_jq(at)}')""" for name, at in captures]
            else:
                lines.append(command)
        return "\n".join(lines)

    def _command(self, call: ModelCall) -> str:
        asked = address(
            call.declared,
            call.arguments,
            self._run.profile,
            body=call.body,
            content_type=call.content_type,
            token=call.caller,
        ).request
        query = f"?{asked.query}" if asked.query else ""
        prefix = call.declared.catalogue.prefix_under(self._run.profile)
        target = asked.target.removeprefix(prefix)
        parts = ["curl -sS"]
        if asked.method != "GET":
            parts.append(f"-X {asked.method}")
        parts.append(_quoted("$BASE_URL", f"{target}{query}".replace("%40%40", "@@")))
        parts += [f"-H {_quoted('', f'{name}: {value}')}" for name, value in asked.headers.items()]
        if asked.body:
            try:
                text = asked.body.decode()
            except UnicodeDecodeError:
                text = asked.body.decode("latin-1")
            text = _NUMBER.sub(r"@@\1@@", text)  # user ids are numbers, without quotes
            parts.append(f"--data-binary {_quoted('', text)}")
        return " ".join(parts)

    # As a test

    def test(self, difference: Difference) -> str:
        """Return the steps as a test that fails while the service differs from the model."""
        roles = sorted({role for step in self._steps if (role := self._run.accounts.role(step.call.caller))})
        lines = ["import os", "", "from confsim.testing import Url", "", ""]
        lines.append(f"def test_{self._steps[-1].call.operation}_answers_as_the_model() -> None:")
        body = ['service = Url(os.environ["BASE_URL"])']
        body += [f'{role.replace("-", "_")} = os.environ["{_shell(role.replace("-", "_"))}"]' for role in roles]
        for place, step in enumerate(self._steps):
            body.append(f"answer = {self._python(self._marked(step.call))}")
            body += [
                f"{name.removeprefix('N')} = answer.body{_index(at)}" for name, at in self._captures.get(place, [])
            ]
        body += self._assertion(difference)
        return "\n".join([*lines, *(f"    {line}" for line in body)]) + "\n"

    def _python(self, call: ModelCall) -> str:
        words = [repr(call.operation)]
        words.append(repr(call.caller))
        words += [
            f"{name}_={text!r}" if name in {"from", "as"} else f"{name}={text!r}"
            for name, text in call.arguments.items()
        ]
        if call.body is not None:
            words.append(f"body={call.body!r}")
        if isinstance(call.body, bytes):
            words.append(f"content_type={call.content_type!r}")
        text = f"service.call({', '.join(words)})"
        return re.sub(r"'@@N?(\w+?)@@'", r"\1", text)

    def _assertion(self, difference: Difference) -> list[str]:
        expected = self._steps[-1].predicted.reply
        lines = [f"# the service: {difference}"]
        if difference.place == "status":
            return [*lines, f"assert answer.status == {expected.status}"]
        lines.append(f"assert answer.status == {expected.status}")
        value = difference.expected
        if not difference.place.startswith("/") and difference.place:
            return lines
        if difference.why and not isinstance(value, list):
            return [*lines, f"# {difference.place}: {difference.why}"]
        if isinstance(value, bool | int | float | str) or value is None:
            return [*lines, f"assert answer.body{_index(difference.place)} == {value!r}"]
        if isinstance(value, list):
            return [*lines, f"assert len(answer.body{_index(difference.place)}) == {len(value)}"]
        holder, _, name = difference.place.rpartition("/")
        there = "not in" if difference.got is not None and not _is_plain(value) else "in"
        return [*lines, f"assert {name!r} {there} answer.body{_index(holder)}"]


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | list | dict)


def _placed(shape: Any, value: Any, pointer: str) -> Iterator[tuple[str, Any, str]]:
    """Yield the values that a side chose: kind, value and place."""
    kind = getattr(shape, "kind", "")
    if kind not in NOT_NAMES and isinstance(value, str | int):
        yield kind, value, pointer
    elif isinstance(shape, Elements) and isinstance(value, list):
        for index, each in enumerate(value):
            yield from _placed(shape.element, each, f"{pointer}/{index}")
    elif isinstance(shape, ObjectShape) and isinstance(value, dict):
        for name, each in value.items():
            yield from _placed(shape.fields.get(name), each, f"{pointer}/{name}")
    elif isinstance(shape, Entries) and isinstance(value, dict):
        for name, each in value.items():
            yield from _placed(shape.value, each, f"{pointer}/{name}")


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _jq(pointer: str) -> str:
    return "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in _parts(pointer)) or "."


def _index(pointer: str) -> str:
    return "".join(f"[{part}]" if part.isdigit() else f"[{part!r}]" for part in _parts(pointer))


def _shell(name: str) -> str:
    return name.removeprefix("N").upper()


def _quoted(start: str, text: str) -> str:
    """Return a text in double quotes, with variables for the placeholders."""
    escaped = re.sub(r'(["\\$`])', r"\\\1", text)
    filled = _MARK.sub(lambda match: "${" + _shell(match[1]) + "}", escaped)
    return f'"{start}{filled}"'


def _body_text(body: Any) -> str:
    return (
        f"{len(body)} bytes"
        if isinstance(body, bytes) and len(body) > 60
        else (body.decode(errors="replace") if isinstance(body, bytes) else json.dumps(body))
    )
