"""The worlds of the server: each a complete mount with its own state, clock, seed, profile, faults and journal."""

from __future__ import annotations

from typing import Annotated, Any

from confsim.contract.types import Int, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import PREFIX, CommandBody, operation
from confsim.control.holders import ClientInfo, TokenInfo, clients_and_tokens
from confsim.control.operations import bounds
from confsim.control.world_sources import MakeWorld, make_service
from confsim.kernel.refusal import Misuse
from confsim.service.service import Service
from confsim.service.waiting import monotonic
from confsim.service.worlds import Worlds
from confsim.values.plain import whole_number
from confsim.values.spans import span


class WorldInfo(Wire):
    """A world: its name (empty for the root world), what it was made from (``world``), its URLs.

    ``outputs`` are those of the scenario that it starts from. ``age`` is the time since it was made, ``idle`` the time
    since its last call, both in milliseconds of real time; ``calls`` counts the calls of its API.
    """

    name: Annotated[str, "The name of the world; empty for the root."]
    world: Annotated[str, "Its source."]
    seed: Annotated[int, "The seed of its ids and tokens."]
    base_url: Annotated[str, "The address of its API."]
    root: Annotated[str, "The address of its mount."]
    outputs: Annotated[dict[str, Any], "The outputs of the scenario that it starts from."]
    profile: Annotated[dict[str, Any], "The alternatives that its profile chooses."]
    age: Annotated[int, "Milliseconds since it was made."]
    idle: Annotated[int, "Milliseconds since it was last called."]
    calls: Annotated[int, "The number of calls of the API it got."]


class MadeWorld(WorldInfo):
    """A world that was made, with all that a client needs to use it.

    ``control_url`` is the address of its control plane, ``now`` the instant of its clock, ``tokens`` are those that
    never expire, with their holders.
    """

    control_url: Annotated[str, "The address of its control plane."]
    now: Annotated[int, "The instant of its clock, in epoch milliseconds."]
    clients: Annotated[list[ClientInfo], "Its clients."]
    tokens: Annotated[dict[str, TokenInfo], "Its fixed tokens, by their text."]


class WorldsLimit(Wire):
    """The limit on the number of worlds, the root world not counted."""

    most: Annotated[int, "The largest number of worlds."]


class SetWorldsLimit(CommandBody):
    """The limit to set on the number of worlds, the root world not counted."""

    most: Annotated[Int, "The largest number of worlds."]


class DroppedWorlds(Wire):
    """The names of the worlds that were dropped."""

    dropped: Annotated[list[str], "The names of the worlds that were dropped."]


@operation("GET /worlds", beside=True)
def list_worlds(
    context: ControlContext,
    *,
    idle: Annotated[str | None, "Worlds that nobody called for this long, such as 15m."] = None,
) -> list[WorldInfo]:
    """List the worlds of the server, the root world first; only those ``idle`` for at least a duration ("10m")."""
    span = 0 if idle is None else _span(idle)
    worlds = (_describe(context, name, service) for name, service in context.worlds.items())
    return [each for each in worlds if each.idle >= span]


@operation(
    "POST /worlds",
    replayed=False,
    beside=True,
    most_bytes=bounds.DOCUMENT,
    bounds=bounds.WORLDS | bounds.PROFILE | bounds.SCENARIO,
)
def make_world(context: ControlContext, body: MakeWorld) -> MadeWorld:
    """Create a world on the server. Misuse for a bad name, a taken one (409), and an unknown source (404).

    The answer has all that a client needs: addresses, clients and tokens. Without a name, the world gets one that no
    other has. Misuse also when the scenario fails, when the profile is not valid, and when the limit on worlds is
    reached and all of them are in use (409, code too_many_worlds). At the limit, the world that was idle for longest is
    dropped, if it was idle for a minute.
    """
    service = make_service(context, body)
    name = _add(context.worlds, service) if body.name is None else body.name
    if body.name is not None:
        context.worlds.add(name, service)
    described = _fields(context, name, service)
    there = context.beside(service)
    with service.lock:
        change = there.view()
    known, tokens = clients_and_tokens(change)
    control = f"{there.root}{PREFIX}"
    return MadeWorld(**described, control_url=control, now=change.now, clients=known, tokens=tokens)


def _add(worlds: Worlds, service: Service) -> str:
    """Add a world under a generated name; return the name."""
    number = len(worlds)
    while True:
        name = f"world-{number}"
        number += 1
        if worlds.find(name) is None:
            try:
                worlds.add(name, service)
            except Misuse:
                if worlds.find(name) is None:  # the name is not taken, so the refusal has another reason
                    raise
            else:
                return name


@operation("GET /worlds/limit")
def get_worlds_limit(context: ControlContext) -> WorldsLimit:
    """Get the limit on the number of worlds, the root world not counted."""
    return WorldsLimit(most=context.worlds.most)


@operation("PUT /worlds/limit", replayed=False, bounds=bounds.WORLDS)
def set_worlds_limit(context: ControlContext, body: SetWorldsLimit) -> WorldsLimit:
    """Set the limit on the number of worlds, the root world not counted; existing worlds stay."""
    context.worlds.limit(body.most)
    return get_worlds_limit(context)


@operation("DELETE /worlds", replayed=False)
def drop_worlds(
    context: ControlContext,
    *,
    idle: Annotated[str | None, "Worlds that nobody called for this long, such as 15m."] = None,
) -> DroppedWorlds:
    """Drop all worlds but the root world, or only those ``idle`` for at least a duration such as "10m"."""
    names = [each.name for each in list_worlds(context, idle=idle) if each.name]
    for name in names:
        context.worlds.drop(name)
    return DroppedWorlds(dropped=names)


@operation("DELETE /worlds/{name}", replayed=False)
def drop_world(context: ControlContext, name: Annotated[str, "The name of the world."]) -> DroppedWorlds:
    """Drop a world. Misuse (404) for an unknown name."""
    context.worlds.drop(name)
    return DroppedWorlds(dropped=[name])


def _span(text: str) -> int:
    number = whole_number(text)
    return span(text if number is None else number)


def _describe(context: ControlContext, name: str, service: Service) -> WorldInfo:
    return WorldInfo(**_fields(context, name, service))


def _fields(context: ControlContext, name: str, service: Service) -> dict[str, Any]:
    there = context.beside(service)
    now = monotonic()
    return {
        "name": name,
        "world": service.provenance.made_from,
        "seed": service.world.seed,
        "base_url": there.base_url,
        "root": there.root,
        "outputs": dict(service.provenance.outputs),
        "profile": dict(service.profile),
        "age": int((now - service.usage.made) * 1000),
        "idle": int((now - service.usage.used) * 1000),
        "calls": service.usage.calls,
    }
