"""Keys, and identity tokens signed with them."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any

from jwt.algorithms import get_default_algorithms

from confsim import Simulator
from confsim.domain.users.users import BY_ORIGIN, USERS, User
from kit import CUSTOMER, START, START_S, choices

ISSUER, AUDIENCE = "https://issuer.example", "confsim"
CLAIMS: dict[str, Any] = {
    "sub": "person-1",
    "iss": ISSUER,
    "aud": AUDIENCE,
    "iat": START_S - 1,
    "nbf": START_S - 1,
    "exp": START_S + 60,
    "name": "Pia Person",
    "picture": "https://pictures.example/pia.png",
    "email": "pia@person.example",
    "email_verified": True,
}


def part(value: object) -> str:
    """One part of a compact token."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def compact(algorithm: str, key: Any, payload: object, **header: object) -> str:
    """A token signed with the algorithm, whatever its header says."""
    signed = f"{part({'alg': algorithm, 'typ': 'JWT'} | header)}.{part(payload)}"
    return f"{signed}.{part(get_default_algorithms()[algorithm].sign(signed.encode(), key))}"


def exchange(sim: Simulator, token: str, client: str = CUSTOMER) -> Any:
    """The answer of the exchange."""
    return sim.call("exchange_identity_token", clientId=client, body={"idToken": token})


def hs(claims: dict[str, Any], **changed: Any) -> str:
    """A token of the demo world's active validator; a claim that is changed to None is left out."""
    reported = {name: value for name, value in {**claims, **changed}.items() if value is not None}
    return compact("HS256", b"demo-validator-secret-of-32-bytes", reported)


def of_origin(sim: Simulator, origin: str, client: str = CUSTOMER) -> User | None:
    """The user of this origin id, or None."""
    return USERS.seen(sim.service.world, client).one(BY_ORIGIN, origin)


def chosen(**profile: Any) -> Simulator:
    """The demo world with alternatives chosen."""
    return Simulator(clock=START, profile=choices(**profile))
