"""The creation of a client below another one, with the objects created along with it."""

from __future__ import annotations

from confsim.assumptions import clients as assumed
from confsim.assumptions.protocol import initial
from confsim.assumptions.register import ask
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.users import users
from confsim.domain.users.users import Account, Level
from confsim.kernel.world import Change


def create_child(change: Change, parent: Client, name: str) -> Client:
    """Create a client below the parent and return it (R234).

    With or without the parent's terms (G168), the reseller interface and a first admin (G138, G296).
    """
    child = clients.create(change, name, parent.id, reseller=ask(change, initial.RESELLER))
    if ask(change, initial.TERMS_FROM) == "parent":
        child = clients.update(change, child, terms=parent.terms)
    if ask(change, assumed.FIRST_ADMIN):
        users.create(change, child.id, "Customer Admin", Account.PREDEFINED, levels=(Level.CUSTOMER_ADMIN,))
    return child
