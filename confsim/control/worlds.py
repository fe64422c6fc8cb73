"""The worlds of the server: each a complete mount with its own state, clock, seed and journal."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import field

from confsim.contract.types import Json, Long, Wire
from confsim.kernel.refusal import Misuse
from confsim.service import loading
from confsim.service.pipeline import Service

from .control import Control, Order, operation


class WorldInfo(Wire):
    """A world: its name (empty for the one at the root), what it was made from, and where it stands.

    ``outputs`` are those of the scenario that it starts from.
    """

    name: str
    world: str
    seed: int
    base_url: str
    root: str
    outputs: dict[str, Any]


class MakeWorld(Order):
    """``name`` is 1 to 64 of A-Z a-z 0-9 _ -.

    ``from`` is a shipped world by name, another world of the server by name (as it is now), a shipped scenario by name,
    or the content of a world file; without it the world is made as the one at the root was, and so it is before a
    scenario. ``seed`` is that of its ids and tokens.
    """

    name: str
    from_: Json = field(default=None, name="from")
    seed: Long | None = None


class Dropped(Wire):
    """The names of the worlds that were dropped."""

    dropped: list[str]


@operation("GET /worlds")
def list_worlds(control: Control) -> list[WorldInfo]:
    """List the worlds of the server, the one at the root first."""
    return [_told(control, name) for name in control.worlds]


@operation("POST /worlds")
def make_world(control: Control, body: MakeWorld) -> WorldInfo:
    """Put another world on the server. Misuse for a bad name, a taken one (409), and an unknown source (404).

    Misuse too when the scenario that it is to start from fails.
    """
    control.worlds.add(body.name, made(control, body))
    return _told(control, body.name)


@operation("DELETE /worlds")
def drop_worlds(control: Control) -> Dropped:
    """Drop every world but the one at the root."""
    names = [name for name in control.worlds if name]
    for name in names:
        control.worlds.drop(name)
    return Dropped(dropped=names)


@operation("DELETE /worlds/{name}")
def drop_world(control: Control, name: str) -> Dropped:
    """Drop a world. Misuse (404) when there is none of this name."""
    control.worlds.drop(name)
    return Dropped(dropped=[name])


def made(control: Control, body: MakeWorld) -> Service:
    """The service of a world that is made as the body says, with the profile of the one at the root."""
    source = body.from_
    if isinstance(source, str) and source not in (*loading.shipped(), *control.worlds):
        return _after(control, source, body.seed)
    return _like(control, source, body.seed)


def _after(control: Control, scenario: str, seed: int | None) -> Service:
    """A world as the one at the root was made, after a scenario that ships."""
    # Imported here, because most servers never run one.
    from confsim.arazzo import library

    from .scenarios import start_from

    if scenario not in library.shipped():
        known = ", ".join((*loading.shipped(), *filter(None, control.worlds), *library.shipped()))
        raise Misuse(f"from: {scenario!r} is neither a world nor a scenario; there are {known}", status=404)
    service = _like(control, None, seed)
    start_from(scenario, Control(service, control.worlds, control.host))
    return service


def _like(control: Control, source: Any, given: int | None) -> Service:
    """A world as a world file, another world of the server, or the one at the root was made."""
    root = control.worlds.default
    clock, outputs = root.clock.fresh(), root.outputs if source is None else {}
    seed = root.origin.seed if given is None else given
    if isinstance(source, dict) or source in loading.shipped():
        world, made_from = loading.load(source, seed, root.profile), source if isinstance(source, str) else ""
    elif source is None:
        world, made_from = root.origin, root.made_from
        if given is not None and made_from in loading.shipped() and not outputs:
            world = loading.load(made_from, seed, root.profile)
    else:
        other = control.worlds.get(source) if isinstance(source, str) else None
        if other is None:
            raise Misuse(f"from: {source!r} is neither a name nor a world file", status=404)
        world, made_from, clock, outputs = other.world, other.made_from, other.clock.copy(), other.outputs
    if given is not None:
        world = msgspec.structs.replace(world, seed=given)
    service = Service(world, clock, root.profile, made_from)
    service.outputs = outputs
    return service


def _told(control: Control, name: str) -> WorldInfo:
    service = control.worlds.get(name)
    assert service is not None
    there = Control(service, control.worlds, control.host)
    return WorldInfo(
        name=name,
        world=service.made_from,
        seed=service.world.seed,
        base_url=there.base_url,
        root=there.root,
        outputs=service.outputs,
    )
