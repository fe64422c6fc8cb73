"""The labels of ids."""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.moments import world_after
from confsim.control.operations import bounds
from confsim.kernel.refusal import require_at_most

from .label import Named, find, named


class AskLabels(CommandBody):
    """``ids`` are keys of records, a user's number as text; ``at`` is the id of the journal entry after which."""

    ids: Annotated[list[str], "The ids whose labels are wanted."]
    at: Annotated[str | None, "The id of the call after which they are read; now without one."] = None


class Labels(Wire):
    """Records by the ids that were asked for; ids of nothing are left out."""

    labels: Annotated[dict[str, Named], "The record of each id, with its label."]


@operation("POST /labels", replayed=False, beside=True, bounds=bounds.LABELS)
def find_labels(context: ControlContext, body: AskLabels) -> Labels:
    """Get what people call the records of some ids: users, channels, sessions, endpoints and all others.

    A whole number is the id of a user. Raises Misuse for too many ids, (404) for an unknown call, (410) for one that
    the journal has dropped.
    """
    require_at_most(len(body.ids), bounds.MOST_LABELS, "ids whose labels are asked for")
    change = world_after(context, body.at).change(0)
    found = {id: find(change, id) for id in dict.fromkeys(body.ids)}
    return Labels(labels={id: named(change, held) for id, held in found.items() if held is not None})
