"""A reproducer in words, as a shell script and as a test."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from confsim.assumptions.protocol.transport import PREFIX
from confsim.assumptions.protocol.wire import PRESENTATION
from confsim.service.files.profile import plain
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.run import Run, RunStep
from confsim.transport.address import address

from . import python, shell
from .asserting import assertion
from .symbols import CAPITALS, MARK, NO_TOKEN, TAG, PrintedSymbols

_JSON = "application/json"
#: What a printed test may import, each a module and a name.
_IMPORTS = (("datetime", "datetime"), ("email.utils", "parsedate_to_datetime"), ("uuid", "uuid4"))


class Printer:
    """Prints the steps of a reproducer.

    The script and the test give names of their own to what they make, so that each can be run any number of times.
    """

    def __init__(self, run: Run, steps: Sequence[RunStep]) -> None:
        self._run = run
        self._steps = steps
        self._symbols = PrintedSymbols(run, steps)

    # In words

    def words(self) -> list[str]:
        """Return the steps in words, one a line: caller, operation, and status of the service's answer."""
        lines = []
        for step in self._steps:
            call = self._symbols.marked(step.call)
            who = "nobody" if call.caller is None else MARK.sub(r"\2", call.caller)
            made = self._run.things.caller(step.call.caller)
            if who == call.caller != NO_TOKEN:  # no step of these made the token
                who = "somebody else" if made is None else f"{made.role} of the run"
            text = " ".join(f"{name}={value}" for name, value in call.arguments.items())
            body = "" if call.body is None else f" body {_body_text(call.body)}"
            plain = MARK.sub(r"\2", f"{call.operation} {text}{body}".strip())
            lines.append(f"{who.replace('_', '-')}: {plain} -> {step.reply.status}")
        return lines

    # As a shell script

    def curl(self) -> str:
        """Return the steps as a shell script with curl and jq; tokens come from the environment.

        The last answer is shown with its status and headers; an earlier call that fails says so.
        """
        used = self._symbols.used
        lines = [f"BASE_URL={shlex.quote(self._run.base_url)}"]
        for role in self._symbols.roles:
            lines.append(f': "${{{shell.variable(role)}:?is to be the token of the {role.replace("_", "-")}}}"')
        if used & {TAG, CAPITALS}:
            lines.append(f"{shell.variable(TAG)}=cv$(od -An -N3 -tx1 /dev/urandom | tr -d ' \\n')")
        if CAPITALS in used:
            lines.append(f'{shell.variable(CAPITALS)}=$(printf %s "${shell.variable(TAG)}" | tr a-z A-Z)')
        for place, (step, call) in enumerate(zip(self._steps, self._symbols.calls, strict=True)):
            captures = self._symbols.captures.get(place, [])
            if place == len(self._steps) - 1:
                lines.append(self._command(call, "curl -sS -i"))
                continue
            command = self._command(call, "curl -sS" if step.reply.status >= 400 else "curl -sSf")
            lines.append(f"ANSWER=$({command})" if captures else command)
            lines += [
                f'{shell.variable(each.symbol)}=$(printf %s "$ANSWER" | jq -r {shell.filter_of(each.place)})'
                for each in captures
            ]
        return "\n".join(lines)

    def _command(self, call: ModelCall, program: str) -> str:
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
        parts = [program]
        if asked.method != "GET":
            parts.append(f"-X {asked.method}")
        parts.append(shell.quoted(f"{target}{query}".replace("%40%40", "@@"), "$BASE_URL"))
        parts += [f"-H {shell.quoted(f'{name}: {value}')}" for name, value in asked.headers.items()]
        before = ""
        if asked.body:
            before, option = shell.piped(asked.body)
            parts.append(option)
        return before + " ".join(parts)

    # As a test

    def test(self) -> str:
        """Return the steps as a test that fails while the service differs from the model."""
        *earlier, last = self._steps
        calls, used = self._symbols.calls, self._symbols.used
        body = [f'service = Url(os.environ["BASE_URL"]{self._addressed()})']
        body += [f'{role} = os.environ["{shell.variable(role)}"]' for role in self._symbols.roles]
        if used & {TAG, CAPITALS}:
            body.append(f'{TAG} = f"cv{{uuid4().hex[:6]}}"')
        if CAPITALS in used:
            body.append(f"{CAPITALS} = {TAG}.upper()")
        for place, step in enumerate(earlier):
            body.append(self._python(calls[place]))
            body.append(f"assert answer.status == {step.reply.status}")
            body += [f"{each.symbol} = {python.at(each.place)}" for each in self._symbols.captures.get(place, [])]
        body.append(self._python(calls[-1]))
        body.append(f"# the service: {last.difference}")
        body += assertion(self._run, self._symbols, last)
        text = "\n".join(body)
        lines = [
            "import os",
            *(f"from {module} import {name}" for module, name in _IMPORTS if f"{name}(" in text or f"{name}." in text),
        ]
        lines += ["", "from confsim.testing import Url", "", ""]
        lines.append(f"def test_{last.call.operation}_answers_as_the_model() -> None:")
        return "\n".join([*lines, *(f"    {line}" for line in body)]) + "\n"

    def _addressed(self) -> str:
        """Return the argument with the values of the profile by which the service is addressed, "" for none."""
        routes = {f"route.{step.call.operation}" for step in self._steps}
        ids = {PRESENTATION.id, PREFIX.id, *routes} & self._run.profile.keys()
        return f", {plain({id: self._run.profile[id] for id in sorted(ids)})!r}" if ids else ""

    def _python(self, call: ModelCall) -> str:
        words = [repr(call.operation), python.expression(call.caller)]
        words += [
            f"{name}_={python.expression(text)}" if name in {"from", "as"} else f"{name}={python.expression(text)}"
            for name, text in call.arguments.items()
        ]
        if call.body is not None:
            words.append(f"body={python.expression(call.body)}")
        if isinstance(call.body, bytes) or call.content_type not in {None, _JSON}:
            words.append(f"content_type={call.content_type!r}")
        return f"answer = service.call({', '.join(words)})"


def _body_text(body: Any) -> str:
    return (
        f"{len(body)} bytes"
        if isinstance(body, bytes) and len(body) > 60
        else (body.decode(errors="replace") if isinstance(body, bytes) else json.dumps(body))
    )
