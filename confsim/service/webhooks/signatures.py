"""Signatures of webhooks, by the assumption that chooses one, and their verification by a receiver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hmac import compare_digest
from typing import Any

import msgspec

#: Header lines that sign a body: of a secret, the id of the message, the instant (epoch milliseconds) and the body.
Signer = Callable[[str, str, int, bytes], dict[str, str]]


def _standard_webhooks(secret: str, id: str, now: int, body: bytes) -> dict[str, str]:
    """As the specification Standard Webhooks says."""
    from standardwebhooks import Webhook

    at = datetime.fromtimestamp(now // 1000, UTC)
    key = secret if secret.startswith("whsec_") else secret.encode()
    return {
        "webhook-id": id,
        "webhook-timestamp": str(now // 1000),
        "webhook-signature": Webhook(key).sign(id, at, body.decode()),
    }


#: By the value of the assumption; one that is not here signs nothing.
SIGNERS: Mapping[str, Signer] = {"standard-webhooks": _standard_webhooks}

#: Milliseconds by which the timestamp of a signature may differ from the clock, as Standard Webhooks recommends.
TOLERANCE = 300_000


def verify(body: bytes, headers: Mapping[str, str], secret: str, now: int) -> Any:
    """The payload of a webhook that is signed as Standard Webhooks says, at the instant ``now`` (epoch milliseconds).

    Header names match in any case. Raises ValueError when the signature is missing or not that of the secret, its
    timestamp is more than ``TOLERANCE`` from ``now``, or the body is no JSON.
    """
    __tracebackhide__ = True  # pytest shows the call of it
    from standardwebhooks import Webhook

    if not isinstance(body, bytes):
        raise ValueError("the body of a webhook is verified as the bytes that arrived")
    if not secret:
        raise ValueError("the secret is empty")
    lines = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if name not in lines:
            raise ValueError(f"the webhook is not signed: it has no header {name}")
    stamp = lines["webhook-timestamp"]
    if not stamp.isascii() or not stamp.isdigit() or abs(int(stamp) * 1000 - now) > TOLERANCE:
        raise ValueError(f"the timestamp {stamp!r} of the webhook is not within five minutes of the clock")
    at = datetime.fromtimestamp(int(stamp), UTC)
    key = secret if secret.startswith("whsec_") else secret.encode()
    signature = Webhook(key).sign(lines["webhook-id"], at, body.decode())
    if not any(compare_digest(signature.encode(), each.encode()) for each in lines["webhook-signature"].split(" ")):
        raise ValueError("the signature of the webhook is not that of the secret")
    return msgspec.json.decode(body)
