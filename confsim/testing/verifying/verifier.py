"""One verify run: journeys through the model and a service side by side; differences are shrunk and explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from confsim.api.catalogue import API
from confsim.kernel.refusal import Misuse
from confsim.service.clock import Clock
from confsim.service.files.profile import plain as chosen
from confsim.testing.fuzz import in_words, question
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.cleaning import clean_up, reserve_removal
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.model import machine_rows_noted
from confsim.testing.learning.run import Run, RunStep
from confsim.testing.learning.service import Interrupted, RealService, Spent

from .explaining import explains, explanations, observed
from .findings import Divergence, VerifyReport, masked
from .planning import Planner
from .printing.printer import Printer
from .replay import with_needed
from .shrinking import Reproducer, shrink, signature

#: Differences of an operation, each of which leaves the two sides apart, after which it is no longer called.
_SET_ASIDE = 3


class Verifier:
    """One verify run.

    ``examples`` is the number of journeys; ``most_findings`` the number of divergences that ends the run. ``tag`` is
    the prefix of all names that the run makes; ``allow_phone_calls`` says whether the service may call phones.
    """

    def __init__(
        self,
        service: RealService,
        accounts: Accounts,
        profile: Mapping[str, Any],
        known: Correspondence,
        *,
        base_url: str,
        tag: str,
        seed: int = 0,
        examples: int = 50,
        most_findings: int = 20,
        allow_phone_calls: bool = False,
        clock: Clock | None = None,
        progress: Callable[[str], object] | None = None,
    ) -> None:
        self.report = VerifyReport(base_url, seed)
        self.found: list[tuple[RunStep, list[RunStep]]] = []
        self._service = service
        self._make: Callable[[], Run] = lambda: Run(
            service,
            accounts,
            profile,
            known,
            tag=tag,
            allow_phone_calls=allow_phone_calls,
            clock=clock,
            base_url=base_url,
        )
        self._examples = examples
        self._most_findings = most_findings
        self._progress = progress or _silent
        self._known_as: dict[object, Divergence] = {}
        self._apart: Counter[str] = Counter()

    def run(self) -> VerifyReport:
        """Make the journeys, remove what they made, and return the report. Raises Misuse when the run cannot begin."""
        try:
            run = self._make()
        except Spent as spent:
            raise Misuse(f"{spent}, and more are needed to read the clients and users of the accounts") from None
        try:
            with machine_rows_noted():
                self._journeys(run)
        except Spent as spent:
            self.report.notes.append(str(spent))
        except Interrupted as interrupted:
            self.report.interrupted = str(interrupted)
        except KeyboardInterrupt:
            self.report.interrupted = "it was interrupted"
        self.report.left = clean_up(run)
        self._count(run)
        return self.report

    def planner(self, run: Run) -> Planner:
        """Return what chooses the calls of a run."""
        return Planner(run.model, run.things, run.scope, run.names, self.report.seed, run.numbers)

    def _journeys(self, run: Run) -> None:
        for opened in run.opening():
            if opened.difference is not None:
                self._take_up(run, [opened])
        planner = self.planner(run)
        while planner.journey < self._examples and len(self.report.divergences) < self._most_findings:
            self._journey(run, planner)
            self._progress(
                f"journey {planner.journey} of {self._examples}: {self._service.sent} requests, "
                f"{len(self.report.divergences)} divergences"
            )

    def _journey(self, run: Run, planner: Planner) -> None:
        """Make one journey, to its end or to the first call after which the two sides are apart."""
        steps: list[RunStep] = []
        for call in planner.journey_calls():
            run.begin_journey(planner.journey)
            reserve_removal(run)
            step = run.take(call)
            steps.append(step)
            if step.difference is None:
                planner.note(call, step.predicted, step.before)
                continue
            self._take_up(run, steps)
            if step.apart:
                self._apart[call.operation] += 1
            if self._apart[call.operation] >= _SET_ASIDE:
                planner.set_aside.add(call.operation)
            is_apart = step.call.declared.changes and not step.together
            if is_apart or len(self.report.divergences) >= self._most_findings:
                return
            planner.note(call, step.predicted, step.before)

    def _take_up(self, run: Run, steps: list[RunStep]) -> None:
        """Shrink, explain and note the difference of the last step, unless it is known."""
        wanted, reproducer = signature(steps[-1]), None
        known = self._known_as.get(wanted)
        if known is not None:
            known.count_again()
            return
        found = self._explained_alike(run, with_needed(run.history, steps, run.shapes))
        if found is None:
            everything = [*run.history]
            reproducer = shrink(run, steps)
            shown = reproducer.steps if reproducer.repeatable else everything
            found = self._explained_alike(run, shown) or self._divergence(run, reproducer)
            self.found.append((steps[-1], reproducer.steps))
        self._known_as[wanted] = found
        if reproducer is not None and reproducer.interrupted is not None:
            raise reproducer.interrupted

    def _divergence(self, run: Run, reproducer: Reproducer) -> Divergence:
        """Explain the difference that a reproducer shows, and add it to the report."""
        short = reproducer.steps
        last = short[-1]
        difference = last.difference
        assert difference is not None
        why = explanations(run, short, self._first_explanations())
        printer = Printer(run, short)

        def plain(value: Any) -> Any:
            return masked(run, value, [reply for step in short for reply in (step.reply, step.predicted.reply)])

        divergence = Divergence(
            operation=last.call.operation,
            place=difference.place,
            expected=plain(difference.predicted),
            got=plain(difference.answered),
            why=difference.problem,
            steps=plain(printer.words()),
            curl=plain(printer.curl()),
            test=plain(printer.test()),
            explanations=why,
            questions=[f"{in_words([chosen({id: value})])}: {question({id: value})}" for id, value in why.items()],
            repeatable=reproducer.repeatable,
        )
        self.report.divergences.append(divergence)
        self._progress(f"{divergence.operation} differs at {difference}")
        return divergence

    def _explained_alike(self, run: Run, steps: list[RunStep]) -> Divergence | None:
        """Count the difference with a divergence that has an explanation of it, and return that; None for none."""
        last, difference = steps[-1], steps[-1].difference
        assert difference is not None
        known, seen = self._first_explanations(), dict(observed(last))
        for each in self.report.divergences:
            others = {id: value for id, value in known.items() if id not in each.explanations}
            why = each.explanations.items()
            shown = {id: value for id, value in why if id in seen and seen[id] == value}
            common = shown or {id: value for id, value in why if explains(run, steps, {**others, id: value})}
            if shown or (common and not explains(run, steps, others)):
                each.count_elsewhere(f"{last.call.operation} at {difference.place or 'its body'}", common)
                return each
        return None

    def _first_explanations(self) -> dict[str, Any]:
        """Return the first explanation of each divergence that has one."""
        return dict(next(iter(each.explanations.items())) for each in self.report.divergences if each.explanations)

    def _count(self, run: Run) -> None:
        report = self.report
        report.requests, report.repeated = self._service.sent, self._service.repeated
        report.waited = round(run.waited + self._service.waited, 1)
        if report.repeated:
            report.notes.append(
                f"{report.repeated} requests were sent again, since the service put them off (429, 503)"
            )
        report.journeys = run.journey
        report.operations = dict(sorted(Counter(step.call.operation for step in run.history).items()))
        report.served = sum(run.scope.served(each.name) for each in API)
        report.notes += run.notes


def _silent(line: str) -> None:
    """Show no progress."""
