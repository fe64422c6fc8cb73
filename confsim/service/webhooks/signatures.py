"""Signatures of webhooks, by the assumption that chooses one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

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
