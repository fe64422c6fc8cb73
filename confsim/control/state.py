"""The world as a whole: reset, snapshots, and its records as one document."""

from __future__ import annotations

from confsim.contract.encode import Raw
from confsim.contract.types import Json, Name, Wire
from confsim.kernel.refusal import Misuse
from confsim.service import state
from confsim.service.history import Snapshot

from .control import Control, Order, operation


class Now(Wire):
    """The instant that the clock shows."""

    now: int


class SnapshotInfo(Wire):
    """A snapshot: its name and its instant."""

    name: str
    now: int


class TakeSnapshot(Order):
    """The name of a snapshot."""

    name: Name


@operation("POST /reset")
def reset_world(control: Control) -> Now:
    """Bring back the world, the clock and the empty journal of the start. Snapshots stay."""
    control.service.reset()
    return Now(now=control.service.clock.now())


@operation("GET /snapshots")
def list_snapshots(control: Control) -> list[SnapshotInfo]:
    """List the snapshots in the order in which their names were first taken."""
    return [_told(name, snapshot) for name, snapshot in control.service.snapshots.items()]


@operation("POST /snapshots")
def take_snapshot(control: Control, body: TakeSnapshot) -> SnapshotInfo:
    """Keep the world and its instant under a name; an earlier snapshot of this name is replaced."""
    return _told(body.name, control.service.keep(body.name))


@operation("POST /snapshots/{name}/restore")
def restore_snapshot(control: Control, name: str) -> SnapshotInfo:
    """Bring the world and the instant of a snapshot back; the journal goes on. Misuse (404) for an unknown name."""
    return _told(name, control.service.restore(name))


@operation("DELETE /snapshots/{name}")
def drop_snapshot(control: Control, name: str) -> SnapshotInfo:
    """Forget a snapshot, and answer what it was. Misuse (404) for an unknown name."""
    snapshot = control.service.snapshots.pop(name, None)
    if snapshot is None:
        raise Misuse(f"there is no snapshot {name!r}", status=404)
    return _told(name, snapshot)


@operation("GET /state")
def get_state(control: Control) -> Raw:
    """Give the whole world as one JSON document; the same world gives the same bytes."""
    return Raw("application/json", state.document(control.see().world))


@operation("GET /state/schema")
def get_state_schema(control: Control) -> Raw:
    """Give the JSON Schema of state documents: what ``put_state`` takes, and ``get_state`` gives."""
    return Raw("application/schema+json", state.schema())


class Digest(Wire):
    """A fingerprint of a world: equal for equal worlds, whatever road led to them."""

    digest: str


@operation("GET /state/digest")
def get_state_digest(control: Control) -> Digest:
    """Tell the fingerprint of the whole world, to compare worlds without fetching them."""
    return Digest(digest=control.see().world.digest())


@operation("PUT /state")
def put_state(control: Control, body: Json) -> Now:
    """Replace the world by that of a state document; clock and journal go on.

    Misuse that names the place of the first thing in the document that cannot be: what its schema does not allow, and
    what relies upon something that is not there.
    """
    control.service.replace(state.world_of(body))
    control.service.webhooks.send_now()
    return Now(now=control.service.clock.now())


def _told(name: str, snapshot: Snapshot) -> SnapshotInfo:
    return SnapshotInfo(name=name, now=snapshot.now)
