"""Signatures of webhooks, as an assumption chooses, and their verification by receivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hmac import compare_digest
from typing import Any

import msgspec

from confsim.values.plain import whole_number

#: A function of secret, message id, instant (epoch milliseconds) and body: returns the header lines that sign the body.
Signer = Callable[[str, str, int, bytes], dict[str, str]]


def _standard_webhooks(secret: str, id: str, now: int, body: bytes) -> dict[str, str]:
    """Return the header lines of the Standard Webhooks specification."""
    from standardwebhooks import Webhook

    at = datetime.fromtimestamp(now // 1000, UTC)
    key = secret if secret.startswith("whsec_") else secret.encode()
    return {
        "webhook-id": id,
        "webhook-timestamp": str(now // 1000),
        "webhook-signature": Webhook(key).sign(id, at, body.decode()),
    }


#: Signers by value of the assumption; other values do not sign.
SIGNERS: Mapping[str, Signer] = {"standard-webhooks": _standard_webhooks}

#: Most milliseconds between the timestamp of a signature and the clock, as Standard Webhooks recommends.
TOLERANCE = 300_000


def verify(body: bytes, headers: Mapping[str, str], secret: str, now: int) -> Any:
    """Return the payload of a webhook signed by Standard Webhooks, at the instant ``now`` (epoch milliseconds).

    Header names match in any case. Raises ValueError when the signature is missing or wrong, its timestamp is more than
    ``TOLERANCE`` from ``now``, or the body is not JSON.
    """
    __tracebackhide__ = True  # pytest then shows the caller's line
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
    signed = whole_number(stamp)
    if signed is None or abs(signed * 1000 - now) > TOLERANCE:
        raise ValueError(f"the timestamp {stamp!r} of the webhook is not within five minutes of the clock")
    at = datetime.fromtimestamp(signed, UTC)
    key = secret if secret.startswith("whsec_") else secret.encode()
    signature = Webhook(key).sign(lines["webhook-id"], at, body.decode())
    if not any(compare_digest(signature.encode(), each.encode()) for each in lines["webhook-signature"].split(" ")):
        raise ValueError("the signature of the webhook is not that of the secret")
    return msgspec.json.decode(body)
