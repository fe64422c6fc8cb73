"""The world as a whole: reset, snapshots, and its records as one document."""

from __future__ import annotations

from typing import Annotated

from confsim.assumptions.protocol.transport import RESET_CLOCK
from confsim.contract.encode import Raw
from confsim.contract.types import Name, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.fields import Object
from confsim.control.moments import noted, world_after
from confsim.control.operations import bounds
from confsim.service.files import state
from confsim.service.history import Snapshot


class ClockInstant(Wire):
    """The instant of the clock after the call."""

    now: Annotated[int, "The instant of the clock, in epoch milliseconds."]


class SnapshotInfo(Wire):
    """A snapshot: its name and its instant."""

    name: Annotated[str, "The name of the snapshot."]
    now: Annotated[int, "The instant of the snapshot, in epoch milliseconds."]


class TakeSnapshot(CommandBody):
    """The name of a snapshot."""

    name: Annotated[Name, "The name of the snapshot."]


@operation("POST /reset", replayed=False)
def reset_world(context: ControlContext) -> ClockInstant:
    """Restore the world and the clock of the start, and empty the journal. Snapshots stay."""
    context.service.reset()
    context.service.journal.use([RESET_CLOCK.id])
    return ClockInstant(now=context.service.clock.now())


@operation("GET /snapshots")
def list_snapshots(context: ControlContext) -> list[SnapshotInfo]:
    """List the snapshots, in the order in which their names were first used."""
    return [_describe(name, snapshot) for name, snapshot in context.service.history.snapshots.items()]


@operation("POST /snapshots", bounds=bounds.SNAPSHOTS)
def take_snapshot(context: ControlContext, body: TakeSnapshot) -> SnapshotInfo:
    """Save the world and its instant under a name; replaces an earlier snapshot of this name.

    Raises Misuse (409) if there are too many.
    """
    return _describe(body.name, context.service.history.take(body.name))


@operation("POST /snapshots/{name}/restore")
def restore_snapshot(context: ControlContext, name: Annotated[str, "The name of the snapshot."]) -> SnapshotInfo:
    """Restore the world and the instant of a snapshot; the journal continues. Misuse (404) for an unknown name."""
    return _describe(name, context.service.history.restore(name))


@operation("POST /moments/{id}/restore")
def restore_moment(context: ControlContext, id: Annotated[str, "The id of the journal entry."]) -> ClockInstant:
    """Go back to the world and the instant right after an entry of the journal; the journal continues.

    Misuse (404) for an id that nothing has had, (410) for what the journal has dropped.
    """
    entry = noted(context, id)
    context.service.history.go_back(world_after(context, id), entry.at)
    return ClockInstant(now=context.service.clock.now())


@operation("DELETE /snapshots/{name}")
def drop_snapshot(context: ControlContext, name: Annotated[str, "The name of the snapshot."]) -> SnapshotInfo:
    """Delete a snapshot and return its description. Misuse (404) for an unknown name."""
    return _describe(name, context.service.history.drop(name))


@operation("GET /state", media="application/json", beside=True)
def get_state(context: ControlContext) -> Raw:
    """Get the whole world as one JSON document; the same world gives the same bytes."""
    return Raw("application/json", state.document(context.view().world))


@operation("GET /state/schema", media="application/schema+json")
def get_state_schema(context: ControlContext) -> Raw:
    """Get the JSON Schema of the state documents that ``get_state`` returns and ``put_state`` accepts."""
    return Raw("application/schema+json", state.schema())


class Digest(Wire):
    """A fingerprint of a world: equal for equal worlds, however they came about."""

    digest: Annotated[str, "The fingerprint of the world."]


@operation("GET /state/digest", beside=True)
def get_state_digest(context: ControlContext) -> Digest:
    """Get the fingerprint of the whole world, to compare worlds without fetching them."""
    return Digest(digest=context.view().world.digest())


@operation("PUT /state", most_bytes=bounds.DOCUMENT)
def put_state(context: ControlContext, body: Object) -> ClockInstant:
    """Replace the world by that of a state document; the clock and the journal continue.

    Misuse with the place of the first mistake in the document: a value that its schema does not allow, or a reference
    to something that does not exist.
    """
    context.service.live.replace(state.world_of(body))
    context.service.webhooks.send_now()
    return ClockInstant(now=context.service.clock.now())


def _describe(name: str, snapshot: Snapshot) -> SnapshotInfo:
    return SnapshotInfo(name=name, now=snapshot.now)
