"""TURN credentials as in coturn's REST interface: a user name with its expiry, and the HMAC of the user name."""

from __future__ import annotations

import hmac
from base64 import b64encode
from hashlib import sha1

from msgspec import Struct

from confsim.assumptions.register import ask
from confsim.assumptions.runtime import streaming as assumed
from confsim.domain.identity.credentials import Caller
from confsim.kernel.world import Change


class Credentials(Struct, frozen=True):
    """Credentials for the TURN server. ``life`` in seconds."""

    username: str
    password: str
    life: int
    uris: tuple[str, ...]


def issue(change: Change, caller: Caller) -> Credentials:
    """Credentials of the caller that expire at the end of their life, counted from this instant (G358).

    The user name is ``expiry:caller`` with the expiry in epoch seconds; the password is the base64 of the HMAC-SHA1 of
    the user name under the secret that the world shares with its TURN server.
    """
    life = ask(change, assumed.TURN_LIFE)
    since = change.now // 1000 if ask(change, assumed.TURN) == "fresh" else 0
    username = f"{since + life}:{caller.name}"
    return Credentials(username, password(change, username), life, ask(change, assumed.TURN_URIS))


def password(change: Change, username: str) -> str:
    """The password of a user name, as the TURN server computes it."""
    return b64encode(hmac.digest(change.key("turn"), username.encode(), sha1)).decode()
