"""Sources of a new world: a world file, another world, a snapshot, a state document, a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from confsim.contract.types import Long
from confsim.kernel.refusal import Misuse, suggest_near
from confsim.kernel.world import World
from confsim.service.clock import Clock
from confsim.service.files import state, world_file
from confsim.service.files.profile import read_profile
from confsim.service.service import Provenance, Service
from confsim.service.worlds import ScenarioRun
from confsim.transport.in_process import make

from .context import ControlContext
from .declare import CommandBody
from .fields import Key
from .moments import noted, world_after

#: Most cached runs of scenarios: another world after the same scenario is ready at once.
RUNS = 100


class MakeWorld(CommandBody):
    """A world to make. ``name`` is 1 to 64 characters of A-Z a-z 0-9 _ -; left out, it gets one that no other has.

    ``from`` is the name of a shipped world, of another world of the server (copied as it is now) or of a shipped
    scenario; ``{"snapshot": name, "world": name}`` for a snapshot of a world (of the root world when ``world`` is left
    out); ``{"moment": id, "world": name}`` for a world right after an entry of its journal (the world that is called
    when ``world`` is left out); or the content of a world file, of a state document or of a scenario. Without ``from``,
    and before a scenario, the world is made as the root world was.

    ``seed`` is the seed of ids and tokens. ``profile`` chooses alternatives of assumptions; they override those of the
    world that this one is made from.
    """

    name: Annotated[str | None, "The name of the world; left out, it gets one that no other has."] = None
    from_: Annotated[Key, "What it is made from."] = field(default=None, name="from")
    seed: Annotated[Long | None, "The seed of its ids and tokens."] = None
    profile: Annotated[dict[str, Any] | None, "The alternatives that its profile chooses."] = None


def make_service(context: ControlContext, body: MakeWorld) -> Service:
    """Return the service of a new world, made as the body says.

    Raises Misuse for an unknown source (404), an invalid document or profile, and a scenario that fails.
    """
    source = body.from_
    if isinstance(source, dict):
        if "snapshot" in source:
            return _from_snapshot(context, source, body)
        if "moment" in source:
            return _from_moment(context, source, body)
        if "arazzo" in source:
            return _after_scenario(context, source, body)
        if "tables" in source:
            return _at_start(context.worlds.default, state.world_of(source), body, Provenance())
        return _from_world_file(context, source, body)
    if source is None:
        return _as_root(context, body)
    if source in world_file.SHIPPED:
        return _from_world_file(context, source, body)
    if isinstance(source, str) and (other := context.worlds.find(source)) is not None:
        return _forked(other, other.world, body)
    return _after_scenario(context, source, body)


def _profile(base: Mapping[str, Any], body: MakeWorld) -> Mapping[str, Any] | None:
    """Return the profile of another world with the choices of the body; None when the body makes none."""
    return {**base, **read_profile(body.profile)} if body.profile else None


def _forked(
    other: Service,
    world: World,
    body: MakeWorld,
    clock: Clock | None = None,
    provenance: Provenance | None = None,
) -> Service:
    """Return a fork of another world, with the seed and the profile of the body."""
    if body.seed is not None:
        world = replace(world, seed=body.seed)
    return other.fork(world, _profile(other.profile, body), clock, provenance)


def _at_start(root: Service, world: World, body: MakeWorld, provenance: Provenance) -> Service:
    """Return a world of these records, with the clock of the root world's start."""
    return _forked(root, world, body, root.clock.fresh(), provenance)


def _from_world_file(context: ControlContext, source: str | Mapping[str, Any], body: MakeWorld) -> Service:
    """Return a world made from a world file: a shipped one by name, or its content."""
    root = context.worlds.default
    seed = root.history.origin.seed if body.seed is None else body.seed
    built = world_file.load(source, seed, _profile(root.profile, body) or root.profile)
    made_from = source if isinstance(source, str) else ""
    return _at_start(root, built.world, body, Provenance(made_from, built_on=built.assumptions))


def _as_root(context: ControlContext, body: MakeWorld) -> Service:
    """Return the root world's start; it is loaded again where the seed or the profile may change it."""
    root = context.worlds.default
    made_from, outputs = root.provenance.made_from, root.provenance.outputs
    if (body.seed is not None or body.profile) and made_from in world_file.SHIPPED and not outputs:
        return _from_world_file(context, made_from, body)
    return _at_start(root, root.history.origin, body, root.provenance)


def _from_snapshot(context: ControlContext, source: Mapping[str, Any], body: MakeWorld) -> Service:
    """Return another world at the time of a snapshot, with the clock of that instant."""
    unknown = source.keys() - {"snapshot", "world"}
    if unknown:
        raise Misuse(f"from: a snapshot has no {', '.join(sorted(unknown))}; there are snapshot and world")
    name, taken = source.get("world", ""), source["snapshot"]
    other = context.worlds.find(name) if isinstance(name, str) else None
    if other is None:
        raise Misuse(f"from: there is no world {name!r}", status=404)
    snapshot = other.history.snapshots.get(taken) if isinstance(taken, str) else None
    if snapshot is None:
        there = f"are {', '.join(other.history.snapshots)}" if other.history.snapshots else "is none"
        raise Misuse(f"from: there is no snapshot {taken!r}; there {there}", status=404)
    service = _forked(other, snapshot.world, body)
    service.clock.follow(snapshot.now, frozen=snapshot.frozen, rate=snapshot.rate)
    service.clock.begin()
    return service


def _from_moment(context: ControlContext, source: Mapping[str, Any], body: MakeWorld) -> Service:
    """Return another world as it was right after an entry of its journal, with the clock of that instant."""
    unknown = source.keys() - {"moment", "world"}
    if unknown:
        raise Misuse(f"from: a moment has no {', '.join(sorted(unknown))}; there are moment and world")
    name, id = source.get("world"), source["moment"]
    other = context.service if name is None else context.worlds.find(name) if isinstance(name, str) else None
    if other is None:
        raise Misuse(f"from: there is no world {name!r}", status=404)
    there = ControlContext(other, context.worlds, context.host)
    entry = noted(there, str(id))
    service = _forked(other, world_after(there, str(id)), body)
    service.clock.follow(entry.at, frozen=other.clock.frozen, rate=other.clock.rate)
    service.clock.begin()
    return service


def _after_scenario(context: ControlContext, scenario: Any, body: MakeWorld) -> Service:
    """Return a world made like the root world, after a scenario: a shipped one by name, or the content of a file."""
    # imported here because most servers never run a scenario
    from confsim.arazzo import library

    from .scenarios import start_from

    if not isinstance(scenario, Mapping) and scenario not in library.SHIPPED:
        known = (*world_file.SHIPPED, *filter(None, context.worlds), *library.SHIPPED)
        meant = suggest_near(scenario, known) or f"; there are {', '.join(known)}"
        raise Misuse(f"from: {scenario!r} is neither a world nor a scenario{meant}", status=404)
    service = _as_root(context, body)
    run = ScenarioRun(
        service.history.origin, service.profile, service.settings, service.clock.values(), service.clock.now(), service
    )
    runs = context.worlds.runs
    key = _key(scenario)
    earlier = runs.get(key)
    if earlier is None or not earlier.equals(run):
        start_from(scenario, ControlContext(service, context.worlds, context.host), patient=False)
        if service.history.snapshots or service.bugs or any(True for _ in service.faults):
            return service  # a fork does not copy them
        earlier = runs[key] = run
        if len(runs) > RUNS:
            runs.pop(next(iter(runs)), None)
    return earlier.after.fork()


def _key(scenario: str | Mapping[str, Any]) -> str:
    """Return the cache key of a scenario's run: its name, or the digest of its content."""
    if isinstance(scenario, str):
        return scenario
    return blake2b(msgspec.json.encode(scenario, order="deterministic")).hexdigest()


def start_again(
    context: ControlContext,
    world: str | Path | Mapping[str, Any],
    seed: int,
    profile: Mapping[str, Any] | str | Path | None,
    scenario: str | Path | None,
) -> Service:
    """Replace the root world of a server by another one, at its clock's instant.

    The settings of the earlier one are taken over. Raises Misuse, without a change, for a world that is not at the root
    and for invalid arguments.
    """
    before, worlds = context.service, context.worlds
    if worlds.default is not before:
        raise Misuse("only the world at the root of a server can start again as another")
    made = make(world, seed, before.clock.copy(), profile)
    made.take_over(before.settings)
    if scenario is not None:
        from .scenarios import start_from

        start_from(scenario, ControlContext(made, worlds, context.host))
    worlds.replace_default(made)
    return made
