"""Calibrate: calls beside a model whose assumptions follow the answers, until nothing more can be determined."""

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
from confsim.testing.learning.calls import Call
from confsim.testing.learning.cleaning import clean_up, removable
from confsim.testing.learning.correspondence import Correspondence
from confsim.testing.learning.run import Run, Step
from confsim.testing.learning.scope import LEFT_OUT, RINGING
from confsim.testing.learning.service import Interrupted, Service, Spent
from confsim.testing.verifying.candidates import NOBODY, STRANGER
from confsim.testing.verifying.explaining import observed
from confsim.testing.verifying.findings import masked
from confsim.testing.verifying.planning import Planner
from confsim.testing.verifying.printing import Printer

from .alternative import Alternative
from .alternatives import Alternatives
from .book import Book
from .probing import Prober
from .recording import Recording

#: After how many portions in which nothing was ruled out the run ends.
_FRUITLESS = 6
#: How often things are made anew at most, since one side may have changed what the other has not.
_MOST_MODELS = 60
#: Requests kept back for the removal of what is made meanwhile.
_KEPT_BACK = 8
#: How many alternatives are tried in pairs at most.
_IN_PAIRS = 60
#: How many explanations are tried on everything so far.
_TRIED = 12


class Contradiction(Struct):
    """An answer that no alternative explains: the call in words, its place, what the model and the service say."""

    operation: str
    call: str
    place: str
    expected: Any
    got: Any


class CalibrateReport(Struct):
    """What was found of each assumption: learned, confirmed, undetermined with why, contradicted.

    ``shown`` says by which call each was told that could be told, ``left`` what was made and could not be removed,
    ``interrupted`` says why it ended early, "" when it did not.
    """

    base_url: str
    learned: dict[str, Any] = {}
    confirmed: list[str] = []
    undetermined: dict[str, str] = {}
    contradicted: list[Contradiction] = []
    requests: int = 0
    repeated: int = 0
    models: int = 0
    shown: dict[str, str] = {}
    left: list[str] = []
    notes: list[str] = []
    interrupted: str = ""


class _Apart(Exception):
    """One side may have changed what the other has not: go on with things that are made anew."""


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
        self._recordings: list[Recording] = []
        self._alternatives: list[Alternatives] = []
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
                    self._with_run()
                    break
                except _Apart:
                    continue
        except Spent as spent:
            report.notes.append(str(spent))
        except Interrupted as interrupted:
            report.interrupted = str(interrupted)
        except KeyboardInterrupt:
            report.interrupted = "it was interrupted"
        for recording in self._recordings:
            self._service.know(recording.run.known)
            report.left += clean_up(recording.run)
        self._conclude()
        return report

    def _conclude(self) -> None:
        report, book = self.report, self.book
        report.learned = {id: _plain(value) for id, value in book.learned().items()}
        report.confirmed = book.confirmed()
        report.undetermined = dict(book.undetermined(dict(self._reasons())))
        report.shown = {id: self._how(step) for id, step in sorted(book.shown.items())}
        report.requests, report.repeated = self._service.sent, self._service.repeated

    def _how(self, step: Step) -> str:
        """A call that told something, in words: who called what, and how it was answered."""
        run = self._recordings[-1].run
        caller = NOBODY if step.call.caller is None else run.things.caller(step.call.caller) or STRANGER
        return f"{step.call.operation} as {caller.role}: {step.reply.status}"

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
                self.book.first.add(Alternative((entry.id, value)).key)
        if not accepted:
            raise Misuse(
                "the base URL is not this API, or refuses the tokens: list_supported_languages is not answered"
            )
        self.book.used.add(entry.id)
        if accepted[0] != entry.default:
            self.book.first.add(Alternative((entry.id, entry.default)).key)
            self.book = self.book.renewed(Alternative((entry.id, accepted[0])), [])
        self._service.profile = self.book.profile

    # One run

    def _with_run(self) -> None:
        """Go on with things that are made anew. Raises _Apart when others are to be."""
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
            read_before=self._recordings[-1].run.acquaintance if self._recordings else None,
        )
        self._recordings.append(Recording(run))
        self._alternatives.append(Alternatives(run))
        self._known = known
        for call in run.opening_calls():
            self._make(call)
        planner = self._planner(run)
        while self._done < self._journeys and self._fruitless < _FRUITLESS:
            ruled_out = self.book.count
            if not self._portion(planner):
                continue
            self._done += 1
            self._fruitless = 0 if self.book.count > ruled_out else self._fruitless + 1
            self._say()

    def _planner(self, run: Run) -> Planner:
        planner = Planner(run.model, run.things, run.scope, run.names, self._seed + self.report.models, run.numbers)
        planner.set_aside.update(self._set_aside)
        return planner

    def _portion(self, planner: Planner) -> bool:
        """Some calls: what the planner plans, or what tells open alternatives apart; whether it came to its end."""
        run = self._recordings[-1].run
        planner.wanted = self.book.wanted()
        prober = Prober(planner, self.book, self._alternatives[-1])
        calls = planner.journey_calls() if planner.sweep.left or self._done % 2 else prober.calls()
        for call in calls:
            run.journey = planner.journey
            self._service.reserve = sum(len(removable(each.run)) for each in self._recordings) + _KEPT_BACK
            step = self._make(call)
            planner.set_aside.update(self._set_aside)
            if self._recordings[-1].run is not run:  # the model is another
                planner.go_on_with(self._recordings[-1].run)
                return False
            planner.note(call, step.predicted, step.before)
        return True

    def _make(self, call: Call) -> Step:
        """Make a call, and take up what it tells. Raises _Apart."""
        recording = self._recordings[-1]
        step = recording.take(call)
        if step.difference is None:
            self._judge(self.book, self._alternatives[-1], step)
        else:
            self._explain(recording, step)
        return step

    def _judge(self, book: Book, alternatives: Alternatives, step: Step) -> bool:
        """Rule out what an answer rules out; returns whether the answer was expected."""
        book.used.update(step.predicted.used)
        if step.difference is not None:
            return False
        ruled_out = list(alternatives.differing(step, alternatives.concerned(step, book)))
        for each in ruled_out:
            book.rule_out(each)
            for id in each.ids:
                book.shown.setdefault(id, step)
        if step.reply.status < 400:
            book.settle(f"route.{step.call.operation}")
        alternatives.forget(ruled_out)
        return True

    # What was not expected

    def _explain(self, recording: Recording, step: Step) -> None:
        """Find what explains an answer, and let it be in force; note a contradiction when nothing does."""
        book, alternatives = self.book, self._alternatives[-1]
        book.used.update(step.predicted.used)
        seen = [each for id, value in observed(step) if (each := book.add(id, value)) is not None]
        concerned = list(dict.fromkeys([*alternatives.concerned(step, book), *seen]))
        found = [each for each in concerned if alternatives.explains(step, each)]
        if self._adopt_one(found):
            return
        single = [each for each in concerned if len(each.values) == 1][:_IN_PAIRS]
        pairs = (
            Alternative(*one.values, *other.values) for one, other in combinations(single, 2) if one.ids != other.ids
        )
        if not self._adopt_one([each for each in pairs if alternatives.explains(step, each)]):
            self._contradict(recording, step)

    def _adopt_one(self, found: list[Alternative]) -> bool:
        """Let the first of some alternatives be in force under which everything so far was to be expected."""
        for chosen in found[:_TRIED]:
            book = self.book.renewed(chosen, [each for each in found if each is not chosen])
            judged: list[Alternatives] = []

            def meet(run: Run, book: Book = book, judged: list[Alternatives] = judged) -> Callable[[Step], bool]:
                judged.append(Alternatives(run))
                return lambda step: self._judge(book, judged[-1], step)

            runs: list[Run] = []
            for recording in self._recordings:
                run = recording.replayed(dict(book.profile), meet)
                if run is None:
                    break
                runs.append(run)
            if len(runs) < len(self._recordings):
                continue
            for recording, run in zip(self._recordings, runs, strict=True):
                recording.run = run
            self.book, self._alternatives, self._known = book, judged, runs[-1].known
            self._service.profile = dict(book.profile)
            self._service.know(self._known)
            self._say(f"{chosen.values[0][0]} = {_plain(chosen.values[0][1])!r}")
            return True
        return False

    def _contradict(self, recording: Recording, step: Step) -> None:
        """Note an answer that nothing explains; its operation is called no more."""
        difference = step.difference
        assert difference is not None
        recording.exchanges[-1].explained = False
        self._set_aside.add(step.call.operation)
        run = recording.run
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
            raise _Apart

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
