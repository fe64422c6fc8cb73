"""Every machine, enumerated: total, unambiguous, every row reached, every missing row a refusal without a trace."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from msgspec.structs import replace

import confsim.api.catalogue  # noqa: F401 its modules declare machines, tables and entries
from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.tables.table import Table
from confsim.kernel.tables.writing import StaleRecord
from confsim.kernel.world import World
from kit.each import by_name, each
from kit.tables import NO_CHANGE, fire_untold

MACHINES = list(Machine.declared.values())
CASES = [
    (machine, state, trigger)
    for machine in MACHINES
    for state in machine.states
    for trigger in machine.triggers.values()
]


def by_place(case):
    """The name of a machine, a state of it and a trigger."""
    machine, state, trigger = case
    return f"{machine.name}, {state.value}, {trigger}"


#: Guards that read one thing which has more than two values, so that they never hold together.
EXCLUSIVE = (
    *combinations([f"the highest role of the user is {role}" for role in ("none", "operator", "owner")], 2),
    {"it does not outlive its users", "it waits for users to come back"},  # how long an empty session stays
    {"an address waits for the code, and the second wins", "an address waits for the code, and the first stays"},
    *combinations(
        (
            "the channel admits the callee, who is not in it yet",
            "the channel admits the callee, who is in it",
            "the channel does not admit the callee",
        ),
        2,
    ),
)
#: Guards that hold only where another one does.
IMPLIED = {"the door lets in, and there is room": "the door lets in"}
#: Whatever the documents let begin, change or end, by the names of the tables.
SUBJECTS = """
    terms document, terms acceptance, handle reservation, account, invitation, email, user token, API token,
    validator, client service, client hierarchy, client default speech2text, client default dial_in, client
    default dial_out, client default midi, handle uniqueness, friendly URLs of a client, friendly URL, access
    level customer-admin, access level partner-admin, channel, channel role, hosting, channel image, user image,
    property, guest access, lobby door, lobby auto-close, presence, presenter, audience, attendee lock, wall,
    presenters limit, speech2text, midi, dial in, dial out, event room, broadcast enabled, streaming placement,
    session, app session, breakout session, breakout room, breakout assignment, linked user, recording,
    recording asset, download URL, asset token, inbound number, default number, number assignment, dial-in PINs,
    call, broadcast, broadcast destination, settings template, template offer, template selection, configuration
    document, events interface, events endpoint, media asset, gateway endpoint
"""


def test_every_subject_of_the_documents_has_a_table():
    """None of them moves by code of its own beside the tables."""
    subjects = {" ".join(name.split()) for name in SUBJECTS.split(",")}
    assert subjects <= set(Machine.declared)


@each("name", ["breakout session", "breakout room", "session", "recording", "API token", "channel"])
def test_what_a_call_makes_is_made_by_a_row(name):
    """Its life begins where it is not there yet, and a row of the table leads out of that."""
    machine = Machine.declared[name]
    assert machine.initial.value == "absent"
    assert [row for row in machine.rows if machine.initial in row.on]


def rows_of(machine, state, trigger):
    """The rows that speak of the trigger in this state."""
    return [row for row in trigger.rows if state in row.on]


def truths(rows):
    """Every way in which the guards of the rows can hold or not, by their names."""
    names = sorted({row.only_if.name for row in rows if row.only_if is not None})
    truths = [dict(zip(names, values, strict=True)) for values in product([True, False], repeat=len(names))]
    truths = [truth for truth in truths if not any(all(truth.get(name) for name in each) for each in EXCLUSIVE)]
    return [truth for truth in truths if all(truth.get(of, True) for each, of in IMPLIED.items() if truth.get(each))]


def admits(row, truth):
    """Whether the row admits its trigger for these values of the guards."""
    return row.only_if is None or truth[row.only_if.name] is row.only_if.holds


@each("machine, state, trigger", CASES, ids=by_place)
def test_each_state_and_trigger_has_one_row_or_a_reason(machine, state, trigger):
    """However the guards hold, one row admits the trigger, or none does and the machine names the reason."""
    rows = rows_of(machine, state, trigger)
    for truth in truths(rows):
        admitting = [row for row in rows if admits(row, truth)]
        assert len(admitting) <= 1, [row.source for row in admitting]
        if not admitting:
            assert isinstance(trigger.reason(state), Reason)


@each("machine", MACHINES, ids=by_name)
def test_every_row_is_reached(machine):
    """Each row is the one that answers, in each of its states, for some way in which the guards hold."""
    for row in machine.rows:
        for state in row.on:
            rows = rows_of(machine, state, row.when)
            answering = [next((each for each in rows if admits(each, truth)), None) for truth in truths(rows)]
            assert row in answering, row.source


def test_the_interpreter_takes_the_row_that_admits(monkeypatch):
    """For every machine, state, trigger and way in which the guards hold, the row is the one of the table."""
    for machine, state, trigger in CASES:
        rows = rows_of(machine, state, trigger)
        for truth in truths(rows):
            guards_hold(monkeypatch, rows, truth)
            expected = next((row for row in rows if admits(row, truth)), None)
            assert trigger.row(state, NO_CHANGE, None, (), {}) is expected


def guards_hold(monkeypatch, rows, truth):
    """Give the guards of the rows these values, whatever the record."""
    for row in rows:
        if row.only_if is not None:
            monkeypatch.setattr(row.only_if, "test", lambda *_, holds=truth[row.only_if.name]: holds)


@each("machine, state, trigger", CASES, ids=by_place)
def test_a_missing_row_refuses_without_a_trace(machine, state, trigger):
    """Where no row admits the trigger, firing it raises the reason; the subject and the world stay as they were."""
    rows = rows_of(machine, state, trigger)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(machine, "read", lambda record: state)
        for truth in truths(rows):
            if any(admits(row, truth) for row in rows):
                continue
            guards_hold(monkeypatch, rows, truth)
            world, subject = World(seed=1), {"name": "subject"}
            change = world.change(0)
            with pytest.raises(Refusal) as refused:
                fire_untold(trigger, change, subject)
            assert refused.value.reason is trigger.reason(state)
            assert subject == {"name": "subject"}
            assert change.commit() is world


@each("table", list(Table.declared.values()), ids=lambda table: table.name.replace(" ", "-"))
def test_no_record_is_written_by_an_old_one(lived, table):
    """A record that is put instead of one that is not stored fails, and changes nothing."""
    world = lived.service.world
    for (client, name), _ in world.tables():
        if name == table.name:
            change = world.change(0)
            record = table.of(change, client).all[0]
            with pytest.raises(StaleRecord):
                table.of(change, client).update(replace(record))
            assert change.commit() is world


@each("machine", MACHINES, ids=by_name)
def test_every_row_says_where_it_is_from(machine):
    """Each row cites the documents, a rule or a gap; so does each coupling."""
    for row in machine.rows:
        assert row.source.strip()
        assert all(coupling.source.strip() for coupling in row.couplings if coupling.fires is not None)
