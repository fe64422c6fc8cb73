"""The accounts file (TOML): tokens by role, and the client that they belong to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from confsim.kernel.refusal import Misuse
from confsim.service.files import reading

#: The roles that an accounts file can name; roles of users, whom the API can describe, come first.
USERS = ("partner-admin", "customer-admin", "owner", "operator", "user", "guest", "other-admin")
ROLES = (*USERS, "api-token")


class Accounts(Struct, frozen=True):
    """The id of the client to use, and the available tokens by role."""

    client: str
    tokens: dict[str, str]

    def role(self, token: str | None) -> str:
        """Return the role of a token, "" when it is not among these."""
        return next((role for role, each in self.tokens.items() if each == token), "")


def read_accounts(path: str | Path) -> Accounts:
    """Read an accounts file. Raises Misuse that names the file and the mistake."""
    return accounts_of(reading.toml(path, "accounts"), f"accounts {str(path)!r}")


def accounts_of(document: dict[str, Any], origin: str = "accounts") -> Accounts:
    """Check the content of an accounts file. Raises Misuse that begins with ``origin`` and names every mistake."""
    wrong = [f"[{name}] is none of [client] and [tokens]" for name in document if name not in {"client", "tokens"}]
    client, tokens = document.get("client", {}), document.get("tokens", {})
    if not isinstance(client, dict) or not isinstance(client.get("id"), str) or not client["id"]:
        wrong.append("[client] id is to be the id of the client, a text")
    elif len(client) > 1:
        wrong.append(f"[client] holds an id alone, not {', '.join(name for name in client if name != 'id')}")
    if not isinstance(tokens, dict) or not tokens:
        wrong.append(f"[tokens] is to hold a token for one of {', '.join(ROLES)}, or for several")
        tokens = {}
    for role, token in tokens.items():
        if role not in ROLES:
            wrong.append(f"[tokens] {role!r} is none of the roles {', '.join(ROLES)}")
        elif not isinstance(token, str) or not token or not token.isprintable() or " " in token:
            wrong.append(f"[tokens] {role} is no token")
    if wrong:
        raise Misuse(f"{origin}: " + "; ".join(wrong))
    known = {role: tokens[role] for role in ROLES if role in tokens}
    if len(set(known.values())) < len(known):
        raise Misuse(f"{origin}: [tokens] two roles have the same token")
    return Accounts(client["id"], known)
