"""Controls of a simulator outside the API: the clock, the journal, faults, people, tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .control.coverage.report import CoverageReport
    from .control.facade.assertions import Mails
    from .control.facade.clock import ClockFacade
    from .control.facade.faults import FaultsFacade
    from .control.facade.people import CallsFacade, PresenceFacade, UserId
    from .control.facade.requests import RequestsFacade
    from .control.facade.webhooks import WebhooksFacade
    from .control.history.moved import DifferentMoment
    from .control.history.operation import RecordHistory
    from .control.invoke import ControlPlane
    from .control.operations.people.accounts import MadeClient, MadeUser, RedeemedInvitation
    from .control.operations.people.provisioning import MadeValidator
    from .control.summary.operation import Summary
    from .demo import Demo
    from .values.spans import Duration


class Controls(ABC):
    """The part of ``Simulator`` that inspects and controls a world, by control operations."""

    @property
    @abstractmethod
    def control(self) -> ControlPlane:
        """The control operations by name."""

    @property
    def demo(self) -> Demo:
        """The users of the demo world, with the ids that they have here: ``sim.demo.owner.id``."""
        from .demo import Demo, DemoUser

        info = self.control.unnoted()("get_info")
        holders = {token: each for token, each in info.tokens.items() if each.userId is not None}

        def user(token: str) -> DemoUser:
            holder = holders[token]
            record = self.control.unnoted()("get_record", "users", str(holder.userId)).record
            return DemoUser(holder.userId, token, holder.clientId, record["origin_id"])

        return Demo(holders, user)

    @property
    def clock(self) -> ClockFacade:
        """The clock of the world."""
        from .control.facade.clock import ClockFacade

        return ClockFacade(self.control)

    @property
    def requests(self) -> RequestsFacade:
        """The journal: the calls of the API, newest last."""
        from .control.facade.requests import RequestsFacade

        return RequestsFacade(self.control)

    @property
    def mail(self) -> Mails:
        """The mails that were sent, newest last."""
        from .control.facade.assertions import Mails

        return Mails(self.control("list_mail"))

    @property
    def webhooks(self) -> WebhooksFacade:
        """The deliveries to endpoints of the events interface, newest last, and how they are sent."""
        from .control.facade.webhooks import WebhooksFacade

        return WebhooksFacade(self.control)

    @property
    def faults(self) -> FaultsFacade:
        """The active faults, of calls of operations and of things in the world."""
        from .control.facade.faults import FaultsFacade

        return FaultsFacade(self.control)

    @property
    def presence(self) -> PresenceFacade:
        """The presence of users in the channels of the world."""
        from .control.facade.people import PresenceFacade

        return PresenceFacade(self.control)

    @property
    def calls(self) -> CallsFacade:
        """The phone calls into and out of the channels of the world."""
        from .control.facade.people import CallsFacade

        return CallsFacade(self.control)

    def wait(self, *, count: int = 1, timeout: Duration = "5s", **wanted: object) -> list[Any]:
        """Wait until there are ``count`` matching calls, mails, deliveries or records, and return them.

        The pattern is given as ``request``, ``mail``, ``delivery`` or ``state``, as in the body of ``POST
        /_confsim/wait``: ``sim.wait(mail={"to": "a@example.com"})``. ``timeout`` is real time. Raises Misuse (409) at
        the timeout.
        """
        body: dict[str, object] = {"for": wanted, "count": count, "timeout": timeout}
        found: list[Any] = self.control("wait", **body).seen
        return found

    def summary(self, limit: int | None = None) -> Summary:
        """Return what is wrong in the world, what waits and what comes next; at most ``limit`` of each, by default 10.

        Raises Misuse for a limit above 100.
        """
        found: Summary = self.control("get_summary", limit=limit)
        return found

    def history(
        self,
        kind: str,
        id: str | UserId,
        *,
        timeline: bool = False,
        before: str | None = None,
        limit: int | None = None,
    ) -> RecordHistory:
        """Return the calls, control calls and timers that changed or named a record, oldest first.

        ``kind`` is the name of its table or of one record ("channels", "channel"). A ``timeline`` has the changes of
        records that name it too, and the calls of a user. ``before`` is the id of a journal entry; ``limit`` is at most
        500, by default 50. Raises Misuse (404) for an unknown kind, record or entry.
        """
        from .control.facade.people import number

        key = number(id) if not isinstance(id, str) else id
        found: RecordHistory = self.control(
            "get_history", kind, str(key), timeline=timeline, before=before, limit=limit
        )
        return found

    def difference(self, since: str, until: str | None = None, *, limit: int | None = None) -> DifferentMoment:
        """Return what is different now, or right after the entry ``until`` of the journal, from right after ``since``.

        At most ``limit`` records are shown, by default 100. Raises Misuse (404) for an unknown entry, (410) for one
        that the journal has dropped.
        """
        given = {"from": since, "to": until, "limit": limit}
        found: DifferentMoment = self.control("get_difference", **given)
        return found

    def go_back(self, id: str) -> None:
        """Restore the world and the instant right after an entry of the journal; the journal continues.

        Raises Misuse (404) for an unknown entry, (410) for one that the journal has dropped.
        """
        self.control("restore_moment", id)

    def coverage(self) -> CoverageReport:
        """Return what calls have covered of the API in this process. Raises Misuse (409) when it is not counted."""
        found: CoverageReport = self.control("get_coverage")
        return found

    def token(self, user_id: UserId | None = None, ttl: Duration | None = None, *, client: str | None = None) -> str:
        """Issue a token of a user, as a login would, or an API token of a ``client``; ``ttl`` is a duration ("15m")."""
        from .control.facade.people import number

        who = None if user_id is None else number(user_id)
        token: str = self.control("issue_token", userId=who, clientId=client, ttl=ttl).token
        return token

    def make_client(self, name: str, parent: str | None = None, **fields: object) -> MadeClient:
        """Create a client, at any depth."""
        made: MadeClient = self.control("make_client", name=name, parent=parent, **fields)
        return made

    def make_user(self, client: str, handle: str, **fields: object) -> MadeUser:
        """Create a user who has accepted the terms: ``registered``, ``levels``, ``email``, ``verified``, …."""
        made: MadeUser = self.control("make_user", clientId=client, handle=handle, **fields)
        return made

    def make_validator(self, client: str, id: str, algorithm: str, key: str, **fields: object) -> MadeValidator:
        """Create a validator of identity tokens."""
        made: MadeValidator = self.control(
            "make_validator", clientId=client, validatorId=id, algorithm=algorithm, key=key, **fields
        )
        return made

    def make_number(self, client: str, number: str, **fields: object) -> str:
        """Add an inbound number to a client; ``fields``: ``code`` (its country), ``isDefault``. Returns it as +E164."""
        made: str = self.control("make_number", clientId=client, number=number, **fields).number
        return made

    def redeem(self, code: str, provider: str | None = None) -> RedeemedInvitation:
        """Redeem an invitation as a login with a Nonce does."""
        redeemed: RedeemedInvitation = self.control("redeem_invitation", code=code, provider=provider)
        return redeemed

    def change_record(self, kind: str, id: str | UserId, **fields: object) -> Any:
        """Set fields of a record (user, channel, client, …) that no documented call sets; returns the record."""
        from .control.facade.people import number

        return self.control("change_record", kind, id if isinstance(id, str) else str(number(id)), **fields)

    def identity_token(
        self,
        user: str | UserId,
        *,
        client: str | None = None,
        validator: str | None = None,
        ttl: Duration = "5m",
        name: str | None = None,
        email: str | None = None,
        email_verified: bool | None = None,
        picture: str | None = None,
        claims: Mapping[str, object] | None = None,
    ) -> str:
        """A token that identifies a person, signed by the validator of a client, for ``exchange_identity_token``.

        ``user`` is the origin id of the person, or a user who has one, such as ``demo.owner``. ``client`` may be left
        out for a user, and when only one client has an active validator, ``validator`` for the active one. ``claims``
        are added, over those made of the other arguments. Raises Misuse when the validator is not clear, or its key
        cannot sign.
        """
        from .control.facade.people import number

        who: dict[str, object] = {"originId": user} if isinstance(user, str) else {"userId": number(user)}
        details = {"name": name, "email": email, "emailVerified": email_verified, "picture": picture}
        token: str = self.control(
            "issue_identity_token",
            **who,
            **details,
            clientId=client,
            validatorId=validator,
            ttl=ttl,
            claims=dict(claims or {}),
        ).token
        return token
