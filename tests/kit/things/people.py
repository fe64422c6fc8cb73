"""Users made and read past the API."""

from __future__ import annotations

from confsim import Simulator
from confsim.domain.users import users
from confsim.domain.users.users import Account, User
from kit import START

PNG = b"\x89PNG\r\n\x1a\n"


def under(profile: dict) -> Simulator:
    """The demo world under a profile."""
    return Simulator(clock=START, profile=profile)


def made_user(sim: Simulator, client: str, handle: str, account: Account = Account.REGISTERED, **fields) -> User:
    """A user made past the API."""
    change = sim.service.change()
    user = users.create(change, client, handle, account, **fields)
    sim.service.commit(change)
    return user


def updated(sim: Simulator, id: int, client: str, **fields) -> User:
    """A user changed past the API."""
    change = sim.service.change()
    user = users.update(change, users.get(change, client, id), **fields)
    sim.service.commit(change)
    return user
