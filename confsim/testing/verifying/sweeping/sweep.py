"""The systematic start of a run: every operation, by callers with and without permission, and a read of its effect.

Calls are derived from the declarations and tried in the model. An operation that changes something is called, repeated,
called by another tenant and by a caller with too low a role. Then a read distinguishes the change from one that was
lost, made in part, or made although refused. Lists are read in pages and sorted. What was tried on the way and shows
something that no call has shown is made, too.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.declared import disrupts_client
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.run import Run
from confsim.testing.verifying.candidates import Candidates, Step

from .finding import succeeds
from .goals import Goals
from .seeking import Seeker
from .surroundings import Surroundings
from .wrong_services import WrongServices

#: Least number of calls in a portion.
LENGTH = 60
#: Most wrong services for which a read is chosen.
_NEAR = 16
#: Most postponements of an operation that cannot be called yet, and how far it is postponed.
_PUT_BACK, _BEHIND = 5, 25
#: The worth of an effect, and of a grant that is held alone, as parts of that of a wrong service that is distinguished.
_EFFECTIVE, _ADMITTED = 0.2, 0.4


class Sweep:
    """The calls of a systematic start, in portions. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, seen: Counter[object], wrongs: WrongServices) -> None:
        self._around = around = Surroundings(candidates, seen, wrongs)
        self.finder = around.finder
        self._candidates, self._wrongs = candidates, wrongs
        self._goals = Goals(around)
        self._seeker = seeker = Seeker(around)
        self._put_back: Counter[str] = Counter()
        #: The last call, if it succeeded.
        self._last: ModelCall | None = None
        served = [each for each in API if not disrupts_client(each)]
        self._work: deque[tuple[Callable[[Operation], Iterator[ModelCall]], Operation]] = deque()
        self._work.append((self._guests, API["create_guest"]))
        writes = [each for each in served if each.changes]
        reads = [each for each in served if not each.changes]
        for area in API.areas:
            there = [each for each in (*writes, *reads) if each.area == area]
            self._work += [(self._whole, each) for each in there]
            self._work += [(work, there[-1]) for work in (self._reads, self._goals.of_area) if there]
            self._work += [(seeker.anew, each) for each in there]
        inside_out = sorted(writes, key=lambda each: -len(each.placeholders))
        pages = [(around.pages.whole, each) for each in reads]
        explored = [(self._goals.of_area, each) for each in {each.area: each for each in served}.values()]
        new_reasons = [(seeker.new_reasons, each) for each in served]
        self._work += [(self._disabled, each) for each in API if disrupts_client(each)]
        removal = [(seeker.removal, each) for each in (*inside_out, *reads)]
        several = [(seeker.several, each) for each in reads]
        self._work += [*new_reasons, *pages, *[(around.pages.refused, each) for each in reads], *removal, *several]
        self._work += [(self._goals.about_callers, each) for each in served]
        self._work += explored
        self._work += [(seeker.fields, each) for each in served]
        self._work += [*removal, *new_reasons]
        self._work += [*explored, *several]
        self._work += [(self._goals.about_callers, each) for each in served]
        self._work += [(seeker.denials, each) for each in served]
        self._work += [(seeker.roles, each) for each in served]
        self._work += [(work, each) for work in (seeker.again, seeker.words, seeker.anew) for each in writes]
        self._work += [(seeker.missed, each) for each in served]
        self._work += [*pages, *explored, *several, *explored]
        self._work += [(seeker.reasons, each) for each in served]

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service."""
        self._around.tried.clear()
        self._around.finder.go_on_with(run)

    def goals(self, areas: Iterable[str]) -> Iterator[ModelCall]:
        """Yield calls that show what was only tried so far, when some areas were explored, and what was missed."""
        areas = list(areas)
        self._goals.explore(areas)
        yield from self._goals.open()
        for each in API:
            if each.changes and each.area in areas:
                yield from self._seeker.missed(each)

    def note(self, call: ModelCall, predicted: Prediction) -> None:
        """Note the goals that a call shows which was made."""
        self._around.seen.update(self._around.tried.goals(call, predicted, self._candidates.role(call)))
        self._around.seen[call.operation, "made twice"] += call == self._last
        self._last = call if predicted.reply.status < 400 else None
        self.finder.note(call, predicted)

    @property
    def left(self) -> bool:
        """Return whether there are operations left."""
        return bool(self._work)

    def portion(self) -> Iterator[ModelCall]:
        """Yield the next calls. Each must be made and noted before the next is taken."""
        self._candidates.begin_journey(-1)
        count = 0
        while self._work and count < LENGTH:
            work, operation = self._work.popleft()
            if not self._candidates.served(operation.name):
                continue
            for call in work(operation):
                count += 1
                yield self._around.varied(call)

    # Before and after

    def _guests(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield calls that create a channel and a guest in each client: somebody who may do little there."""
        for home in self.finder.homes:

            def fits(call: ModelCall, predicted: Prediction, home: str = home) -> bool:
                return succeeds(call, predicted) and call.path.get("clientId", home) == home

            for name in ("create_channel", operation.name):
                found = self.finder.find(API[name], fits, home=home)
                if found is not None:
                    yield found[0]
        for caller in [each for each in self._candidates.things.callers if each.role == "guest" and each.user is None]:
            yield ModelCall("get_me", caller.token)

    def _disabled(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield the calls around a client without service: it is disabled, a change is refused, it is enabled."""
        for home in self.finder.homes[1:]:
            partner = self._candidates.caller_of("partner-admin")
            create = self.finder.find(API["create_channel"], succeeds, home=home)
            yield ModelCall(operation.name, partner.token, {"clientId": home, "state": "disable"})
            if create is not None:
                yield create[0]
            yield ModelCall(operation.name, partner.token, {"clientId": home, "state": "enable"})

    def _whole(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield a call that succeeds, the same by callers with and without permission."""
        found = self._found(operation)
        if found is None and self._put_back[operation.name]:
            made = self.finder.after(operation, succeeds)
            if made is not None:
                yield made[0]
                found = self._found(operation)
        if found is None:
            self._later(operation)
        elif found[1].removed:
            return  # later, when what it removes is no longer needed
        elif operation.changes:
            yield from self._around.write(*found)
        else:
            yield from self._around.read(*found)

    def _found(self, operation: Operation) -> Step | None:
        """Return a call that succeeds with most new features; of reads, one that distinguishes wrong services."""
        near = [each for each in self._wrongs.open if each.call.declared.area == operation.area]
        near = [] if operation.changes else (near or self._wrongs.open)[-_NEAR:]

        def shown(call: ModelCall, predicted: Prediction) -> float:
            worth = len(self._wrongs.shown(call, predicted, near)) + _EFFECTIVE * predicted.effective
            grant = self._around.tried.grant(operation, self._candidates.role(call))
            return worth + _ADMITTED * (grant is not None and not self._around.seen[operation.name, "admits", grant])

        return self.finder.find(operation, succeeds, shown=shown)

    def _reads(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield reads that distinguish the wrong services of the area of an operation."""
        yield from self._around.looked(self._wrongs.of(each.name for each in API if each.area == operation.area))

    def _later(self, operation: Operation) -> None:
        """Postpone an operation behind the others of the first round."""
        self._put_back[operation.name] += 1
        if self._put_back[operation.name] > _PUT_BACK:
            return
        end = next((at for at, (work, _) in enumerate(self._work) if work != self._whole), len(self._work))
        self._work.insert(min(end, _BEHIND), (self._whole, operation))
