"""Calibrate: calls beside a model whose assumptions follow what the service answers, until nothing more can be told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import REGISTER
from confsim.assumptions.register.candidates import candidates
from confsim.kernel.refusal import Misuse
from confsim.service.clock import Clock
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.acquaintance import Acquaintance
from confsim.testing.learning.calls import Call
from confsim.testing.learning.cleaning import clean_up, removable
from confsim.testing.learning.correspondence import Correspondence
from confsim.testing.learning.run import Run, Step
from confsim.testing.learning.scope import LEFT_OUT, RINGING
from confsim.testing.learning.service import Interrupted, Service, Spent
from confsim.testing.verifying.explaining import observed
from confsim.testing.verifying.findings import masked
from confsim.testing.verifying.planning import Planner
from confsim.testing.verifying.printing import Printer

from .alternative import Alternative
from .alternatives import Alternatives
from .book import Book

#: After how many journeys in which nothing was ruled out the run ends.
_FRUITLESS = 8
#: How often the model is made anew under other assumptions at most.
_MOST_MODELS = 60
#: Requests kept back for the removal of what is made meanwhile.
_KEPT_BACK = 8
#: How many alternatives are tried in pairs at most.
_IN_PAIRS = 60


class Contradiction(Struct):
    """An answer that no alternative explains: the call in words, its place, what the model and the service say."""

    operation: str
    call: str
    place: str
    expected: Any
    got: Any


class CalibrateReport(Struct):
    """What was found of each assumption, as design says: learned, confirmed, undetermined with why, contradicted."""

    base_url: str
    learned: dict[str, Any] = {}
    confirmed: list[str] = []
    undetermined: dict[str, str] = {}
    contradicted: list[Contradiction] = []
    requests: int = 0
    repeated: int = 0
    models: int = 0
    left: list[str] = []
    notes: list[str] = []
    interrupted: str = ""


class _Otherwise(Exception):
    """The service follows other assumptions than those in force: the model is to be made anew."""


class Calibrator:
    """One calibrate run. Parameters are those of a verifier; ``journeys`` is how many are made at most."""

    def __init__(
        self,
        service: Service,
        accounts: Accounts,
        known: Correspondence,
        *,
        base_url: str,
        tag: str,
        seed: int = 0,
        journeys: int = 80,
        rings: bool = False,
        clock: Clock | None = None,
        progress: Callable[[str], object] | None = None,
    ) -> None:
        self.report = CalibrateReport(base_url)
        self.book = Book()
        self._service = service
        self._accounts = accounts
        self._known = known
        self._tag = tag
        self._seed = seed
        self._journeys = journeys
        self._rings = rings
        self._clock = clock
        self._progress = progress
        self._runs: list[Run] = []
        self._read: Acquaintance | None = None
        self._set_aside: set[str] = set()
        self._done = 0
        self._fruitless = 0

    def run(self) -> CalibrateReport:
        """Calibrate, remove what was made, and return what was found. Misuse when the run cannot begin."""
        report = self.report
        self._find_presentation()
        try:
            while report.models < _MOST_MODELS:
                report.models += 1
                try:
                    self._with_model()
                    break
                except _Otherwise:
                    report.left += clean_up(self._runs.pop())
        except Spent as spent:
            report.notes.append(str(spent))
        except Interrupted as interrupted:
            report.interrupted = str(interrupted)
        except KeyboardInterrupt:
            report.interrupted = "it was interrupted"
        for run in self._runs:
            report.left += clean_up(run)
        self._conclude()
        return report

    def _conclude(self) -> None:
        report, book = self.report, self.book
        report.learned = {id: _plain(value) for id, value in book.learned().items()}
        report.confirmed = book.confirmed()
        report.undetermined = dict(book.undetermined(dict(self._reasons())))
        report.requests, report.repeated = self._service.sent, self._service.repeated

    def _reasons(self) -> Iterator[tuple[str, str]]:
        """Why no call depended on an assumption, where its operations say it."""
        for id, entry in REGISTER.entries.items():
            named = [*entry.operations] or [id.partition(".")[2]]
            if any(each in LEFT_OUT for each in named):
                yield id, f"{named[0]} is not called, since {LEFT_OUT.get(named[0], 'it is left out')}"
            elif not self._rings and any(each in RINGING for each in named):
                yield id, "it needs a phone"
            elif entry.operations:
                yield id, f"no call of {', '.join(entry.operations[:3])} depended on it"

    # First contact

    def _find_presentation(self) -> None:
        """Find how a token is presented, before anything else can be asked. Misuse when none is accepted."""
        entry, token = wire.PRESENTATION, next(iter(self._accounts.tokens.values()))
        call = Call("list_supported_languages", token)
        accepted = []
        for value in (entry.default, *candidates(entry)):
            self._service.profile = {entry.id: value}
            reply = self._service.call(call)
            if reply.status < 400:
                accepted.append(value)
            else:
                self.book.rule_out(Alternative((entry.id, value)), ())
        if not accepted:
            raise Misuse(
                "the base URL is not this API, or refuses the tokens: list_supported_languages is not answered"
            )
        self.book.used.add(entry.id)
        if accepted[0] != entry.default:
            self.book.adopt(Alternative((entry.id, accepted[0])), [])
        self._service.profile = self.book.profile

    # One model

    def _with_model(self) -> None:
        """Go on under the assumptions in force. Raises _Otherwise when others are."""
        self._service.profile = dict(self.book.profile)
        known = Correspondence()
        known.shift, known.latency = self._known.shift, self._known.latency
        self._service.know(known)
        run = Run(
            self._service,
            self._accounts,
            dict(self.book.profile),
            known,
            tag=f"{self._tag}m{self.report.models}",
            rings=self._rings,
            clock=self._clock,
            base_url=self.report.base_url,
            read_before=self._read,
        )
        self._runs.append(run)
        self._read = run.acquaintance
        self._known = known
        alternatives = Alternatives(run)
        for step in run.opening():
            self._judge(run, alternatives, step)
        planner = Planner(run.model, run.things, run.scope, run.names, self._seed + self._done, run.numbers)
        planner.set_aside.update(self._set_aside)
        while self._done < self._journeys and self._fruitless < _FRUITLESS:
            planner.wanted = self.book.wanted()
            self._journey(run, alternatives, planner)
            self._done += 1
            self._say()

    def _journey(self, run: Run, alternatives: Alternatives, planner: Planner) -> None:
        fruit = False
        for call in planner.journey_calls():
            run.journey = planner.journey
            self._service.reserve = sum(len(removable(each)) for each in self._runs) + _KEPT_BACK
            step = run.take(call)
            fruit |= self._judge(run, alternatives, step)
            if step.difference is not None and call.declared.changes:
                break
            planner.set_aside.update(self._set_aside)
            planner.note(call, step.predicted, step.before)
        self._fruitless = 0 if fruit else self._fruitless + 1

    def _judge(self, run: Run, alternatives: Alternatives, step: Step) -> bool:
        """Take up what a step tells; returns whether it ruled something out. Raises _Otherwise."""
        book = self.book
        book.used.update(step.predicted.used)
        concerned = alternatives.concerned(step, book)
        if step.difference is not None:
            self._explain(run, alternatives, step, concerned)
            return False
        ruled_out = list(alternatives.differing(step, concerned))
        for each in ruled_out:
            book.rule_out(each, step.predicted.used)
        alternatives.forget(ruled_out)
        book.lost |= {id for each in alternatives.lost for id in each.ids}
        return bool(ruled_out)

    def _explain(self, run: Run, alternatives: Alternatives, step: Step, concerned: list[Alternative]) -> None:
        """Find what explains an answer, and raise _Otherwise; note a contradiction when nothing does."""
        seen = [each for id, value in observed(step) if (each := self.book.add(id, value)) is not None]
        concerned = list(dict.fromkeys([*concerned, *seen]))
        found = [each for each in concerned if alternatives.explains(step, each)]
        if not found:
            single = [each for each in concerned if len(each.values) == 1][:_IN_PAIRS]
            pairs = (
                Alternative(*one.values, *other.values)
                for one, other in combinations(single, 2)
                if one.ids != other.ids
            )
            found = [each for each in pairs if alternatives.explains(step, each)]
        if not found:
            self._contradict(run, step)
            return
        chosen, *others = found
        self._say(f"{chosen.values[0][0]} = {_plain(chosen.values[0][1])!r}")
        self.book.adopt(chosen, others)
        for id in chosen.ids:
            explained = [dict(each.values)[id] for each in found if id in each.ids]
            self.book.refuse(id, explained, step.predicted.used)
        self._done = max(0, self._done - 1)
        raise _Otherwise

    def _contradict(self, run: Run, step: Step) -> None:
        """Note an answer that nothing explains; its operation is called no more."""
        difference = step.difference
        assert difference is not None
        self._set_aside.add(step.call.operation)
        self.report.contradicted.append(
            Contradiction(
                step.call.operation,
                masked(run, Printer(run, [step]).words()[0]),
                difference.place,
                masked(run, difference.predicted),
                masked(run, difference.answered),
            )
        )
        self._say(f"{step.call.operation} is not explained: {difference}")
        if step.apart:
            raise _Otherwise

    def _say(self, found: str = "") -> None:
        if self._progress is not None:
            settled = len(self.book.learned()) + len(self.book.confirmed())
            self._progress(
                found or f"journey {self._done}: {self._service.sent} requests, {settled} assumptions settled"
            )


def _plain(value: Any) -> Any:
    """A value as it stands in a profile."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    return value.value if hasattr(value, "value") else value
