"""Commands that steer a world of a running server: its clock, its faults, its people, its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from confsim.cli.command import WholeNumber, confsim, moment, option
from confsim.cli.options import base_url, caller
from confsim.cli.printing import plain, print_json, print_table
from confsim.kernel.refusal import Misuse, suggest_near

if TYPE_CHECKING:
    from confsim.control.operations.clock import ClockMoved, ClockState

    from .at_server import Remote

#: The actions on a clock that take a value, with an example of it.
_VALUES = {"advance": "15m", "set": "2026-02-01T09:00:00Z", "run": "60"}
_ACTIONS = ("show", *_VALUES, "next", "freeze", "resume")


@confsim.command(example="confsim clock advance 15m")
@click.argument("action", type=click.Choice(_ACTIONS), default="show", metavar="[ACTION]")
@click.argument("value", required=False)
@base_url()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def clock(action: str, value: str | None, base_url: str, as_json: bool) -> None:
    """Show the clock of a world, or move it and list the timers that fire.

    ACTION is show; advance with a duration such as 15m; next, to the next timer; set with an instant (ISO 8601 or epoch
    milliseconds); freeze; resume; or run with a rate, such as 60 for a minute each second.
    """
    from confsim.control.operations.clock import ClockState

    from .at_server import instant, world_at

    if action in _VALUES and value is None:
        raise Misuse(f"clock {action} needs a value, such as `confsim clock {action} {_VALUES[action]}`")
    if action not in _VALUES and value is not None:
        raise Misuse(f"clock {action} takes no value; {value!r} is one too many")
    with world_at(base_url) as remote:
        found = _moved(remote, action, value)
    if as_json:
        return print_json(found)
    if isinstance(found, ClockState):
        more = ", frozen" if found.frozen else f", at rate {found.rate:g}" if found.rate != 1 else ""
        return click.echo(f"{instant(found.now)}{more}")
    for fired in found.fired:
        click.echo(f"{instant(fired.at)}  {fired.text or fired.what}")
    return click.echo(instant(found.now))


def _moved(remote: Remote, action: str, value: str | None) -> ClockState | ClockMoved:
    from confsim.control.operations import clock as clocks

    match action:
        case "advance":
            return remote.control(clocks.advance_clock, {"by": moment(value)})
        case "next":
            return remote.control(clocks.advance_clock, {"until": "next"})
        case "set":
            return remote.control(clocks.set_clock, {"to": moment(value)})
        case "run":
            return remote.control(clocks.run_clock, {"rate": _number(value or "")})
        case "freeze":
            return remote.control(clocks.freeze_clock)
        case "resume":
            return remote.control(clocks.resume_clock)
        case _:
            return remote.control(clocks.get_clock)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Misuse(f"{text!r} is not a rate, such as 60 for a minute each second") from None


@confsim.command(example="confsim fault add create_channel status=503 --times 2")
@click.argument("action", type=click.Choice(("list", "add", "remove", "clear")), default="list", metavar="[ACTION]")
@click.argument("words", nargs=-1, metavar="[TARGET EFFECT...|ID]")
@option("--times", metavar="N", help="Number of calls or things that it hits, or always.  [1]")
@option("--on", type=WholeNumber(1), metavar="N", help="The first matching call or thing that it hits.  [1]")
@option("--match", multiple=True, metavar="NAME=VALUE", help="Only calls or things with this property.")
@base_url()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def fault(
    action: str,
    words: tuple[str, ...],
    times: str | None,
    on: int | None,
    match: tuple[str, ...],
    base_url: str,
    as_json: bool,
) -> None:
    """List the faults of a world, add one, remove one by its id, or clear them all.

    TARGET is an operation, * for all of them, or a kind of thing, such as webhook or mail. EFFECT is NAME=VALUE, such
    as status=503, retryAfter=5, real=2s or drop=before; the effect on a thing is an outcome, such as lost.
    `confsim guide faults` lists all effects.
    """
    from confsim.control.operations import faults

    from .at_server import world_at

    with world_at(base_url) as remote:
        match action:
            case "add":
                found = [remote.control(faults.add_fault, _fault(words, times, on, match))]
            case "remove":
                if len(words) != 1:
                    raise Misuse("fault remove needs the id of a fault, such as f1; `confsim fault` lists them")
                found = remote.control(faults.remove_fault, id=words[0])
            case "clear":
                found = remote.control(faults.clear_faults)
            case _:
                found = remote.control(faults.list_faults)
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("no faults")
    rows = [
        (
            each.id,
            each.operation or each.thing or "",
            plain(each.do),
            plain(each.match) if each.match else "",
            f"{each.hits} of {each.times}",
        )
        for each in found
    ]
    return print_table(("id", "target", "effect", "match", "hits"), rows)


def _fault(words: tuple[str, ...], times: str | None, on: int | None, match: tuple[str, ...]) -> dict[str, Any]:
    """Return the body of a new fault. Raises Misuse for a missing target or effect, or an unknown target."""
    from confsim.domain.fault_points import FAULT_POINTS

    if len(words) < 2:
        raise Misuse("fault add needs a target and an effect, such as `confsim fault add create_channel status=503`")
    target, *effects = words
    is_thing = target in FAULT_POINTS
    if not is_thing and target != "*":
        from confsim.api.catalogue import API

        if target not in API.operations:
            things = f"; a target is an operation, * or one of {', '.join(FAULT_POINTS)}"
            meant = suggest_near(target, [*API.operations, *FAULT_POINTS])
            raise Misuse(f"fault add: no operation or thing {target!r}{meant or things}")
    outcome = effects[0] if is_thing and "=" not in effects[0] and len(effects) == 1 else None
    made: dict[str, Any] = {
        "thing" if is_thing else "operation": target,
        "do": outcome if outcome is not None else _pairs(effects, "the effect "),
    }
    if match:
        made["match"] = _pairs(match, "--match ")
    if times is not None:
        made["times"] = moment(times)
    if on is not None:
        made["on"] = on
    return made


def _pairs(words: tuple[str, ...] | list[str], what: str) -> dict[str, Any]:
    from .at_server import value_of

    found = {}
    for word in words:
        name, mark, value = word.partition("=")
        if not mark:
            raise Misuse(f"{what}{word!r} is not of the form NAME=VALUE, such as status=503")
        found[name] = value_of(value)
    return found


@confsim.command(example="confsim join 4f2c… --as user")
@click.argument("channel")
@caller(required=True)
@base_url()
def join(channel: str, caller: str, base_url: str) -> None:
    """Let somebody come into a channel, as people do with a client, and print whether they are in or waiting.

    CHANNEL is the uuid of a channel. `confsim call` leaves (leave_channel) and admits (admit_to_channel).
    """
    from confsim.control.operations.people.presence import join_channel

    from .at_server import world_at

    with world_at(base_url) as remote:
        token = remote.token(caller)
        try:
            print_json(remote.control(join_channel, {"channel": channel, "token": token}))
        except Misuse as misuse:
            more = " `confsim call list_channels --as owner` lists those of a client." if misuse.status == 404 else ""
            raise Misuse(f"join: {misuse}{more}", misuse.status) from None


@confsim.command(example="confsim reset")
@base_url()
def reset(base_url: str) -> None:
    """Restore the world and the clock of the start, and empty the journal; snapshots stay."""
    from confsim.control.operations import state

    from .at_server import instant, world_at

    with world_at(base_url) as remote:
        click.echo(f"{remote.root} is as at its start, {instant(remote.control(state.reset_world).now)}")
