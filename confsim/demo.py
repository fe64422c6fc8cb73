"""The people and things of the demo world as names: tokens, and ids that are the same in every copy of it.

``Simulator.demo`` has its users, whose ids the world chooses itself: ``sim.demo.owner.id``.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable
from typing import Final, Self

from confsim.kernel.refusal import Misuse, suggest, suggest_near

#: Tokens.
PARTNER_ADMIN: Final = "demo-partner-admin"
CUSTOMER_ADMIN: Final = "demo-customer-admin"
OWNER: Final = "demo-owner"
OPERATOR: Final = "demo-operator"
USER: Final = "demo-user"
GUEST: Final = "demo-guest"
API_TOKEN: Final = "demo-api-token"
OTHER_ADMIN: Final = "demo-other-admin"

#: Ids of clients: the partner, its customer (to whom all other things belong), and an unrelated one.
PARTNER_CLIENT: Final = "11111111-1111-4111-8111-111111111111"
CLIENT: Final = "22222222-2222-4222-8222-222222222222"
OTHER_CLIENT: Final = "33333333-3333-4333-8333-333333333333"

#: Ids of channels of the customer: one that admits guests, and an event room.
ROOM: Final = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
EVENT_ROOM: Final = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"

#: Inbound numbers of the customer, the default one first.
NUMBER: Final = "+12025550123"
NUMBER_GB: Final = "+442079460123"

#: Ids of validators of the customer, the active one first, with the secrets that sign identity tokens.
VALIDATOR: Final = "demo-validator"
VALIDATOR_SECRET: Final = "demo-validator-secret-of-32-bytes"
SECOND_VALIDATOR: Final = "demo-validator-2"
SECOND_VALIDATOR_SECRET: Final = "demo-validator-2-secret-of-32-bytes"


class DemoUser(int):
    """A user of the demo world. It is the id that the user has in this world, and can stand wherever one is taken.

    ``token`` is the user's token, so that the user can also be the caller of a call; ``client`` is the id of the
    client, ``origin_id`` that of the user at the customer's own provider, None for a user who has none.
    """

    def __new__(cls, id: int, token: str, client: str, origin_id: str | None = None) -> Self:  # noqa: ARG004
        """Return a user of this id."""
        return super().__new__(cls, id)

    def __init__(self, id: int, token: str, client: str, origin_id: str | None = None) -> None:  # noqa: ARG002
        self.token = token
        self.client = client
        self.origin_id = origin_id

    def __reduce__(self) -> tuple[type[Self], tuple[int, str, str, str | None]]:
        """For copies."""
        return type(self), (int(self), self.token, self.client, self.origin_id)

    @property
    def id(self) -> int:
        """The id of the user, as a plain number."""
        return int(self)

    def __repr__(self) -> str:
        return f"DemoUser({int(self)}, token={self.token!r}, client={self.client!r}, origin_id={self.origin_id!r})"

    __str__ = int.__repr__


class Demo:
    """The users of a demo world, with the ids that they have in it. Misuse (404) for one whom the world lacks.

    ``tokens`` are those of its users, ``user`` finds one by the token.
    """

    def __init__(self, tokens: Iterable[str], user: Callable[[str], DemoUser]) -> None:
        self._tokens = tuple(tokens)
        self._user = user

    def __repr__(self) -> str:
        return f"<demo users {', '.join(self._tokens)}>"

    if not typing.TYPE_CHECKING:  # a type checker must report unknown names

        def __getattr__(self, name: str) -> DemoUser:
            __tracebackhide__ = True
            known = [each for each, value in vars(Demo).items() if isinstance(value, property)]
            raise AttributeError(f"there is no demo user {name!r}{suggest(name, known)}", name=name, obj=self)

    def _get(self, token: str) -> DemoUser:
        if token not in self._tokens:
            raise Misuse(f"no user of this world has the token {token!r}", status=404)
        return self._user(token)

    @property
    def partner_admin(self) -> DemoUser:
        """The admin of the partner."""
        return self._get(PARTNER_ADMIN)

    @property
    def customer_admin(self) -> DemoUser:
        """The admin of the customer."""
        return self._get(CUSTOMER_ADMIN)

    @property
    def owner(self) -> DemoUser:
        """The owner of both channels."""
        return self._get(OWNER)

    @property
    def operator(self) -> DemoUser:
        """The operator of both channels."""
        return self._get(OPERATOR)

    @property
    def user(self) -> DemoUser:
        """A registered user without a role."""
        return self._get(USER)

    @property
    def guest(self) -> DemoUser:
        """A guest of the first channel, who has not accepted the terms."""
        return self._get(GUEST)

    @property
    def other_admin(self) -> DemoUser:
        """The admin of the unrelated client."""
        return self._get(OTHER_ADMIN)


if not typing.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Raise AttributeError with the nearest name."""
        __tracebackhide__ = True
        meant = "" if name.startswith("_") else suggest_near(name, [each for each in globals() if each.isupper()])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{meant}")
