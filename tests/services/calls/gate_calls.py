"""Calls of every operation by every account, which show whom a gate lets in; nothing of what they change stays."""

from __future__ import annotations

import re
from typing import Any

from services.calls.client import Api

CALLERS = ("customer-admin", "owner", "operator", "user", "guest", "api-token")
#: State words of operations whose state is not enabled and disabled.
STATES = {"channel.door": "open", "channel.attendees": "mute"}
#: Kinds of failures by which a gate refuses.
REFUSALS = ("forbidden", "user_only", "api_token_only")


class GateCalls:
    """One service, with something of everything that paths name."""

    def __init__(self, style: str) -> None:
        api = self.api = Api(style)
        breakout = api.breakout()
        self.words: dict[str, Any] = {
            "uuid": api.channel,
            "channelUuid": api.channel,
            "channelIds": api.channel,
            "clientId": api.client_id,
            "userId": api.users["user"],
            "userIds": api.users["user"],
            "breakoutSession": breakout,
            "breakoutRoom": api.room(breakout),
            "sessionId": api.seeded["session"],
            "kind": api.style.channels.data_kinds[0],
            "key": "agenda",
            "level": api.style.users.levels["customer-admin"][0],
            "limit": 5,
            "version": 1,
        }

    def admits(self, route: Any, caller: str) -> bool:
        """Whether the gate lets the caller in, whatever becomes of the call."""
        words = {"state": STATES.get(route.name, "enable"), **self.words}
        path = re.sub(r"<(\w+)>", lambda found: str(words.get(found[1], "x")), route.path)
        query = "?handle=Somebody" if route.name == "handle.unique" else ""
        database = self.api.app.service.db.connection
        before = database.serialize()
        try:
            answer = self.api(caller, route.method, path + query, {} if route.method == "POST" else ...)
        finally:
            database.deserialize(before)
        refused = [self.api.style.errors.kinds[kind] for kind in REFUSALS]
        return not any(answer.status == kind.status and f'"{kind.code}"' in _coded(answer.raw) for kind in refused)


def _coded(raw: str) -> str:
    """The body with numbers as codes and addresses of problems in quotes of their own."""
    return re.sub(r'"[^"]*/problems/([^"]+)"', r'"\1"', re.sub(r'"errorCode": (\d+)', r'"errorCode": "\1"', raw))
