"""Simulated delays: work that is finished at once, after a time, or after a number of polls."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from confsim.assumptions.protocol.durations import Delay, parse_delay
from confsim.assumptions.register import Context, Entry, ask
from confsim.kernel.world import Change


@lru_cache(maxsize=64)
def _parsed(text: str) -> Delay:
    return parse_delay(text)


def delay_of(context: Context, entry: Entry[str]) -> Delay:
    """The delay in force for the entry."""
    return _parsed(ask(context, entry))


def begin(change: Change, entry: Entry[str], kind: str, client: str, subject: str, *, since: int) -> int | None:
    """Begin delayed work that counts from the instant ``since`` (epoch milliseconds).

    Returns 0 when the work is finished already, None when it ends with a timer of this kind and subject, which is
    scheduled here, else the number of polls that find it unfinished.
    """
    delay = delay_of(change, entry)
    if delay.mode != "time":
        return delay.amount
    due = since + delay.amount * 1000
    if due <= change.now:
        return 0
    change.schedule(kind, due, client, subject)
    return None


class Wait(Struct, frozen=True):
    """What is left of delayed work: a number of polls that find it unfinished, or the instant at which it ends.

    ``polls_left`` is None when the work ends at ``ends`` (epoch milliseconds).
    """

    polls_left: int | None = None
    ends: int | None = None

    @property
    def over(self) -> bool:
        """Whether the work is finished already."""
        return self.polls_left == 0


#: Of work that is finished already.
NO_WAIT = Wait(polls_left=0)


def wait(change: Change, entry: Entry[str], *, since: int) -> Wait:
    """What is left now of delayed work that counts from the instant ``since`` (epoch milliseconds)."""
    delay = delay_of(change, entry)
    if delay.mode != "time":
        return Wait(polls_left=delay.amount)
    ends = since + delay.amount * 1000
    return Wait(ends=ends) if ends > change.now else NO_WAIT
