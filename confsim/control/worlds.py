"""The worlds of the server: each a complete mount with its own state, clock, seed, profile, faults and journal."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from confsim.contract.types import Int, Json, Long, Wire
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World
from confsim.service import clock, loading, state
from confsim.service.pipeline import Service
from confsim.service.profiles import read_profile
from confsim.service.waiting import steady
from confsim.service.worlds import Run

from .control import Control, Order, operation

#: Runs of scenarios that are kept, so that the next world after one of them is there at once.
RUNS = 100


class WorldInfo(Wire):
    """A world: its name (empty for the one at the root), what it was made from, and where it stands.

    ``outputs`` are those of the scenario that it starts from. ``age`` and ``idle`` tell for how many milliseconds of
    real time there has been the world, and for how many it has not been called; ``calls`` how many calls of the API
    there were.
    """

    name: str
    world: str
    seed: int
    base_url: str
    root: str
    outputs: dict[str, Any]
    profile: dict[str, Any]
    age: int
    idle: int
    calls: int


class MakeWorld(Order):
    """``name`` is 1 to 64 of A-Z a-z 0-9 _ -.

    ``from`` is a shipped world by name, another world of the server by name (as it is now), a shipped scenario by name,
    ``{"snapshot": name, "world": name}`` for a snapshot of a world (the one at the root when ``world`` is left out), or
    the content of a world file, of a state document or of a scenario. Without it the world is made as the one at the
    root was; so it is before a scenario.

    ``seed`` is that of its ids and tokens, ``profile`` chooses alternatives of assumptions, over those of the world
    that it is made from or as.
    """

    name: str
    from_: Json = field(default=None, name="from")
    seed: Long | None = None
    profile: dict[str, Any] | None = None


class Limit(Wire):
    """How many worlds there may be beside the one at the root."""

    most: int


class SetLimit(Order):
    """``most`` is how many worlds there may be beside the one at the root."""

    most: Int


class Dropped(Wire):
    """The names of the worlds that were dropped."""

    dropped: list[str]


@operation("GET /worlds")
def list_worlds(control: Control, *, idle: str | None = None) -> list[WorldInfo]:
    """List the worlds of the server, the one at the root first; of those alone that were ``idle`` so long ("10m")."""
    found = [_told(control, name, service) for name, service in control.worlds.items()]
    span = None if idle is None else _span(idle)
    return [each for each in found if span is None or each.idle >= span]


@operation("POST /worlds")
def make_world(control: Control, body: MakeWorld) -> WorldInfo:
    """Put another world on the server. Misuse for a bad name, a taken one (409), and an unknown source (404).

    Misuse too when the scenario that it is to start from fails, for a profile that cannot be, and when there are as
    many as there may be and all are in use (409, code too_many_worlds). When one was idle for a minute, the one that
    was for longest makes room.
    """
    return _told(control, body.name, control.worlds.add(body.name, made(control, body)))


@operation("GET /worlds/limit")
def get_worlds_limit(control: Control) -> Limit:
    """Tell how many worlds there may be beside the one at the root."""
    return Limit(most=control.worlds.most)


@operation("PUT /worlds/limit")
def set_worlds_limit(control: Control, body: SetLimit) -> Limit:
    """Say how many worlds there may be beside the one at the root; those that there are stay."""
    control.worlds.most = body.most
    return get_worlds_limit(control)


@operation("DELETE /worlds")
def drop_worlds(control: Control, *, idle: str | None = None) -> Dropped:
    """Drop every world but the one at the root: all, or those that were ``idle`` for so long, such as "10m"."""
    names = [each.name for each in list_worlds(control, idle=idle) if each.name]
    for name in names:
        control.worlds.drop(name)
    return Dropped(dropped=names)


@operation("DELETE /worlds/{name}")
def drop_world(control: Control, name: str) -> Dropped:
    """Drop a world. Misuse (404) when there is none of this name."""
    control.worlds.drop(name)
    return Dropped(dropped=[name])


def made(control: Control, body: MakeWorld) -> Service:
    """The service of a world that is made as the body says."""
    source = body.from_
    if isinstance(source, dict):
        if "snapshot" in source:
            return _from_snapshot(control, source, body)
        if "arazzo" in source:
            return _after(control, source, body)
        if "tables" in source:
            return _again(control.worlds.default, state.world_of(source), body)
        return _built(control, source, body)
    if source is None:
        return _as_root(control, body)
    if source in loading.shipped():
        return _built(control, source, body)
    if isinstance(source, str) and (other := control.worlds.get(source)) is not None:
        return _forked(other, other.world, body)
    return _after(control, source, body)


def _profile(base: Mapping[str, Any], body: MakeWorld) -> Mapping[str, Any] | None:
    """The choices of the body over those of another world; None when they are the same."""
    return {**base, **read_profile(body.profile)} if body.profile else None


def _forked(other: Service, world: World, body: MakeWorld) -> Service:
    """A world beside another: as that one in all that is not said otherwise."""
    if body.seed is not None:
        world = replace(world, seed=body.seed)
    return other.fork(world, _profile(other.profile, body))


def _again(root: Service, world: World, body: MakeWorld, made_from: str = "") -> Service:
    """A world that starts when the one at the root did."""
    service = _forked(root, world, body)
    service.clock, service.made_from, service.outputs = root.clock.fresh(), made_from, {}
    return service


def _built(control: Control, source: str | Mapping[str, Any], body: MakeWorld) -> Service:
    """A world of a world file: a shipped one, or its content."""
    root = control.worlds.default
    seed = root.origin.seed if body.seed is None else body.seed
    world = loading.load(source, seed, _profile(root.profile, body) or root.profile)
    return _again(root, world, body, source if isinstance(source, str) else "")


def _as_root(control: Control, body: MakeWorld) -> Service:
    """A world as the one at the root was at its start; built anew where seed or profile may bear on it."""
    root = control.worlds.default
    if (body.seed is not None or body.profile) and root.made_from in loading.shipped() and not root.outputs:
        return _built(control, root.made_from, body)
    service = _again(root, root.origin, body, root.made_from)
    service.outputs = root.outputs
    return service


def _from_snapshot(control: Control, source: Mapping[str, Any], body: MakeWorld) -> Service:
    """A world as another one was when the snapshot was taken, with the clock of that moment."""
    unknown = source.keys() - {"snapshot", "world"}
    if unknown:
        raise Misuse(f"from: a snapshot has no {', '.join(sorted(unknown))}; there are snapshot and world")
    name, taken = source.get("world", ""), source["snapshot"]
    other = control.worlds.get(name) if isinstance(name, str) else None
    if other is None:
        raise Misuse(f"from: there is no world {name!r}", status=404)
    snapshot = other.snapshots.get(taken) if isinstance(taken, str) else None
    if snapshot is None:
        there = f"are {', '.join(other.snapshots)}" if other.snapshots else "is none"
        raise Misuse(f"from: there is no snapshot {taken!r}; there {there}", status=404)
    service = _forked(other, snapshot.world, body)
    service.clock.follow(snapshot.now, frozen=snapshot.frozen, rate=snapshot.rate)
    service.clock.begin()
    return service


def _after(control: Control, scenario: Any, body: MakeWorld) -> Service:
    """A world as the one at the root was made, after a scenario: one that ships, or the content of a file."""
    # Imported here, because most servers never run one.
    from confsim.arazzo import library

    from .scenarios import start_from

    if not isinstance(scenario, Mapping) and scenario not in library.shipped():
        known = ", ".join((*loading.shipped(), *filter(None, control.worlds), *library.shipped()))
        raise Misuse(f"from: {scenario!r} is neither a world nor a scenario; there are {known}", status=404)
    service = _as_root(control, body)
    run = Run(service.origin, service.profile, service.settings, service.clock.values(), service.clock.now(), service)
    runs = control.worlds.runs
    name = _name(scenario)
    earlier = runs.get(name)
    if earlier is None or not earlier.stands_for(run):
        start_from(scenario, Control(service, control.worlds, control.host), patient=False)
        if service.snapshots or service.bugs or any(True for _ in service.faults):
            return service  # a fork would be without
        earlier = runs[name] = run
        if len(runs) > RUNS:
            runs.pop(next(iter(runs)), None)
    return earlier.after.fork()


def _name(scenario: str | Mapping[str, Any]) -> str:
    """By what the run of a scenario is found again: its name, or the digest of its content."""
    if isinstance(scenario, str):
        return scenario
    return blake2b(msgspec.json.encode(scenario, order="deterministic")).hexdigest()


def _span(text: str) -> int:
    return clock.span(int(text) if text.isdecimal() else text)


def _told(control: Control, name: str, service: Service) -> WorldInfo:
    there = Control(service, control.worlds, control.host)
    now = steady()
    return WorldInfo(
        name=name,
        world=service.made_from,
        seed=service.world.seed,
        base_url=there.base_url,
        root=there.root,
        outputs=service.outputs,
        profile=dict(service.profile),
        age=int((now - service.made) * 1000),
        idle=int((now - service.used) * 1000),
        calls=service.calls,
    )
