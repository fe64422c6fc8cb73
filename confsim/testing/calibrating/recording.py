"""The recorded exchanges with a service: the model is made anew from them under other values, without a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.learning.run import Run, RunState, RunStep


class RecordedExchange(Struct):
    """A call with the ids of the service, its answer, and the instant of the model's answer.

    ``explained`` says whether some values of assumptions explain the answer.
    """

    call: ModelCall
    reply: Reply
    at: int
    explained: bool = True


class ExchangeLog:
    """The exchanges of one run, in order, and the run with the model in force. ``began`` is its first instant."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.began = run.model.clock.now()
        self.exchanges: list[RecordedExchange] = []

    def take(self, call: ModelCall) -> RunStep:
        """Make a call on both sides and record it."""
        there = call.renamed(self.run.known.service)
        step = self.run.take(call)
        self.add(there, step)
        return step

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service."""
        self.run = run

    def give_up_last(self) -> None:
        """Note that no value of any assumption explains the last answer."""
        self.exchanges[-1].explained = False

    def take_up_last(self) -> None:
        """Note that the last answer is to be explained after all."""
        self.exchanges[-1].explained = True

    def add(self, there: ModelCall, step: RunStep) -> None:
        """Record a step that was made; its call has the ids of the service."""
        self.exchanges.append(RecordedExchange(there, step.reply, step.at))

    def replayed(
        self,
        profile: Mapping[str, Any],
        meet: Callable[[Run], Callable[[RunStep], bool]],
        since: RunState | None = None,
    ) -> Run | None:
        """Return a run under another profile after the same exchanges, without a request.

        ``meet`` is called with that run, and returns the function that gets each step; the run is None when the
        function returns False. With ``since`` the steps before that state are taken over.
        """
        old = self.run
        clock = old.model.clock
        shown = clock.values()
        clock.freeze()
        clock.move(self.began)
        try:
            run = old.under(profile, old.known.renewed()) if since is None else old.resumed(since, profile)
            run.names.go_on(old.names)
            judge = meet(run)
            for each in self.exchanges[0 if since is None else since.count :]:
                clock.move(each.at)
                if not judge(run.took(each.call.renamed(run.known.model), each.reply)) and each.explained:
                    return None
        finally:
            clock.show(shown)
        return run
