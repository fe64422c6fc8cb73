"""One run against a service: the two sides, what was made, and the steps taken on both."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from copy import copy
from itertools import product
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import sizes
from confsim.assumptions.register import in_force
from confsim.domain.identity.credentials import CREDENTIALS, Credential, authenticate
from confsim.kernel.world import World
from confsim.service.clock import Clock

from .accounts import Accounts
from .calls import ModelCall
from .comparing.comparison import Comparison, Difference, Reply
from .comparing.correspondence import Correspondence
from .comparing.places import Shapes
from .discovering.discovery import NUMBERED_BY, UNUSED, Discovery
from .ledger import Ledger
from .model import Prediction
from .names import RunNames
from .scope import RunScope
from .service import AnswerLost, Interrupted, RealService
from .things import RunCaller, Things

#: Milliseconds within which the run waits for a delayed effect, and the margin it adds.
SOON, MARGIN = 60_000, 2_500

#: Roles whose users are not named in calls, so that they have no other role.
ADMINISTRATORS = frozenset({"customer-admin", "partner-admin", "other-admin"})


def is_new_each_second(call: ModelCall) -> bool:
    """Return whether a call is a read that answers with a secret made of the second in which it is read."""
    return not call.declared.changes and call.declared.shows >= {"secrets", "instants"}


class RunStep(Struct):
    """A call, the answers of model and service, and their first difference, None for none.

    ``at`` is the instant of the model's answer, in epoch milliseconds; ``before`` the model's world before the call.
    """

    call: ModelCall
    predicted: Prediction
    reply: Reply
    at: int
    before: World
    difference: Difference | None
    #: Number of pairs of values before the answers were compared.
    pairs: int = 0

    @property
    def apart(self) -> bool:
        """Return whether one side may have made a change that the other has not."""
        return self.call.declared.changes and (self.predicted.reply.status < 400) != (self.reply.status < 400)

    @property
    def together(self) -> bool:
        """Return whether both answers name the same things: two successes may differ in their status alone."""
        return self.difference is None or self.difference.is_alone


class RunState(Struct):
    """What a run has after so many steps (``count``), from which another can go on."""

    count: int
    world: World
    known: Correspondence
    names: RunNames
    things: Things
    staying: int
    journey: int


class Run:
    """A model and a service side by side.

    ``things`` has what the run made, ``names`` gives their names, ``history`` has the steps so far; ``waited`` counts
    the seconds spent waiting for effects, ``journey`` the journeys.
    """

    def __init__(
        self,
        service: RealService,
        accounts: Accounts,
        profile: Mapping[str, Any],
        known: Correspondence,
        *,
        tag: str,
        base_url: str = "",
        allow_phone_calls: bool = False,
        clients_read: bool = True,
        clock: Clock | None = None,
        read_before: Discovery | None = None,
    ) -> None:
        self.service = service
        self.base_url = base_url
        self.accounts = accounts
        self.known = known
        self.profile = profile
        self.names = RunNames(tag)
        self.discovery = Discovery(service, accounts, profile, known, read_before)
        self.model = self.discovery.model(clock=clock)
        #: The values of the model, by kind, that were known before the first step.
        self.known_before = known.pairs
        #: The assumptions on which the model's start depends.
        self.rests_on = self.discovery.rests_on(self.model)
        self.things = Things(accounts.client, frozenset(self.discovery.before))
        self.scope = RunScope(self.things, tag, allow_phone_calls=allow_phone_calls, clients_read=clients_read)
        self.shapes = Shapes(profile)
        self.comparison = Comparison(self.shapes, known)
        self.ledger = Ledger(self.things, self.names, self.scope, self.shapes, self._tokens)
        self.waited = 0.0
        #: When secrets that are made of an instant were read last, by operation and caller.
        self._read_at: dict[tuple[str, str | None], int] = {}
        self.journey = 0
        self.notes: list[str] = [*self.discovery.notes, *self._misplaced()]
        self.history: list[RunStep] = []
        self._meet()

    def _misplaced(self) -> Iterator[str]:
        """Yield for each administrator of the accounts who is none, as far as its access levels can be read, that."""
        change = self.model.service.change()
        for role in ("partner-admin", "customer-admin"):
            if (token := self.accounts.tokens.get(role)) is None:
                continue
            user = authenticate(change, token).user
            if user is not None and role not in {level.word for level in user.levels}:
                there = self.known.service("users", user.id)
                yield f"the token of the {role} is that of user {there}, who has not this access level"

    def begin_journey(self, number: int) -> None:
        """Count what is made from now on to this journey."""
        self.journey = number
        self.ledger.begin_journey(number)

    def under(self, profile: Mapping[str, Any], known: Correspondence) -> Run:
        """Return a new run whose model is under another profile, without reading again."""
        return Run(
            self.service,
            self.accounts,
            profile,
            known,
            tag=self.names.tag,
            base_url=self.base_url,
            allow_phone_calls=self.scope.allow_phone_calls,
            clients_read=self.scope.clients_read,
            clock=self.model.clock,
            read_before=self.discovery,
        ).with_notes(self.notes)

    def with_notes(self, notes: Iterable[str]) -> Run:
        """Add the notes of another run of the same service; return this run."""
        self.notes = list(dict.fromkeys([*notes, *self.notes]))
        return self

    def state(self) -> RunState:
        """Return what the run has now; later steps do not change it."""
        return RunState(
            len(self.history),
            self.model.world,
            self.known.copy(),
            self.names.copy(),
            self.things.copy(),
            self.scope.staying,
            self.journey,
        )

    def resumed(self, state: RunState, profile: Mapping[str, Any]) -> Run:
        """Return a new run that goes on after earlier steps of this one, its model under another profile."""
        other = copy(self)
        other.profile, other.known, other.names = profile, state.known.copy(), state.names.copy()
        other.model = self.model.under(profile, state.world)
        other.things = state.things.copy()
        other.scope = self.scope.copy(other.things, state.staying)
        other.shapes = Shapes(profile)
        other.comparison = Comparison(other.shapes, other.known)
        other.ledger = Ledger(other.things, other.names, other.scope, other.shapes, other._tokens)
        other.begin_journey(state.journey)
        other.notes, other.history = list(self.notes), self.history[: state.count]
        return other

    @property
    def numbers(self) -> list[str]:
        """The inbound numbers of the client of the accounts."""
        tokens = [each.token for each in self.things.callers if each.home == self.accounts.client]
        for operation, token in product(NUMBERED_BY, tokens):
            reply = self.model.imagine(ModelCall(operation, token)).reply
            if reply.status < 400:
                rows = reply.body.get("results", []) if isinstance(reply.body, dict) else reply.body or []
                return [each["number"] for each in rows]
        return []

    def _tokens(self) -> Mapping[str, Credential]:
        """Return the credentials that the model holds, by token."""
        return {each.value: each for each in CREDENTIALS.of(self.model.service.change()).all}

    def _meet(self) -> None:
        """Add the callers of the accounts."""
        held = self._tokens()
        for role, token in self.accounts.tokens.items():
            if role in UNUSED:
                continue
            credential = held[token]
            self.things.add_caller(RunCaller(token, role, credential.client, credential.user))
            if credential.user is not None and role not in ADMINISTRATORS:  # who are to host nothing
                self.things.known_users.setdefault(credential.client, []).append(credential.user)

    def opening_calls(self) -> Generator[ModelCall, RunStep, None]:
        """Yield the calls that create a client for the run, with an API token, when the accounts have a Partner Admin.

        The step of each is sent before the next is taken.
        """
        partner = next((each for each in self.things.callers if each.role == "partner-admin"), None)
        if partner is None:
            return
        body: Any = {"name": self.names.new("client", in_force(self.profile, sizes.NAME))}
        made = yield ModelCall("create_client", partner.token, body=body, content_type="application/json")
        if made.reply.status >= 400:
            self.notes.append(f"no client could be made: {made.reply.status}")
            return
        if not made.together:
            self.notes.append(f"no call is made in the client that was made, as create_client is: {made.difference}")
            return
        own = {"for_client": made.predicted.reply.body["id"]}
        body = {"label": self.names.within(self.names.tag, in_force(self.profile, sizes.LABEL))}
        yield ModelCall("create_api_token", partner.token, {}, own, body, "application/json")

    def opening(self) -> Iterator[RunStep]:
        """Make the opening calls."""
        calls = self.opening_calls()
        with contextlib.suppress(StopIteration):
            call = next(calls)
            while True:
                step = self.take(call)
                yield step
                call = calls.send(step)

    # A step

    def take(self, call: ModelCall, *, reserved: bool = False) -> RunStep:
        """Make a call on both sides and compare the answers. Raises Interrupted when the run cannot continue."""
        self._wait_for_effect()
        self._wait_for_another_second(call)
        reply = None
        try:
            reply = self.service.call(call, reserved=reserved)
            step = self.took(call, reply)
        except (KeyboardInterrupt, AnswerLost):
            self.ledger.note_stray(call, reply, self.known)
            raise
        read = _read_by(self.accounts.role(call.caller), call.caller)
        if step.difference is not None and reply.status == 401 and call.operation != read.operation:
            self.check_token(call.caller)
        return step

    def took(self, call: ModelCall, reply: Reply) -> RunStep:
        """Make a call in the model that the service has already answered with this response."""
        self.model.service.live.fire_due_timers(self.model.clock.now())  # so that they come before the step
        before = self.model.world
        made = self.things if self.scope.is_open(call) else None
        predicted, pairs = self.model.call(call), self.known.count
        difference = self.comparison.difference(call.declared, predicted.reply, reply, made)
        step = RunStep(call, predicted, reply, self.model.clock.now(), before, difference, pairs)
        if step.together:
            self.ledger.note(call, predicted.reply)
        else:
            self.ledger.note_stray(call, reply, self.known)
        if step.apart:
            self.ledger.abandon(call, self.known)
        self.history.append(step)
        return step

    def _wait_for_effect(self) -> None:
        """Wait for an effect that is due soon, so that both sides are asked after it."""
        while (due := self.model.soon(SOON)) is not None:
            seconds = max(0.0, (due + MARGIN - self.model.clock.now()) / 1000)
            self.waited += seconds
            self.service.sleep(seconds)
            self.model.service.live.fire_due_timers(self.model.clock.now())

    def _wait_for_another_second(self, call: ModelCall) -> None:
        """Wait until a secret that is made of the second in which it is read is another one, on both sides."""
        if not is_new_each_second(call):
            return
        now, last = self.model.clock.now(), self._read_at.get((call.operation, call.caller))
        if last is not None and now < last + MARGIN:
            self.waited += (last + MARGIN - now) / 1000
            self.service.sleep((last + MARGIN - now) / 1000)
        self._read_at[call.operation, call.caller] = self.model.clock.now()

    def check_service(self) -> None:
        """Raise Interrupted when the service no longer answers."""
        role, token = next(iter(self.accounts.tokens.items()))
        self.service.call(_read_by(role, token), reserved=True)

    def check_token(self, token: str | None) -> None:
        """Raise Interrupted when the service no longer accepts a token, if it is one of the accounts."""
        role = self.accounts.role(token)
        if role and not self.accepts(token):
            raise Interrupted(f"the token of the {role} is not accepted any more (401): it has expired, or was revoked")

    def accepts(self, token: str | None) -> bool:
        """Return whether the service still accepts a token that the model accepts."""
        caller = self.things.caller(token)
        read = _read_by("" if caller is None else caller.role, token)
        reply = self.service.call(read, reserved=True)
        return reply.status != 401 or self.model.imagine(read).reply.status >= 400


def _read_by(role: str, token: str | None) -> ModelCall:
    """Return a call that whoever has this role may make."""
    return ModelCall("list_supported_languages" if role == "api-token" else "get_me", token)
