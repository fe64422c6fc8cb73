"""Journeys over the whole API, and over Part 1 with a plain model of terms, handles and client service beside."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, settings, strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule, run_state_machine_as_test

from confsim import Simulator, testing
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from confsim.testing import ApiJourney, Journey, api_journey, environment
from confsim.testing.targets import Core, Outcome, Target, Url, Wsgi
from kit import CUSTOMER, MINUTE, PARTNER, START
from kit.budgets import quick

#: Handles that compare equal in pairs (G254), so that collisions are common.
HANDLES = st.sampled_from(["Neo", "neo", "Trinity", "TRINITY", "Café", "Cafe\u0301"])
PEOPLE = st.sampled_from(["demo-owner", "demo-operator", "demo-user"])


def same(handle: str) -> str:
    """What the model takes two equal handles to have in common."""
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", handle).casefold())


class PartOne(Journey):
    """Terms, handles and client service, with a model that is three dictionaries."""

    def targets(self) -> tuple[Target, ...]:
        """The core and the WSGI app, from the first call on."""
        return Core(Simulator(clock=START)), Wsgi(Simulator(clock=START))

    @initialize()
    def model(self) -> None:
        """What the demo world starts with."""
        self.now = 0
        self.version = 1
        self.accepted = dict.fromkeys(("demo-owner", "demo-operator", "demo-user", "demo-customer-admin"), 1)
        self.held: dict[str, tuple[str, int]] = {}
        self.tokens_of: dict[str, str] = {}
        self.owns = {"demo-owner": "Olaf Owner", "demo-operator": "Opal Operator", "demo-user": "Uma User"}
        self.enabled = {PARTNER: True, CUSTOMER: True}
        self.children: dict[str, str] = {}

    # Terms

    def blocked(self, caller: str) -> bool:
        """Whether the model denies authentication to the caller."""
        return self.accepted.get(caller, self.version) != self.version

    def refusal(self, caller: str, changes: bool = True) -> int | None:
        """The status with which the model refuses any ordinary call of the caller, None when it does not."""
        if self.blocked(caller):
            return 401
        return 403 if changes and not (self.enabled[CUSTOMER] and self.enabled[PARTNER]) else None

    @rule(caller=st.sampled_from(["demo-customer-admin", "demo-api-token"]))
    def promulgate(self, caller: str) -> None:
        """New terms: everybody must accept again, the publisher too."""
        outcome = self.call("promulgate_terms", caller, body={"url": "https://terms.example/next"})
        assert outcome.status == (self.refusal(caller) or 200)
        if outcome.status == 200:
            self.version += 1

    @rule(caller=PEOPLE, off=st.integers(-1, 1))
    def accept(self, caller: str, off: int) -> None:
        """The current version is accepted, any other is not; blocked users may call this."""
        outcome = self.call("accept_terms", caller, version=str(self.version + off))
        assert outcome.status == (200 if off == 0 else 400)
        if off == 0:
            self.accepted[caller] = self.version

    @rule(caller=PEOPLE)
    def read_terms(self, caller: str) -> None:
        """The user's state is that of the model."""
        body = self.call("get_user_terms", caller).body
        assert body["isCurrent"] is not self.blocked(caller)
        assert body["currentVersion"] == self.version

    @rule(caller=PEOPLE)
    def read_self(self, caller: str) -> None:
        """Reading oneself needs accepted terms, but no enabled service."""
        outcome = self.call("get_me", caller)
        assert outcome.status == (self.refusal(caller, changes=False) or 200)
        if outcome.status == 200:
            assert outcome.body["handle"] == self.owns[caller]

    # Handles

    def free_for(self, handle: str, caller: str) -> bool:
        """Whether the model lets the caller reserve the handle."""
        key = same(handle)
        holder = self.held.get(key)
        if holder is not None and holder[1] > self.now and holder[0] != caller:
            return False
        return all(same(owned) != key or owner == caller for owner, owned in self.owns.items())

    @rule(caller=PEOPLE, handle=HANDLES)
    def reserve(self, caller: str, handle: str) -> None:
        """A handle is held for fifteen minutes, by one."""
        outcome = self.call("reserve_handle", caller, body={"handle": handle})
        assert outcome.status == (self.refusal(caller) or (200 if self.free_for(handle, caller) else 409))
        if outcome.status == 200:
            key = same(handle)
            self.tokens_of = {token: of for token, of in self.tokens_of.items() if same(of) != key}
            self.tokens_of[outcome.body["reservationToken"]] = handle
            self.held[key] = (caller, self.now + 15 * MINUTE)

    @rule(caller=PEOPLE, handle=HANDLES)
    def ask_unique(self, caller: str, handle: str) -> None:
        """The check sees registered handles and reservations."""
        outcome = self.call("check_handle_unique", caller, handle=handle)
        if outcome.status == 200:
            key = same(handle)
            held = key in self.held and self.held[key][1] > self.now
            owned = any(same(each) == key for each in self.owns.values())
            assert outcome.body["unique"] is not (held or owned)

    @precondition(lambda self: self.tokens_of)
    @rule(caller=PEOPLE, data=st.data())
    def use(self, caller: str, data: Any) -> None:
        """A valid token gives its handle to anyone who uses it, once."""
        token = data.draw(st.sampled_from(sorted(self.tokens_of)))
        handle = self.tokens_of[token]
        outcome = self.call("change_handle_with_reservation", caller, nonce=token)
        alive = self.held.get(same(handle), ("", 0))[1] > self.now
        taken = any(same(owned) == same(handle) for owner, owned in self.owns.items() if owner != caller)
        assert outcome.status == (self.refusal(caller) or (404 if not alive else 409 if taken else 200))
        if outcome.status == 200:
            self.owns[caller] = handle
            del self.held[same(handle)], self.tokens_of[token]

    @rule(minutes=st.sampled_from([1, 7, 14, 15, 16]))
    def wait(self, minutes: int) -> None:
        """Time passes."""
        self.advance(f"{minutes}m")
        self.now += minutes * MINUTE

    # Client service

    @rule(state=st.sampled_from(["enable", "disable"]))
    def switch(self, state: str) -> None:
        """The parent's Partner Admin switches the child."""
        switched = self.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state=state)
        assert switched.status == 200
        self.enabled[CUSTOMER] = state == "enable"

    @rule(state=st.sampled_from(["enable", "disable"]))
    def switch_oneself(self, state: str) -> None:
        """Nobody else does, least of all the client itself."""
        for caller in ("demo-customer-admin", "demo-other-admin", "demo-user"):
            refused = self.call("set_client_service_state", caller, clientId=CUSTOMER, state=state)
            assert refused.status in {401, 403, 404}

    @rule(name=st.text("abc", min_size=1, max_size=3))
    def create_room(self, name: str) -> None:
        """A disabled service makes no channels."""
        outcome = self.call("create_channel", "demo-api-token", body={"name": name})
        assert outcome.status in ({403} if self.refusal("demo-api-token") else {200, 409})

    @invariant()
    def handles_are_owned_by_one(self) -> None:
        """The model itself keeps handles apart."""
        if hasattr(self, "owns"):
            folded = [same(handle) for handle in self.owns.values()]
            assert len(folded) == len(set(folded))


@pytest.mark.rule("R094", "R101", "R102", "R103", "R106", "R109", "R111", "R112", "R174", "R240")
def test_part_one_agrees_with_its_model() -> None:
    """Terms, handles and client service behave as three dictionaries say, in core and WSGI alike."""
    run_state_machine_as_test(PartOne, settings=quick(12, stateful_step_count=30))


def test_the_live_server_agrees_too() -> None:
    """The same over a socket, by its base URL, beside the core."""
    with Simulator(clock=START).serve() as server:
        control = Url(server.root)

        class Live(ApiJourney):
            def targets(self) -> tuple[Target, ...]:
                control.control("reset_world")
                return Core(Simulator(clock=START)), Url(server.base_url)

        run_state_machine_as_test(api_journey(Live), settings=quick(2, stateful_step_count=30))
        control.close()


class Counting(ApiJourney):
    """A journey that counts what succeeded."""

    reached: ClassVar[set[str]] = set()

    def call(self, operation: str, caller: str | None = None, **arguments: Any) -> Outcome:
        """A call whose operation counts when it succeeds."""
        outcome = super().call(operation, caller, **arguments)
        if outcome.ok:
            self.reached.add(operation)
        return outcome

    def control(self, operation: str, /, *path: str, **fields: object) -> Outcome:
        """A control operation that counts when it succeeds."""
        outcome = super().control(operation, *path, **fields)
        if outcome.ok:
            self.reached.add(operation)
        return outcome


def test_core_and_wsgi_agree_over_the_whole_api() -> None:
    """Whatever is called, by whomever, in whatever order: the same status, body and world; never a 5xx.

    In these few journeys a good part of the API succeeds at least once.
    """
    Counting.reached.clear()
    run_state_machine_as_test(api_journey(Counting), settings=quick(7, stateful_step_count=50))
    assert len(Counting.reached & {operation.name for operation in API}) > 35


class Alone(Counting):
    """In the core alone."""

    def targets(self) -> tuple[Target, ...]:
        """The core."""
        return (Core(Simulator(clock=START)),)


def test_the_environment_is_reached() -> None:
    """Each of its rules succeeds at least once where there are no others."""
    Counting.reached.clear()
    alone = api_journey(Alone, frozenset(operation.name for operation in API))
    run_state_machine_as_test(alone, settings=quick(8, stateful_step_count=40))
    moves = {"join_channel", "leave_channel", "admit_to_channel", "set_presenter", "dial_in", "hang_up", "issue_token"}
    assert moves - Counting.reached == set()


class Elsewhere(Alone):
    """In containers, with nulls and by forms that the documents allow as well."""

    profile: ClassVar[Any] = {
        **{id: entry.alternatives[0] for id, entry in REGISTER.entries.items() if id.endswith(".container")},
        "encode.absent": "null",
        "media.form": "multipart",
    }

    def targets(self) -> tuple[Target, ...]:
        """The core alone, under the profile."""
        return (Core(Simulator(clock=START, profile=self.profile)),)


def test_a_journey_has_its_seed_data_under_other_readings() -> None:
    """One thing of each kind is made, whatever contains it in answers."""
    Counting.reached.clear()
    steps = settings(max_examples=2, stateful_step_count=25, phases=[Phase.generate])
    run_state_machine_as_test(api_journey(Elsewhere), settings=steps)
    assert {"upload_client_media", "create_invitation", "create_breakout_room"} <= Counting.reached


def test_the_base_of_a_journey_is_checked() -> None:
    """Not a simulator, which has no rules."""
    with pytest.raises(Misuse, match="takes a subclass of ApiJourney, not <class"):
        api_journey(Simulator)  # type: ignore[arg-type]


def test_names_of_the_package_are_not_those_of_modules() -> None:
    """What is imported from it is the same the second time, when its module is there."""
    for _ in range(2):
        assert not [name for name in testing.__all__ if isinstance(getattr(testing, name), ModuleType)]


def test_rules_may_be_left_out() -> None:
    """Those of the API, and those that depend on a control plane."""
    left = frozenset({"create_channel", *environment.rules(ApiJourney)})
    names = {name for name in vars(api_journey(ApiJourney, left)) if name in left}
    assert names == set()
    assert left <= set(vars(api_journey()))


#: What a target might say that no world of the documents allows: an operation, and its answer made wrong.
LIES: dict[str, Callable[[Any], object]] = {
    "list_validators": lambda body: [each.update(active=True) for each in body],
    "list_channels": lambda body: [each.update(name="Same") for each in body["results"]],
    "get_channel": lambda body: body.update(reputation=16),
    "get_channel_settings": lambda body: body.update(offAir=not body["offAir"]),
    "list_sessions": lambda body: [each.update(created=each["started"] + 1) for each in body["results"]],
    "list_recordings": lambda body: [each.pop("endTime") for each in body["results"]],
    "list_breakout_sessions": lambda body: [each.update(isActive=True) for each in body],
    "get_populations": lambda body: body.update({id: count + 1 for id, count in body.items()}),
}


class Liar(Core):
    """The core, which says one of them; ``operation`` is which."""

    operation: ClassVar[str]

    def call(self, operation: str, caller: str | None = None, **arguments: Any) -> Outcome:
        """A call whose answer is made wrong if it is of the operation."""
        outcome = super().call(operation, caller, **arguments)
        if operation == self.operation and outcome.status == 200 and outcome.body is not None:
            LIES[operation](outcome.body)
        return outcome


class Lied(ApiJourney):
    """A journey against a liar."""

    def targets(self) -> tuple[Target, ...]:
        """The liar alone."""
        return (Liar(Simulator(clock=START)),)


@pytest.fixture(scope="module")
def lied() -> type[ApiJourney]:
    """The journey of the seed data and the environment: the invariants read what is to be found out themselves."""
    return api_journey(Lied, frozenset(operation.name for operation in API))


@pytest.mark.parametrize("operation", LIES)
def test_what_the_documents_rule_out_is_found(operation: str, lied: type[ApiJourney], monkeypatch: Any) -> None:
    """A target that says it once is found out."""
    monkeypatch.setattr(Liar, "operation", operation, raising=False)
    once = settings(quick(5, stateful_step_count=30), report_multiple_bugs=False, phases=[Phase.generate])
    with pytest.raises(AssertionError):
        run_state_machine_as_test(lied, settings=once)


class Careless(ApiJourney):
    """A journey that forgets an answer of its second target."""

    def targets(self) -> tuple[Target, ...]:
        """Two targets that do not start equal."""
        return Core(Simulator(clock=START)), Core(Simulator(clock=START, seed=1))


def test_a_difference_is_found() -> None:
    """Targets that differ fail at once."""
    with pytest.raises(AssertionError, match=r"the worlds differ|core 200 .* core 200"):
        run_state_machine_as_test(
            api_journey(Careless), settings=settings(quick(5, stateful_step_count=30), report_multiple_bugs=False)
        )
