"""The learner of a calibrate run: rules out values by answers, and finds values that explain an unexpected answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.assumptions.protocol.transport import PREFIX
from confsim.testing.learning.run import Run, RunStep
from confsim.testing.learning.service import RealService
from confsim.testing.verifying.explaining import observed
from confsim.testing.verifying.findings import masked
from confsim.testing.verifying.printing.messages import answer_text, request_text
from confsim.testing.verifying.printing.printer import Printer

from .alternative import Alternative, plain
from .alternatives import Alternatives
from .checkpoint import Checkpoints, RunCheckpoint
from .evidence import AssumptionEvidence
from .recording import ExchangeLog

#: Most alternatives that are tried in pairs.
_IN_PAIRS = 60
#: Most explanations that are tried on all exchanges so far.
_TRIED = 12


class Contradiction(Struct):
    """An answer that no alternative explains: the call in words, the place, the model's value and the service's.

    ``why`` is what is wrong beside the values, "" for nothing. ``request`` and ``answer`` are those of the service as
    HTTP messages, with its ids and without secrets.
    """

    operation: str
    call: str
    place: str
    expected: Any
    got: Any
    why: str
    request: str
    answer: str

    def __str__(self) -> str:
        about = f" ({self.why})" if self.why else ""
        return f"{self.call}: {self.place or 'the body'} {_json(self.got)} instead of {_json(self.expected)}{about}"


class Apart(Exception):
    """Raised when one side may have made a change that the other has not: the run continues with fresh things."""


class Learner:
    """Judges the steps of consecutive runs. ``say`` shows progress.

    ``contradicted`` lists the answers that no alternative explains, ``set_aside`` their operations, which are not
    called again.
    """

    def __init__(self, service: RealService, say: Callable[[str], object]) -> None:
        self.evidence = AssumptionEvidence()
        self.recordings: list[ExchangeLog] = []
        self.contradicted: list[Contradiction] = []
        self.set_aside: set[str] = set()
        self._alternatives: list[Alternatives] = []
        self._checkpoints = Checkpoints([])
        self._service = service
        self._say = say

    def begin_from(self, evidence: AssumptionEvidence) -> None:
        """Start from evidence that was found before the first run."""
        self.evidence = evidence

    @property
    def run(self) -> Run:
        """Return the current run."""
        return self.recordings[-1].run

    @property
    def alternatives(self) -> Alternatives:
        """Return the alternatives followed beside its model."""
        return self._alternatives[-1]

    def begin(self, run: Run) -> None:
        """Continue with another run."""
        self.recordings.append(ExchangeLog(run))
        self._alternatives.append(Alternatives(run))
        self.alternatives.begin(self.evidence)
        self._checkpoints = Checkpoints([])
        self._checkpoints.note(run, self.evidence, self.alternatives)

    def take_up(self, step: RunStep) -> None:
        """Learn from a step of the run. Raises Apart."""
        if step.difference is not None:
            self._explain(self.recordings[-1], step)
            return
        self._judge(self.evidence, self.alternatives, step)
        self._checkpoints.note(self.run, self.evidence, self.alternatives)

    def _judge(self, evidence: AssumptionEvidence, alternatives: Alternatives, step: RunStep) -> bool:
        """Rule out values by an answer; return whether the model expected it."""
        evidence.used.update(step.predicted.used)
        alternatives.note(step, evidence)
        if step.difference is not None:
            return False
        ruled_out = list(alternatives.differing(step, alternatives.concerned(step, evidence)))
        for each in ruled_out:
            evidence.rule_out(each)
            for id in each.ids:
                evidence.shown.setdefault(id, step)
        if step.reply.status < 400:
            for id in (f"route.{step.call.operation}", PREFIX.id):
                evidence.rule_out_others(id)
        alternatives.forget(ruled_out)
        return True

    # Unexpected answers

    def _explain(self, recording: ExchangeLog, step: RunStep) -> None:
        """Find the values that explain an answer and put them in force; note a contradiction when there are none."""
        evidence, alternatives = self.evidence, self._alternatives[-1]
        evidence.used.update(step.predicted.used)
        alternatives.note(step, evidence)
        seen = [each for id, value in observed(step) if (each := evidence.add(id, value)) is not None]
        alike = evidence.alike(step.predicted.used)
        concerned = list(dict.fromkeys([*alternatives.concerned(step, evidence), *seen, *alike]))
        found = [each for each in concerned if alternatives.explains(step, each)]
        if self.adopt_one(found):
            return
        single = [each for each in concerned if len(each.values) == 1][:_IN_PAIRS]
        pairs = [
            Alternative(*one.values, *other.values) for one, other in combinations(single, 2) if one.ids != other.ids
        ]
        pairs += self._behind(step, single)
        pairs += self._with_rivals(single)
        if self.adopt_one([each for each in pairs if alternatives.explains(step, each)]):
            return
        if self.adopt_one(self._together(step, single)):
            return
        if alternatives.lost and not alternatives.patient and self._followed_again(recording):
            self._explain(recording, self.run.history[-1])
        else:
            self._contradict(recording, step)

    def _behind(self, step: RunStep, single: list[Alternative]) -> Iterator[Alternative]:
        """Yield alternatives together with those of assumptions that the model depends on under them alone."""
        for each in single:
            found = self.alternatives.answer(step, each)
            if found is not None and found[0].reply.status != step.predicted.reply.status:
                for other in self.evidence.open_to(set(found[0].used) - set(step.predicted.used)):
                    if len(other.values) == 1 and other.ids != each.ids:
                        yield Alternative(*each.values, *other.values)

    def _together(self, step: RunStep, single: list[Alternative]) -> list[Alternative]:
        """Return, as one, the alternatives each of which alone brings the answer nearer to that of the service.

        A value that decided how something was made long ago, such as the settings of a new client, shows in few places
        of a later answer, and other such values in others. Those that show in the same places take turns: of each, the
        first is in the one that is returned first.
        """
        wrong = set(_differing(step.predicted.reply.body, step.reply.body))
        groups: list[tuple[set[tuple[Any, ...]], list[tuple[str, Any]]]] = []
        for each in single:
            answer = self.alternatives.answer(step, each)
            if answer is None or answer[0].reply.status != step.reply.status:
                continue
            left = set(_differing(answer[0].reply.body, step.reply.body))
            if left < wrong:
                right = wrong - left
                group = next((values for places, values in groups if places & right), None)
                if group is None:
                    groups.append((right, list(each.values)))
                else:
                    group += each.values
        first = [values[0] for _, values in groups]
        turns = [
            Alternative(*first[:place], other, *first[place + 1 :])
            for place, (_, values) in enumerate(groups)
            for other in values[1:]
        ]
        return [Alternative(*first), *turns] if len(groups) > 1 else []

    def _with_rivals(self, single: list[Alternative]) -> Iterator[Alternative]:
        """Yield each rival together with one alternative more.

        What was adopted for an earlier answer may be wrong, its rival be right, and this answer need another value too.
        """
        rivals = [each.alternative for each in self.evidence.rivals][:_IN_PAIRS]
        for one, other in product(rivals, single):
            if set(one.ids).isdisjoint(other.ids):
                yield Alternative(*one.values, *other.values)

    def adopt_one(self, found: list[Alternative]) -> bool:
        """Put the first of some alternatives in force under which the model expects every answer so far."""
        for chosen in found[:_TRIED]:
            others = [each for each in found if each is not chosen]
            evidence = self.evidence.renewed(chosen, others)
            checkpoint = self._checkpoint_before(chosen.ids)
            same = {self.evidence.instead(chosen, each): each for each in others}
            if self._renewed(evidence) if checkpoint is None else self._resumed(evidence, checkpoint, same):
                self._say(f"{chosen.values[0][0]} = {plain(chosen.values[0][1])!r}")
                return True
        return False

    def _followed_again(self, recording: ExchangeLog) -> bool:
        """Judge every step again, except the last, which is not explained; follow alternatives for longer."""
        recording.give_up_last()
        again = self._renewed(self.evidence.copy(), patient=True)
        recording.take_up_last()
        return again

    def again(self, meet: Callable[[Run], object]) -> bool:
        """Make the model anew, with what is known of its start, and judge every step again; return whether it could.

        ``meet`` is called with each new run at its beginning.
        """
        return self._renewed(self.evidence.copy(), meet)

    def _renewed(
        self, evidence: AssumptionEvidence, greet: Callable[[Run], object] = lambda run: None, *, patient: bool = False
    ) -> bool:
        """Continue with other evidence, unless the model under its values did not expect one of the answers so far.

        ``patient`` says that alternatives are followed for longer.
        """
        judged: list[Alternatives] = []
        checkpoints = Checkpoints([])

        def meet(run: Run) -> Callable[[RunStep], bool]:
            nonlocal checkpoints
            greet(run)
            judged.append(Alternatives(run, patient=patient))
            judged[-1].begin(evidence)
            checkpoints = Checkpoints([])
            checkpoints.note(run, evidence, judged[-1])
            return self._judge_with(evidence, judged[-1], checkpoints, run)

        runs: list[Run] = []
        for recording in self.recordings:
            run = recording.replayed(dict(evidence.profile), meet)
            if run is None:
                return False
            runs.append(run)
        for recording, run in zip(self.recordings, runs, strict=True):
            recording.go_on_with(run)
        self._go_on_with(evidence, judged, checkpoints)
        return True

    # Going on from a checkpoint

    def _checkpoint_before(self, ids: Iterable[str]) -> RunCheckpoint | None:
        """Return the last checkpoint before any step that depended on these assumptions; None when there is none."""
        if any(id in each.consulted for each in self._alternatives[:-1] for id in ids):
            return None
        return self._checkpoints.before(ids, self.alternatives)

    def _resumed(
        self, evidence: AssumptionEvidence, since: RunCheckpoint, same: Mapping[Alternative, Alternative]
    ) -> bool:
        """As ``_renewed``, from a checkpoint before which nothing depended on what is new in the evidence.

        ``same`` maps alternatives to the values in force now to what they were alternatives as before.
        """
        before, recording = self.alternatives, self.recordings[-1]
        judged: list[Alternatives] = []
        checkpoints = self._checkpoints.until(since)
        evidence.take_over(since.judged)

        def meet(run: Run) -> Callable[[RunStep], bool]:
            judged.append(Alternatives(run, patient=before.patient))
            judged[-1].resume(before, since.alternatives, same)
            return self._judge_with(evidence, judged[-1], checkpoints, run)

        run = recording.replayed(dict(evidence.profile), meet, since.run)
        if run is None:
            return False
        recording.go_on_with(run)
        self._go_on_with(evidence, [*self._alternatives[:-1], *judged], checkpoints)
        return True

    def _judge_with(
        self, evidence: AssumptionEvidence, alternatives: Alternatives, checkpoints: Checkpoints, run: Run
    ) -> Callable[[RunStep], bool]:
        def judge(step: RunStep) -> bool:
            expected = self._judge(evidence, alternatives, step)
            checkpoints.note(run, evidence, alternatives)
            return expected

        return judge

    def _go_on_with(
        self, evidence: AssumptionEvidence, alternatives: list[Alternatives], checkpoints: Checkpoints
    ) -> None:
        self.evidence, self._alternatives, self._checkpoints = evidence, alternatives, checkpoints
        self._service.address_under(dict(evidence.profile))
        self._service.know(self.run.known)

    def _contradict(self, recording: ExchangeLog, step: RunStep) -> None:
        """Note an answer that no alternative explains; its operation is not called again."""
        difference = step.difference
        assert difference is not None
        recording.give_up_last()
        self.set_aside.add(step.call.operation)
        run, replies = recording.run, (step.reply, step.predicted.reply)
        call = recording.exchanges[-1].call.renamed(run.known.model)  # another model may be in force since the step
        self.contradicted.append(
            Contradiction(
                step.call.operation,
                masked(run, Printer(run, [replace(step, call=call)]).words()[0], replies),
                difference.place,
                masked(run, difference.predicted, replies),
                masked(run, difference.answered, replies),
                difference.problem,
                masked(run, request_text(self._service.request_of(recording.exchanges[-1].call).request), replies),
                masked(run, answer_text(step.reply), replies),
            )
        )
        self._say(f"{step.call.operation} is not explained: {difference}")
        if step.apart:
            raise Apart


def _json(value: Any) -> str:
    """Return a value of an answer as JSON; of bytes only their number."""
    return f"{len(value)} bytes" if isinstance(value, bytes) else msgspec.json.encode(value, enc_hook=str).decode()


def _differing(one: Any, other: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places at which two JSON values differ; lists of unequal length differ as a whole."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() | other.keys():
            yield from _differing(one.get(name), other.get(name), (*place, name))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (here, there) in enumerate(zip(one, other, strict=True)):
            yield from _differing(here, there, (*place, index))
    elif one != other:
        yield place
