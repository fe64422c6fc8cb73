"""Simulated delays of work, which ends at once, after a time, or after a number of polls."""

from functools import lru_cache
from typing import Any

from msgspec import Struct

from confsim.assumptions import Assumption, Context, ask
from confsim.assumptions.protocol.durations import Delay, parse_delay
from confsim.kernel import Change, Guard, replace

_parsed = lru_cache(maxsize=64)(parse_delay)


def delay_of(context: Context, entry: Assumption[str]) -> Delay:
    """The delay in force for the entry."""
    return _parsed(ask(context, entry))


class Wait(Struct, frozen=True):
    """The remaining delay of work: a number of polls that find it unfinished, or the instant at which it ends.

    ``polls_left`` is None when the work ends at ``ends`` (epoch milliseconds).
    """

    polls_left: int | None = None
    ends: int | None = None

    @property
    def over(self) -> bool:
        """Whether the work is finished."""
        return self.polls_left == 0


#: The remaining delay of finished work.
NO_WAIT = Wait(polls_left=0)


def wait(change: Change, entry: Assumption[str], *, since: int) -> Wait:
    """The remaining delay of work that began at the instant ``since`` (epoch milliseconds)."""
    delay = delay_of(change, entry)
    if delay.mode != "time":
        return Wait(polls_left=delay.amount)
    ends = since + delay.amount * 1000
    return Wait(ends=ends) if ends > change.now else NO_WAIT


# Work with ``polls_left`` in its record


def count_poll(change: Change, record: Any) -> Any:
    """Return the record with one poll fewer left; unchanged when a timer ends the work."""
    return replace(record, polls_left=record.polls_left - 1) if record.polls_left else record


NO_POLL_LEFT = Guard("no poll is left", lambda change, record: record.polls_left == 0)
