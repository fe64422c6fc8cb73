"""One calibrate run: calls a service and a model, adjusts the model's assumptions until no call shows a difference."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from confsim.reference.probes import seen_in_calls
from confsim.service.clock import Clock
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.cleaning import clean_up, reserve_removal
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.run import Run, RunStep
from confsim.testing.learning.service import Interrupted, RealService, Spent, excerpt
from confsim.testing.verifying.candidates import NOBODY, STRANGER
from confsim.testing.verifying.planning import Planner

from .alternative import Alternative, plain
from .evidence import AssumptionEvidence, Judged
from .learner import Apart, Contradiction, Learner
from .playing import Player
from .probing import Prober
from .raw import RawPlayer
from .seeing import UNSEEN, refusal_of, why_not_called

#: Number of consecutive portions that settle nothing, once all known probes are played, after which the run ends.
_FRUITLESS = 2
#: How often a call is sought for each assumption that is still open, once all known probes are played.
_SOUGHT = 1
#: Most restarts with fresh things. A restart is needed when one side may have made a change that the other has not.
_MOST_MODELS = 60


class CalibrateReport(Struct):
    """The findings about each assumption: learned, confirmed, undetermined (with the reason) or contradicted.

    ``assumed`` has values that are not the default, and explain the answers as others do that are undetermined too.
    ``shown`` maps an assumption to the call that determined it. ``left`` lists what was made and could not be removed.
    ``interrupted`` is the reason why the run ended early, else "".
    """

    base_url: str
    learned: dict[str, Any] = {}
    confirmed: list[str] = []
    undetermined: dict[str, str] = {}
    assumed: dict[str, Any] = {}
    contradicted: list[Contradiction] = []
    requests: int = 0
    repeated: int = 0
    models: int = 0
    shown: dict[str, str] = {}
    left: list[str] = []
    notes: list[str] = []
    interrupted: str = ""


class Calibrator:
    """One calibrate run. The parameters are those of ``Verifier``.

    ``journeys`` is the most portions of calls that are made, ``patience`` after how many that are searched and settle
    nothing the run ends;
    ``plays`` says whether known probes are played before others are searched; ``thorough`` that calls are searched for
    assumptions too that no known probe tells.
    """

    def __init__(
        self,
        service: RealService,
        accounts: Accounts,
        known: Correspondence,
        *,
        base_url: str,
        tag: str,
        seed: int = 0,
        journeys: int = 80,
        allow_phone_calls: bool = False,
        clock: Clock | None = None,
        progress: Callable[[str], object] | None = None,
        patience: int = _FRUITLESS,
        plays: bool = True,
        thorough: bool = False,
    ) -> None:
        self.report = CalibrateReport(base_url)
        self._service = service
        self._accounts = accounts
        self._known = known
        self._tag = tag
        self._seed = seed
        self._journeys = journeys
        self._allow_phone_calls = allow_phone_calls
        self._clock = clock
        self._progress = progress
        self._patience = patience
        self._plays = plays
        self._sought = () if thorough else seen_in_calls()
        self.learner = Learner(service, self._say)
        self.raw = RawPlayer(service, self.learner)
        self._done = 0
        self._fruitless = 0
        self._searches = False

    @property
    def evidence(self) -> AssumptionEvidence:
        """Return what is known of each assumption."""
        return self.learner.evidence

    @property
    def _settled(self) -> int:
        return len(self.evidence.learned()) + len(self.evidence.confirmed())

    def run(self) -> CalibrateReport:
        """Calibrate, remove what was made, and return the report. Raises Misuse when the run cannot begin."""
        report = self.report
        self._find_presentation()
        try:
            while report.models < _MOST_MODELS:
                report.models += 1
                try:
                    self._with_run()
                    break
                except Apart:
                    continue
        except Spent as spent:
            report.notes.append(str(spent))
        except Interrupted as interrupted:
            report.interrupted = str(interrupted)
        except KeyboardInterrupt:
            report.interrupted = "it was interrupted"
        for recording in self.learner.recordings:
            self._service.know(recording.run.known)
            report.left += clean_up(recording.run)
        self._conclude()
        return report

    def _conclude(self) -> None:
        report, evidence = self.report, self.evidence
        report.learned = {id: plain(value) for id, value in evidence.learned().items()}
        report.confirmed = evidence.confirmed()
        report.undetermined = dict(evidence.undetermined(dict(self._reasons())))
        shows_nothing = {id for id, why in report.undetermined.items() if why.startswith("no ")}
        report.undetermined |= {id: why for id, why in UNSEEN.items() if id in shows_nothing}
        report.assumed = {id: plain(value) for id, value in evidence.assumed().items()}
        report.contradicted = self.learner.contradicted
        shown = {**self.raw.shown, **{id: self._how(step) for id, step in evidence.shown.items()}}
        report.shown = dict(sorted(shown.items()))
        report.requests, report.repeated = self._service.sent, self._service.repeated
        report.notes += dict.fromkeys(note for each in self.learner.recordings for note in each.run.notes)
        if report.repeated:
            report.notes.append(f"{report.repeated} requests were sent again, when the service asked (Retry-After)")

    def _how(self, step: RunStep) -> str:
        """Return a call that determined an assumption in words: caller, operation and answer."""
        run = self.learner.run
        caller = NOBODY if step.call.caller is None else run.things.caller(step.call.caller) or STRANGER
        return f"{step.call.operation} as {caller.role}: {step.reply.status}"

    def _reasons(self) -> Iterator[tuple[str, str]]:
        """Return, by assumption, why no call depended on it, where the declarations of its operations say so."""
        for id, entry in REGISTER.entries.items():
            not_called = why_not_called(id, allow_phone_calls=self._allow_phone_calls)
            refusal = refusal_of(id)
            if not_called:
                yield id, not_called
            elif id in self.raw.unanswered:
                yield id, self.raw.unanswered[id]
            elif refusal is not None:
                yield id, f"no call was refused so: {refusal.value.sentence}"
            elif entry.operations:
                yield id, f"no call of {', '.join(entry.operations[:3])} depended on it"

    # First contact

    def _find_presentation(self) -> None:
        """Find out how the service expects tokens, before any other call. Raises Misuse when it accepts none."""
        entry, tokens = wire.PRESENTATION, self._accounts.tokens.values()
        calls = [ModelCall("list_supported_languages", token) for token in tokens]
        calls += [ModelCall("get_me", token) for token in tokens]  # if the other is for none of these roles
        accepted: list[Any] = []
        replies: dict[str, Reply] = {}
        for call in calls:
            refused: list[Any] = []
            for value in (entry.default, *entry.candidates()):
                self._service.address_under({entry.id: value})
                try:
                    reply = self._service.call(call)
                except Spent as spent:
                    raise Misuse(f"{self._not_this_api(replies)}; {spent}") from None
                replies.setdefault(call.operation, reply)
                (accepted if reply.status < 400 else refused).append(value)
            if accepted:
                self.evidence.first.update(Alternative((entry.id, value)).key for value in refused)
                break
        else:
            raise Misuse(self._not_this_api(replies))
        self.evidence.used.add(entry.id)
        if accepted[0] != entry.default:
            self.evidence.first.add(Alternative((entry.id, entry.default)).key)
            self.learner.begin_from(self.evidence.renewed(Alternative((entry.id, accepted[0])), []))
        self.evidence.take_over(Judged(frozenset(self.evidence.first)))
        self._service.address_under(self.evidence.profile)

    def _not_this_api(self, replies: Mapping[str, Reply]) -> str:
        """Return that no token was accepted, with the first answer to each call."""
        answers = ", ".join(f"{operation} is answered by {excerpt(reply)}" for operation, reply in replies.items())
        roles = ", ".join(self._accounts.tokens)
        return f"{self.report.base_url} is not this API, or refuses the tokens ({roles}): {answers or 'nothing'}"

    # One run

    def _with_run(self) -> None:
        """Continue with fresh things. Raises Apart when fresh things are needed again."""
        self._service.address_under(dict(self.evidence.profile))
        known = (self.learner.run.known if self.learner.recordings else self._known).renewed()
        self._service.know(known)
        run = Run(
            self._service,
            self._accounts,
            dict(self.evidence.profile),
            known,
            tag=f"{self._tag}m{self.report.models}",
            allow_phone_calls=self._allow_phone_calls,
            clock=self._clock,
            base_url=self.report.base_url,
            read_before=self.learner.run.discovery if self.learner.recordings else None,
        )
        self.learner.begin(run)
        self._open()
        planner = self._planner(self.learner.run)
        player = Player(planner, self.learner.run)
        while self._done < self._journeys and self._fruitless < self._patience:
            settled = self._settled
            if not self._portion(planner, player):
                continue
            self._done += 1
            self._fruitless = 0 if self._settled > settled else self._fruitless + self._searches
            self._say()
        if self._plays:
            self._play_raw(planner, player)

    def _open(self) -> None:
        """Make the opening calls, again under values that their answers have shown, such as a limit of names."""
        profile = None
        while not self.learner.run.things.own_clients and profile != self.learner.run.profile:
            profile, calls = self.learner.run.profile, self.learner.run.opening_calls()
            with contextlib.suppress(StopIteration):
                call = next(calls)
                while call.operation not in self.learner.set_aside:
                    self._make(call)
                    call = calls.send(self.learner.run.history[-1])  # as it is expected by now

    def _play_raw(self, planner: Planner, player: Player) -> None:
        """Make the requests that no call makes. Raises Apart."""
        for probe in self.raw.wanted():
            run = self.learner.run
            if any(each.operation in self.learner.set_aside for each in probe.before):
                continue
            if self._made_all(player.play(probe.before), run, planner, player):
                call = player.bound(probe.call, anybody=not probe.before)
                if call is not None:
                    self.raw.play(probe, call)
            if self.learner.run is not run:
                planner.go_on_with(self.learner.run)
                player.go_on_with(self.learner.run)
                self.raw.judge()

    def _planner(self, run: Run) -> Planner:
        planner = Planner(
            run.model,
            run.things,
            run.scope,
            run.names,
            self._seed + self.report.models,
            run.numbers,
            follows_wrong=not self._plays,
        )
        planner.set_aside.update(self.learner.set_aside)
        return planner

    def _portion(self, planner: Planner, player: Player) -> bool:
        """Make one portion of calls: known probes, then those of the planner, or probes that are searched.

        Returns whether the portion was completed.
        """
        run, made = self.learner.run, self._service.sent
        planner.search_for(self.evidence.wanted())
        self._searches = False
        if self._plays:
            if not self._made_all(player.calls(self.evidence, self.learner.alternatives), run, planner, player):
                return False
            if self._service.sent > made:
                return True
        self._searches = True
        prober = Prober(planner, self.evidence, self.learner.alternatives)
        if self._plays:
            sought = prober.calls(_SOUGHT, self._sought)
        else:
            sought = planner.journey_calls() if planner.sweep.left or self._done % 2 else prober.calls()
        return self._made_all(sought, run, planner, player)

    def _made_all(self, calls: Iterator[ModelCall], run: Run, planner: Planner, player: Player) -> bool:
        """Make calls; return whether the model is still the same after the last."""
        for call in calls:
            run.begin_journey(planner.journey)
            reserve_removal(*(each.run for each in self.learner.recordings))
            step = self._make(call)
            planner.set_aside.update(self.learner.set_aside)
            if self.learner.run is not run:  # the model was replaced meanwhile
                planner.go_on_with(self.learner.run)
                player.go_on_with(self.learner.run)
                return False
            planner.note(call, step.predicted, step.before)
        return True

    def _make(self, call: ModelCall) -> RunStep:
        """Make a call and learn from its answer. Raises Apart."""
        step = self.learner.recordings[-1].take(call)
        self.learner.take_up(step)
        return step

    def _say(self, found: str = "") -> None:
        if self._progress is not None:
            self._progress(
                found or f"journey {self._done}: {self._service.sent} requests, {self._settled} assumptions settled"
            )
