"""The findings of an observer, as plain values."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from confsim.testing.calibrating.learner import Contradiction


class Evidence(Struct):
    """How many answers that depended on an assumption were as expected, and how many were not."""

    value: Any
    expected: int = 0
    unexpected: int = 0


class ObserveReport(Struct):
    """The findings about each assumption, as in a calibrate report, with the number of answers for each.

    ``seen`` counts the exchanges, ``followed`` those that the model could follow, ``passed_over`` the others by reason;
    ``unanswered`` the requests that were not answered, or not to the end, by reason.
    """

    upstream: str
    seen: int = 0
    followed: int = 0
    passed_over: dict[str, int] = {}
    unanswered: dict[str, int] = {}
    learned: dict[str, Any] = {}
    confirmed: list[str] = []
    evidence: dict[str, Evidence] = {}
    contradicted: list[Contradiction] = []
