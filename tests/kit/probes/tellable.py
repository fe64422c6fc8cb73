"""The values that API calls alone can show, as the flips of journeys have: ``tests/data/tellable.json``.

``python -m kit.probes.journeys FILE`` writes it, ``python -m kit.probes.written`` adds to it. A value is in it when a
journey of API calls, from the demo world or of a written probe, is answered otherwise under it than under the default,
in what calibrate compares: ids, links, texts for people and tokens are the service's own. Requests that are no
operation's are compared as they are. Operations that calibrate leaves out, as they need a key that others hold or
disturb others, show nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from confsim.service.messages import Request, Response
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Comparison, reply_of
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.declared import why_left_out

#: Faults of requests that no HTTP client makes, or only with a body of 100 MB.
UNSENT = frozenset({"timeout", "version_unsupported", "coding_unsupported", "body_too_large"})
#: Parameters that name what no call makes, so that nobody may change it.
_NOT_MADE = frozenset({"number", "validatorId"})
#: Entries of which journeys name ids or codes that a service chooses otherwise, or what only others make, and why.
UNREACHABLE = {
    "clients.disable-releases": "a client that was made has no validator and no number",
    "clients.own-service": "it would switch off a client that was not made",
    "code.media-too-large": "it needs an upload of 100 MB",
    "code.not-parent": "it would switch off a client that was not made",
    "emails.second": "a verified address needs the code of a mail",
    "gate.verify_user_email": "it needs the code of a mail, and journeys of the suite read the mail",
    "ids.client": "ids are the service's own",
    "images.given-url": "the journey names an id that the service chooses",
    "invitations.persistent-code": "the journey names an id that the service chooses",
    "status.media-too-large": "it needs an upload of 100 MB",
    "status.not-parent": "it would switch off a client that was not made",
    "streaming.session": "the session that is not started is in no list, so that nothing names its id",
    "users.first-id": "ids are the service's own",
}
FILE = Path(__file__).resolve().parents[2] / "data" / "tellable.json"


@cache
def tellable() -> Mapping[str, frozenset[str]]:
    """The values that an API call can show, as text, by the id of their entry."""
    return {id: frozenset(values) for id, values in json.loads(FILE.read_text()).items()}


def store(keys: Iterable[str]) -> None:
    """Write the file; each key is ``id=value``."""
    found: dict[str, list[str]] = {}
    for key in sorted(set(keys)):
        id, _, value = key.partition("=")
        if id in UNREACHABLE:
            continue
        found.setdefault(id, []).append(value)
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


class Compared:
    """Compares the answers of two worlds to the same requests, one after the other."""

    def __init__(self) -> None:
        self._known = Correspondence()
        self._known.shift = 0
        self._left_out = False
        self._comparison = Comparison(Shapes({}), self._known)

    def differ(self, call: ModelCall | None, request: Request, one: Any, other: Any) -> bool:
        """Whether the answers to a request differ; ``call`` is None when it is no operation's."""
        self._left_out = self._left_out or (call is not None and _is_left_out(call))
        if one == other or one is None or other is None or self._left_out or request.fault in UNSENT:
            return False
        if call is None or request.method not in ("GET", "POST", "PUT", "DELETE"):
            return True
        first, second = (reply_of(Response(status, list(headers), body)) for status, headers, body, _ in (one, other))
        return self._comparison.difference(call.declared, first, second) is not None


def _is_left_out(call: ModelCall) -> bool:
    """Whether a call is never made against a service: it needs what others hold, disturbs them, or changes theirs."""
    first = next(iter(call.declared.placeholders), "")
    return bool(why_left_out(call.declared)) or (call.declared.changes and first in _NOT_MADE)
