"""What is aimed at: for each figure the bound, and which figures the README shows."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

NUMBER = r"(\d[\d,]*(?:\.\d+)?)"


class Aim(Struct, frozen=True, kw_only=True):
    """A figure of a part and the bound for it.

    ``reading`` matches the number in a figure that is a text; of a list its length is the number. ``at_least`` may be
    the name of another figure of the part. ``in_readme`` says whether the README shows it, ``why`` what keeps the
    figure from its bound where it is not met.
    """

    part: str
    figure: str
    at_most: float | None = None
    at_least: float | str | None = None
    words: str | None = None
    reading: str = NUMBER
    in_readme: bool = False
    why: str = ""

    def bound(self, figures: dict[str, Any]) -> str:
        """The bound in words."""
        if self.words is not None:
            return f"“{self.words}”"
        if self.at_most is not None:
            return "0" if self.at_most == 0 else f"at most {_short(self.at_most)}"
        return f"at least {_short(self._least(figures))}"

    def met(self, figures: dict[str, Any]) -> bool:
        """Whether the figure is as aimed at."""
        figure = figures[self.figure]
        if self.words is not None:
            return self.words in str(figure)
        found = number(figure, self.reading)
        if self.at_most is not None:
            return found <= self.at_most
        return found >= self._least(figures)

    def _least(self, figures: dict[str, Any]) -> float:
        if isinstance(self.at_least, str):
            return number(figures[self.at_least], self.reading)
        assert self.at_least is not None, self
        return self.at_least


def number(figure: Any, reading: str = NUMBER) -> float:
    """The number of a figure: itself, the length of a list, or what is read in a text. Raises ValueError for none."""
    if isinstance(figure, list):
        return len(figure)
    if isinstance(figure, int | float):
        return figure
    found = re.search(reading, str(figure))
    if found is None:
        raise ValueError(f"{figure!r} holds no number")
    return float(found[1].replace(",", ""))


def _short(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) or value >= 1_000 else f"{value:g}"


def _zero(part: str, *figures: str) -> tuple[Aim, ...]:
    return tuple(Aim(part=part, figure=figure, at_most=0) for figure in figures)


#: Why speeds are not as aimed at, where several have one cause.
_WRITES = "more than half of all operations write: see the figures by the number of records"
_LISTS = "an answer of many fields costs by the field, and the bare app answers with one"
_STEPS = "checks, journal and observers are plain calls of functions, many for each request, and none is a tenth of it"
_DECLARED = "223 operations are declared with their types, gates and assumptions while the server starts"
_LOG = "the calls since the last checkpoint are read from the log as well, and put in their tables"
_CLOCK = "it is no ratio: it holds while the processor is as fast as it was when it was measured"
_BESIDE = "it is the time of a clock, measured beside other work: a load of seven on two processors"
_FOLLOWED = "each write sees to it that indexes and timers follow the record, and that the record is the stored one"
_MENDED_SINCE = "two ways in which a session began in a disabled client; mended since"
_LONG = "the reasons are among the figures of the growth, below"

AIMS: tuple[Aim, ...] = (
    *_zero("suite", "failed"),
    Aim(part="marks", figure="rules that tests are marked with", at_least="rules"),
    *_zero("rules", "breakages not tried yet", "tests that fail unbroken", "marks whose test fails under no breakage"),
    Aim(part="rules", figure="rules with a test that fails", at_least="rules", in_readme=True),
    Aim(part="register", figure="gaps with an entry", at_least="gaps", in_readme=True),
    Aim(
        part="register",
        figure="of these, every alternative can be chosen or says why not",
        at_least="gaps of high and medium weight",
    ),
    Aim(part="flips", figure="to do", at_most=0),
    Aim(part="flips", figure="unsound", at_most=0, in_readme=True),
    *_zero("flips", "never effective", "named with a reason that is not true"),
    *_zero("refusals", "not listed"),
    Aim(part="tables", figure="survivors", at_most=0),
    Aim(part="mutants", figure="mutants", at_least=1000),
    Aim(part="mutants", figure="killed", at_least=95, reading=r"([\d.]+) %", in_readme=True),
    *_zero("mutants", "rooms below the share"),
    *_zero("non_interference", "interferences"),
    *_zero("linearizability", "not linearizable", "planted races that were not found"),
    *_zero("no_trace", "operations that never succeeded", "traces"),
    *_zero("determinism", "ways that differ"),
    Aim(part="explore", figure="distinct worlds", at_least=500_000),
    Aim(part="explore", figure="starts", at_least=10),
    Aim(part="explore", figure="memory (MiB)", at_most=4096),
    Aim(part="explore", figure="unknown violations", at_most=0, why=_MENDED_SINCE),
    *_zero("explore", "known violations that no longer happen", "invariants that failed"),
    *_zero("explore", "starts cut short"),
    Aim(part="planted", figure="planted", at_least=40),
    *_zero("planted", "not found", "named as unable to show, and found"),
    *_zero(
        "tenant_matrix",
        "operations that never succeeded",
        "cells not tried",
        "cells that are not as they are to be",
    ),
    *_zero("verify", "differences of the true service"),
    Aim(part="verify", figure="mutants", at_least=300),
    Aim(part="verify", figure="seen within 1,000 requests", at_least="95 of 100 mutants"),
    Aim(part="verify", figure="seen within 5,000 requests", at_least="99 of 100 mutants"),
    Aim(part="verify", figure="reproducers of at most six calls", at_least="half of the whole runs"),
    Aim(part="verify beside true services", figure="true services", at_least=1000),
    *_zero("verify beside true services", "false alarms"),
    *_zero("calibrate", "wrong claims", "contradicted", "divergences under the written profile"),
    Aim(part="calibrate", figure="profiles", at_least=1000),
    Aim(
        part="calibrate",
        figure="tellable entries, learned or confirmed",
        at_least="95 % of the tellable entries",
    ),
    Aim(part="calibrate", figure="three for each tellable entry", at_least="requests"),
    *_zero("calibrate", "could not begin", "ended early", "calibrated a second time with another profile"),
    Aim(part="calibrate", figure="of these profiles, with 10,000 requests or nearly", at_least=20),
    *_zero("hiding", "hidden and not declared", "declared and not found"),
    *_zero("fuzz, singles", "robust tests that are named", "leaning tests whose set is not named"),
    *_zero("fuzz, pairs", "robust tests that are named", "leaning tests whose set is not named"),
    *_zero("cluster", "seeds that were not done"),
    Aim(part="http_cases", figure="cases", at_least=120),
    *_zero("http_cases", "not as they are to be"),
    *_zero("connections", "burst: out of bounds", "slow readers: out of bounds", "half-closed: unanswered"),
    *_zero("connections", "idle: out of bounds"),
    Aim(part="schemathesis", figure="operations", at_least=222),
    Aim(part="schemathesis", figure="examples of an operation", at_least=200),
    Aim(part="schemathesis", figure="findings", at_most=0, in_readme=True),
    *_zero("schemathesis", "errors", "operations that never succeed", "parts to do"),
    Aim(part="judges", figure="openapi-python-client, api", words="no warning"),
    Aim(part="judges", figure="openapi-python-client, control", words="no warning"),
    *(
        Aim(part="judges", figure=f"{judge}, {subject}", words="without errors and warnings")
        for judge in ("Redocly", "Spectral")
        for subject in ("api", "control")
    ),
    Aim(part="judges", figure="openapi-typescript with openapi-fetch", words="a journey of"),
    Aim(part="judges", figure="@hey-api/openapi-ts", words="a journey of"),
    Aim(part="judges", figure="Prism", words="0 violations"),
    Aim(part="speed of operations", figure="again, reads, median", at_most=0.3, in_readme=True, why=_STEPS),
    Aim(part="speed of operations", figure="again, reads, p95", at_most=0.5, why=_LISTS),
    Aim(part="speed of operations", figure="first, median", at_most=0.4, why=_WRITES),
    Aim(part="speed of operations", figure="first, p95", at_most=0.8, in_readme=True, why=_WRITES),
    Aim(part="speed of operations", figure="first, trees aside, p95", at_most=0.8, why=_WRITES),
    Aim(part="speed of operations", figure="first, trees aside, worst", at_most=3, why=_FOLLOWED),
    Aim(part="growth", figure="growth above the bound, without a reason", at_most=0),
    Aim(part="growth", figure="longer than 50 ms", at_most=0, why=_LONG),
    Aim(part="speed of wsgi", figure="a POST through WSGI", at_most=1, in_readme=True),
    Aim(part="speed of wsgi", figure="a POST through Simulator.call", at_most=0.25, in_readme=True, why=_STEPS),
    Aim(part="speed of forks", figure="fork with 100,000 users", at_most=10, why=_CLOCK),
    Aim(part="speed of forks", figure="reset with 100,000 users", at_most=10, why=_CLOCK),
    Aim(part="speed of pages", figure="newest 50 of 1,000,000", at_most=2),
    Aim(
        part="speed of imports",
        figure="from confsim import Simulator",
        at_most=0.8,
        reading=r"([\d.]+)x import",
        in_readme=True,
    ),
    Aim(part="speed of inspector", figure="slowest page of the inspector", at_most=200),
    Aim(part="speed of starts", figure="serve to first answer", at_most=1, in_readme=True, why=_DECLARED),
    Aim(part="speed of servers", figure="stop of a live server", at_most=20),
    Aim(part="speed of rates", figure="POSTs on 1 connection", at_least=3),
    Aim(part="speed of rates", figure="POSTs on 16 connections", at_least=10, in_readme=True),
    Aim(part="speed of openings", figure="a durable world of 100,000 rooms opens", at_most=2),
    Aim(part="speed of openings", figure="it opens after a kill", at_most=2, why=_LOG),
    Aim(part="speed of openings", figure="the memory that this takes", at_most=300),
    Aim(part="speed of pauses", figure="the longest pause by a call of control", at_most=50),
    Aim(
        part="speed of grows",
        figure="a POST while the world grows",
        at_most=20,
        reading=r"p99 ([\d.]+) ms",
        why=_BESIDE,
    ),
    Aim(
        part="speed of grows", figure="a GET while the world grows", at_most=20, reading=r"p99 ([\d.]+) ms", why=_BESIDE
    ),
)
