from __future__ import annotations

from enum import Enum
from itertools import product

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol import conventions
from confsim.assumptions.register import ProfileContext
from confsim.assumptions.users import handles as assumed
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.conventions import turn
from confsim.domain.users import handles, users
from confsim.domain.users.handles import RESERVATION, RESERVED, UNIQUENESS, Reservation, Uniqueness
from confsim.domain.users.users import Account, User, folded
from confsim.kernel.due import fire_due_timers
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change, World
from kit import MINUTE
from kit.budgets import quick
from kit.each import each
from kit.tables import fire


def take(change, client, token, *, by, user=None):
    """Use up the reservation of this token."""
    return handles.use_reservation(change, client, handles.get_reservation(change, client, token, by=by), user=user)


def _require(change: Change, client: Client, required: bool) -> Client:
    return turn(change, UNIQUENESS.to("enable" if required else "disable"), client)


class Tenant:
    """One client in a world of its own, under a profile, with a clock."""

    def __init__(self, *, unique: bool = True, **profile: object) -> None:
        self.profile = profile
        self.now = 0
        change = World().change(0)
        self.client = clients.create(change, "C", None)
        self.client = _require(change, self.client, unique)
        self.world = change.commit()

    def begin(self, world: World, at: int) -> Change:
        """Begin the change of a timer."""
        return world.change(at, ProfileContext(self.profile))

    def do(self, what, *args, **named):
        """Call a function of the domain with the client, and keep the world when it is not refused."""
        change = self.change()
        result = what(change, self.client, *args, **named)
        self.world = change.commit()
        return result

    def change(self) -> Change:
        """A change at the instant of the clock, after what fell due."""
        self.world, _ = fire_due_timers(self.world, self.now, self.begin)
        return self.world.change(self.now, ProfileContext(self.profile))

    def user(self, handle: str, account: Account = Account.REGISTERED, **fields) -> User:
        """A new user."""
        return self.do(lambda change, client: users.create(change, client.id, handle, account, **fields))

    def token(self, handle: str, by: str, user: User | None = None) -> str:
        """Reserve a handle and answer the token."""
        return self.do(handles.reserve, handle, by=by, user=user).token


@each("state, trigger", sorted(product(RESERVED.states, RESERVED.triggers), key=str))
def test_the_reservation_moves_as_stated_and_in_no_other_way(state: Enum, trigger: str):
    """A reservation is made where there is none, and used, replaced or expired where there is one."""
    tenant = Tenant()
    change, client = tenant.change(), tenant.client
    rows = handles.RESERVATIONS.of(change, client.id)
    draft = Reservation("t", client.id, "ann", "Ann", "1", 5)
    own = None if state is ABSENT else rows.put(draft)
    if (state is ABSENT) is (trigger == "reserve"):
        fire(RESERVED, trigger, change, own, draft=draft)
        assert len(rows) == (trigger == "reserve")
    else:
        with pytest.raises(Refusal):
            fire(RESERVED, trigger, change, own, draft=draft)


@pytest.mark.parametrize(("before", "required"), list(product([True, False], [True, False])))
def test_uniqueness_is_switched_from_anywhere(before: bool, required: bool):
    """Requiring what is required already is no error."""
    client = Tenant(unique=before).do(_require, required)
    assert UNIQUENESS.state(client) is (Uniqueness.REQUIRED if required else Uniqueness.OFF)


@pytest.mark.rule("R095", "R541")
@pytest.mark.parametrize(("later", "free"), [(RESERVATION - 1, False), (RESERVATION, True)])
def test_a_reservation_lasts_fifteen_minutes(later: int, free: bool):
    """The handle is held up to the last millisecond, and free from then on."""
    tenant = Tenant()
    tenant.token("Ann", "1")
    tenant.now = later
    assert tenant.do(handles.is_free, "ann") is free
    assert later // MINUTE == (15 if free else 14)


@pytest.mark.rule("R097", "R099")
@each("why", ["unknown", "used", "expired", "foreign", "renewed"])
def test_a_dead_token_gives_no_handle(why: str):
    """Unknown, used, expired, foreign and renewed tokens are all alike."""
    tenant = Tenant()
    token = tenant.token("Ann", "1")
    if why == "unknown":
        token = "no-such-token"
    elif why == "used":
        tenant.do(take, token, by="1")
    elif why == "expired":
        tenant.now = RESERVATION
    elif why == "foreign":
        tenant.client = tenant.do(lambda change, client: clients.create(change, "Other", None))
    else:
        tenant.token("ANN", "1")
    with pytest.raises(Refusal, match="reservation_not_found"):
        tenant.do(take, token, by="1")


@pytest.mark.rule("R174")
def test_a_held_handle_is_refused_to_others_alone():
    """While uniqueness is required, only the maker may reserve a held handle again; the old token is dead."""
    tenant = Tenant()
    old = tenant.token("Ann", "1")
    with pytest.raises(Refusal, match="handle_taken"):
        tenant.token("aNN", "2")
    new = tenant.token("ANN", "1")
    assert old != new
    assert tenant.do(take, new, by="2") == "ANN"


def test_a_registered_handle_is_refused_to_all_but_its_bearer():
    """Anyone who has a handle may reserve it, and nobody else."""
    tenant = Tenant()
    ann = tenant.user("Ann")
    with pytest.raises(Refusal, match="handle_taken"):
        tenant.token("ann", "2")
    assert tenant.do(take, tenant.token("ann", str(ann.id), ann), by=str(ann.id), user=ann) == "ann"


def test_without_uniqueness_every_reservation_succeeds_and_none_dies():
    """With uniqueness off, callers hold the same handle side by side, each with a token that works."""
    tenant = Tenant(unique=False)
    tenant.user("Ann")
    tokens = [tenant.token("Ann", by) for by in ("1", "2", "3")]
    assert [tenant.do(take, token, by="9") for token in tokens] == ["Ann", "Ann", "Ann"]


def test_a_token_does_not_give_a_handle_that_somebody_came_to_meanwhile():
    """Uniqueness holds even when a user came to the handle past the reservation."""
    tenant = Tenant()
    token = tenant.token("Ann", "1")
    tenant.user("Ann")
    with pytest.raises(Refusal, match="handle_taken"):
        tenant.do(take, token, by="1")


@pytest.mark.parametrize("account", [each for each in users.CREATED_BY if each is not Account.REGISTERED])
def test_only_registered_users_take_their_handles(account: Account):
    """The handle of anybody else is free, unless a profile says that everybody's is taken."""
    for choice, free in (("registered", True), ("everybody", False)):
        tenant = Tenant(**{assumed.HANDLE_OCCUPIERS.id: choice})
        tenant.user("Ann", account)
        assert tenant.do(handles.is_free, "ANN") is free


def test_handles_may_be_compared_exactly():
    """Where a profile says so, case makes another handle, for users and reservations alike."""
    tenant = Tenant(**{assumed.HANDLE_EQUALITY.id: "exact"})
    tenant.user("Neo")
    tenant.token("NEO", "1")
    assert [tenant.do(handles.is_free, handle) for handle in ("Neo", "NEO", "neo")] == [False, False, True]


@pytest.mark.parametrize(
    ("choice", "seen"), [("nobody", (False, False)), ("maker", (True, False)), ("everybody", (True, True))]
)
def test_who_is_told_that_a_reserved_handle_is_free(choice: str, seen: tuple[bool, bool]):
    """A reserved handle is free to nobody, to its maker, or to everybody."""
    tenant = Tenant(**{assumed.HANDLE_CHECK_RESERVED.id: choice})
    tenant.token("Ann", "1")
    assert (tenant.do(handles.is_free, "Ann", by="1"), tenant.do(handles.is_free, "Ann", by="2")) == seen


def test_a_profile_refuses_to_renew():
    """Where a profile says so, the maker cannot reserve the handle again either."""
    tenant = Tenant(**{assumed.RESERVATION_REPEATED.id: "refused"})
    token = tenant.token("Ann", "1")
    with pytest.raises(Refusal, match="handle_taken"):
        tenant.token("Ann", "1")
    assert tenant.do(take, token, by="1") == "Ann"


def test_a_profile_lets_a_caller_hold_one_handle():
    """Where a profile says so, a new reservation releases the former of the same caller alone."""
    tenant = Tenant(**{assumed.RESERVATIONS_HELD.id: "one"})
    for handle, by in (("Ann", "1"), ("Bob", "2"), ("Cid", "1")):
        tenant.token(handle, by)
    assert [tenant.do(handles.is_free, handle) for handle in ("Ann", "Bob", "Cid")] == [True, False, False]


def test_a_caller_holds_any_number_of_handles():
    """Nothing limits how many handles a caller holds."""
    tenant = Tenant()
    tokens = [tenant.token(f"Ann {place}", "1") for place in range(30)]
    assert [tenant.do(take, token, by="1") for token in tokens] == [f"Ann {place}" for place in range(30)]


def test_a_profile_binds_a_token_to_its_maker():
    """Where a profile says so, a token is nothing to anybody else."""
    tenant = Tenant(**{assumed.RESERVATION_BEARER.id: "maker"})
    token = tenant.token("Ann", "1")
    with pytest.raises(Refusal, match="reservation_not_found"):
        tenant.do(take, token, by="2")
    assert tenant.do(take, token, by="1") == "Ann"


def test_a_profile_checks_reservations_without_uniqueness_too():
    """Where a profile says so, a taken handle is refused although uniqueness is off."""
    tenant = Tenant(unique=False, **{assumed.RESERVATION_CHECKED.id: "always"})
    tenant.token("Ann", "1")
    with pytest.raises(Refusal, match="handle_taken"):
        tenant.token("Ann", "2")


@pytest.mark.rule("R160", "R161", "R162", "R163")
@each("account, unique", list(product(users.CREATED_BY, [True, False])))
def test_who_may_set_a_handle(account: Account, unique: bool):
    """Unregistered users always, everybody where uniqueness is off; else the handle stays and the other is free."""
    tenant = Tenant(unique=unique)
    user = tenant.do(handles.rename, tenant.user("Ann", account), "Bob")
    renamed = not unique or account in users.UNREGISTERED
    assert user.handle == ("Bob" if renamed else "Ann")
    assert tenant.do(handles.is_free, "Bob") is not (renamed and account is Account.REGISTERED)


def test_a_profile_never_lets_registered_users_set_their_handle():
    """Where a profile says so, uniqueness makes no difference to registered users."""
    tenant = Tenant(unique=False, **{assumed.REGISTERED_RENAME.id: "never"})
    assert tenant.do(handles.rename, tenant.user("Ann"), "Bob").handle == "Ann"


@pytest.mark.parametrize(
    ("choice", "unique", "refused"), [("free", True, 0), ("unique", True, 1), ("unique", False, 0)]
)
def test_whether_a_guest_may_have_a_registered_handle(choice: str, unique: bool, refused: int):
    """Guests choose freely unless a profile holds them to uniqueness; their own handle they may always keep."""
    tenant = Tenant(unique=unique, **{assumed.UNREGISTERED_HANDLES.id: choice})
    tenant.user("Ann")
    guest = tenant.user("Bob", Account.GUEST)
    guest = tenant.do(handles.rename, guest, "BOB")
    assert guest.handle == "BOB"
    if refused:
        with pytest.raises(Refusal, match="handle_taken"):
            tenant.do(handles.rename, guest, "ann")
    else:
        assert tenant.do(handles.rename, guest, "ann").handle == "ann"


def test_the_former_handle_is_free_at_once():
    """Nothing holds a handle that its owner left."""
    tenant = Tenant(unique=False)
    ann = tenant.user("Ann")
    tenant.do(handles.rename, ann, "Bob")
    assert (tenant.do(handles.is_free, "Ann"), tenant.do(handles.is_free, "Bob")) == (True, False)


def test_a_profile_refuses_to_switch_to_what_holds():
    """Where a profile says so, uniqueness that is required already cannot be required."""
    tenant = Tenant(**{conventions.REPEATED_STATE.id: "refuse"})
    with pytest.raises(Refusal, match="state_holds"):
        tenant.do(_require, True)
    assert not tenant.do(_require, False).unique_handles


class Oracle:
    """What plain dictionaries know of a client that requires unique handles: who has, who holds what until when."""

    def __init__(self) -> None:
        self.handles: dict[str, str] = {}
        self.holds: dict[str, tuple[str, str, int]] = {}

    def pass_time(self, now: int) -> None:
        """Forget what is no longer held."""
        self.holds = {token: held for token, held in self.holds.items() if held[2] > now}

    def free(self, key: str) -> bool:
        """Whether nobody has or holds the handle."""
        return key not in self.handles.values() and all(held[0] != key for held in self.holds.values())

    def may_reserve(self, key: str, by: str) -> bool:
        """Whether nobody but the caller has or holds the handle."""
        borne = {owner for owner, handle in self.handles.items() if handle == key}
        return borne <= {by} and {held[1] for held in self.holds.values() if held[0] == key} <= {by}

    def reserve(self, token: str, key: str, by: str, until: int) -> None:
        """The caller holds the handle by this token alone."""
        self.holds = {old: held for old, held in self.holds.items() if held[0] != key}
        self.holds[token] = (key, by, until)


HANDLES = st.sampled_from(["Ann", "ANN", "Bob", "bob", "Straße", "STRASSE", "é", "é"])
CALLERS = st.integers(0, 2)
STEPS = st.one_of(
    st.tuples(st.just("reserve"), CALLERS, HANDLES),
    st.tuples(st.just("take"), CALLERS, st.integers(0, 30)),
    st.tuples(st.just("wait"), st.integers(0, 16), st.just(0)),
)


@pytest.mark.rule("R094", "R098", "R170", "R546")
@quick(50)
@given(st.lists(STEPS, max_size=30))
def test_handles_agree_with_plain_dictionaries(steps: list[tuple[str, int, object]]):
    """Whatever callers reserve and use, a handle has one owner or holder, as in a model of plain dictionaries."""
    tenant, oracle, tokens = Tenant(), Oracle(), ["none"]
    people = [tenant.user(f"Nobody {place}") for place in range(3)]
    for kind, who, what in steps:
        by = str(people[who].id) if kind != "wait" else ""
        if kind == "wait":
            tenant.now += who * MINUTE
            oracle.pass_time(tenant.now)
        elif kind == "reserve":
            key = folded(what)
            try:
                token = tenant.token(what, by, people[who])
            except Refusal:
                assert not oracle.may_reserve(key, by)
            else:
                assert oracle.may_reserve(key, by)
                oracle.reserve(token, key, by, tenant.now + RESERVATION)
                tokens.append(token)
        else:
            token = tokens[what % len(tokens)]
            owner = people[who]
            held = oracle.holds.get(token)
            others = {each for each, handle in oracle.handles.items() if held and handle == held[0] and each != by}
            try:
                handle = tenant.do(take, token, by=by, user=owner)
            except Refusal:
                assert held is None or others
            else:
                assert folded(handle) == oracle.holds.pop(token)[0]
                people[who] = tenant.do(lambda change, client: users.update(change, owner, handle=handle))  # noqa: B023
                oracle.handles[by] = folded(handle)
        for handle in ("ann", "bob", "strasse", "É"):
            assert tenant.do(handles.is_free, handle) is oracle.free(folded(handle))
    borne = [folded(user.handle) for user in people]
    assert len(set(borne)) == len(borne)


def test_a_client_is_its_own_realm_of_handles():
    """A handle that one client's user has is free in every other client."""
    tenant = Tenant()
    tenant.user("Ann")
    other: Client = tenant.do(lambda change, client: clients.create(change, "Other", None))
    change = tenant.change()
    assert handles.is_free(change, other, "Ann")
    assert not handles.is_free(change, tenant.client, "Ann")


@pytest.mark.parametrize(
    ("choice", "taken"),
    [
        ("free", set()),
        ("unique", {"registered"}),
        ("unique-in-channel", {"here"}),
    ],
)
def test_which_handles_an_unregistered_user_may_have(choice: str, taken: set[str]):
    """Any, none of a registered user, or none of another user made for the same channel; the own one always (G232)."""
    change = World(seed=1).change(0, ProfileContext({assumed.UNREGISTERED_HANDLES.id: choice}))
    client = clients.create(change, "C", None)
    users.create(change, client.id, "registered", Account.REGISTERED)
    mine = users.create(change, client.id, "mine", Account.GUEST, channel="one")
    users.create(change, client.id, "here", Account.GUEST, channel="one")
    users.create(change, client.id, "elsewhere", Account.GUEST, channel="two")

    def may(handle: str, user: User | None, channel: str | None = None) -> bool:
        try:
            handles.require_usable(change, client, handle, user, channel=channel)
        except Refusal as refusal:
            assert refusal.facts == {"handle": handle}  # noqa: PT017
            return False
        return True

    for handle in ("registered", "here", "elsewhere", "new"):
        assert may(handle, mine) is (handle not in taken)
        assert may(handle, None, "one") is (handle not in taken)
        assert may(handle, None) is (handle not in taken - {"here"})
    assert may("mine", mine)
    assert may("mine", None, "one") is (choice != "unique-in-channel")
    assert may("registered", mine) or choice == "unique"
    loose = clients.update(change, client, unique_handles=False)
    handles.require_usable(change, loose, "here", None, channel="one")
    handles.require_usable(change, loose, "registered", mine)


@pytest.mark.rule("R194", "R196")
@pytest.mark.parametrize("choice", ["of-the-channel", "any"])
def test_whom_a_host_renames_in_a_channel(choice: str):
    """Unregistered users made for it, or any of the client (G266); registered ones are refused (G267)."""
    tenant = Tenant(**{assumed.CHANNEL_RENAME.id: choice})
    guest = tenant.user("Gus", Account.GUEST, channel="here")
    guest = tenant.do(handles.rename_in_channel, guest, ("here",), "Gil")
    assert guest.handle == "Gil"
    assert tenant.do(handles.rename_in_channel, guest, ("room", "here"), "Gyl").handle == "Gyl"
    stranger = tenant.user("Sam", Account.GUEST, channel="there")
    if choice == "any":
        assert tenant.do(handles.rename_in_channel, stranger, ("here",), "Sim").handle == "Sim"
    else:
        with pytest.raises(Refusal, match="not_found"):
            tenant.do(handles.rename_in_channel, stranger, ("here",), "Sim")
    with pytest.raises(Refusal, match="not_unregistered"):
        tenant.do(handles.rename_in_channel, tenant.user("Ann"), ("here",), "Bob")
