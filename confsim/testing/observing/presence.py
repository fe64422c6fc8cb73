"""Who may be in a channel: people come over connections that an observer does not see.

Once somebody may have come, a call is not followed whose answer the model would give otherwise if they were there.
"""

from __future__ import annotations

import contextlib
from functools import partial

from confsim.assumptions.runtime.presence import JOINING
from confsim.domain.channels import channels
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.runtime import presence
from confsim.domain.runtime.entrance import Entrant
from confsim.domain.users.users import USERS
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.world import Change
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.learning.run import Run


class Comings:
    """Those who may have come to channels."""

    def __init__(self) -> None:
        #: The client, the channel and the user of each, by their ids in the service.
        self._come: dict[tuple[str, str, int], None] = {}

    def note(self, run: Run, call: ModelCall, reply: Reply) -> None:
        """Note who may come after a call with the ids of the service: who asked for the way, or is called."""
        caller = run.things.caller(run.known.model("tokens", call.caller))
        if reply.status >= 400 or caller is None:
            return
        if call.operation in JOINING.operations:
            user = None if caller.user is None else run.known.service("users", caller.user)
        elif call.declared.rings:
            asked, made = (each if isinstance(each, dict) else {} for each in (call.body, reply.body))
            user = asked.get("sipUserId", made.get("id"))
        else:
            return
        for kind, channel in call.names():
            if kind == "channels" and user is not None:
                self._come[caller.home, channel, user] = None

    def decide(self, run: Run, here: ModelCall, alone: Reply) -> bool:
        """Return whether a call, with the ids of the model, is answered otherwise than this if they have come."""
        if not self._come:
            return False
        try:
            together = run.model.imagine(here, run.model.changed(partial(self._join, run))).reply
        except Misuse:
            return False
        return (together.status, together.body) != (alone.status, alone.body)

    def _join(self, run: Run, change: Change) -> None:
        for home, channel_id, user_id in self._come:
            channel = channels.find(change, home, run.known.model("channels", channel_id))
            user = USERS.get(change, run.known.model("users", user_id), home)
            if channel is not None and user is not None:
                with contextlib.suppress(Refusal):
                    presence.join(change, CLIENTS.of(change)[home], channel, user, by=Entrant.PHONE)
