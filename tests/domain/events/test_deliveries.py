from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.events import EventKind
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.clients import clients
from confsim.domain.events import deliveries, endpoints
from confsim.domain.events.deliveries import DELIVERIES, DeliveryState
from confsim.domain.fault_points import FaultOutcome, InjectedFault
from confsim.kernel.due import fire_due_timers
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change, World
from kit import CUSTOMER, MINUTE, START_MS

SECOND, HOUR = 1000, 3_600_000


class Line:
    """A world whose deliveries nobody sends but the test."""

    def __init__(self, count=1, **profile):
        self.profile = {f"webhooks.{name}": value for name, value in profile.items()}
        self.now = START_MS
        self.world = Simulator(clock=START_MS).service.world
        with self as change:
            endpoints.MACHINE.to("enable")(change, clients.get(change, CUSTOMER))
            client = clients.get(change, CUSTOMER)
            urls = [f"http://{number}.example" for number in range(count)]
            self.endpoints = [endpoints.add(change, client, url, None).id for url in urls]

    def begin(self, world: World, at: int) -> Change:
        """Begin the change of a timer."""
        return world.change(at, ProfileContext(self.profile))

    def __enter__(self):
        self.open = self.world.change(self.now, ProfileContext(self.profile))
        return self.open

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.world = self.open.commit()

    def happen(self, *names):
        """Let media of these names be added."""
        for name in names:
            with self as change:
                deliveries.deliver(change, CUSTOMER, EventKind.MEDIA_ADDED, change.uuid(), {"name": name})

    def answer(self, status, problem=None):
        """Answer everything that is ready; return the names."""
        found = deliveries.ready(self.world)
        for each in found:
            with self as change:
                deliveries.answered(change, each.id, self.now, status, problem)
        return [each.payload["data"]["name"] for each in found]

    def advance(self, span):
        """Let time pass."""
        self.now += span
        self.world, _ = fire_due_timers(self.world, self.now, self.begin)

    def endpoint(self, active, place=0):
        """Activate or deactivate an endpoint."""
        with self as change:
            found = endpoints.get(change, clients.get(change, CUSTOMER), self.endpoints[place])
            endpoints.update(change, found, None, active)

    def switch(self, event):
        """Enable or disable the events of the client."""
        with self as change:
            endpoints.MACHINE.to(event)(change, clients.get(change, CUSTOMER))

    @property
    def all(self):
        """Every delivery, newest last."""
        return list(deliveries.list_deliveries(self.world.change(self.now)))

    @property
    def states(self):
        """The states of all deliveries."""
        return [each.state for each in self.all]

    @property
    def ready(self):
        """The names of what is to be sent now."""
        return [each.payload["data"]["name"] for each in deliveries.ready(self.world)]


@pytest.fixture
def line():
    """A world with one endpoint."""
    return Line()


# What is to be delivered


def test_each_endpoint_gets_one_delivery_of_an_event():
    """One delivery for each, in the order of the endpoints, with one message and one payload."""
    line = Line(count=3)
    line.happen("a")
    assert [each.endpoint for each in line.all] == line.endpoints
    assert len({each.id for each in line.all}) == 3
    assert len({each.message for each in line.all}) == 1
    assert line.states == [DeliveryState.READY] * 3


def test_an_inactive_endpoint_gets_no_delivery(line):
    """Nothing is made for it, not even for later."""
    line.endpoint(False)
    line.happen("a")
    assert line.all == []


def test_the_envelope_has_kind_instant_and_client(line):
    """An id, the kind, the instant, the client, the channel and the rest."""
    with line as change:
        deliveries.deliver(change, CUSTOMER, EventKind.SESSION_STARTED, "m", {"channel": "c", "session": "s"})
    assert line.all[0].payload == {
        "id": "m",
        "kind": "session.started",
        "time": START_MS,
        "clientId": CUSTOMER,
        "channel": "c",
        "data": {"channel": "c", "session": "s"},
    }


@pytest.mark.parametrize(
    ("envelope", "payload"),
    [
        ("data-alone", {"name": "a"}),
        (
            "standard-webhooks",
            {"type": "media.added", "timestamp": "2026-02-01T00:00:00.007Z", "data": {"name": "a"}},
        ),
    ],
)
def test_the_envelope_may_be_another(envelope, payload):
    """As Standard Webhooks proposes it, or none."""
    line = Line(envelope=envelope)
    line.advance(7)
    line.happen("a")
    assert line.all[0].payload == payload


def test_only_the_latest_are_stored():
    """The oldest goes, delivered or not, and those behind it go on."""
    line = Line(kept=2)
    line.happen("a", "b", "c")
    assert [(each.payload["data"]["name"], each.state) for each in line.all] == [
        ("b", DeliveryState.READY),
        ("c", DeliveryState.WAITING),
    ]


def test_a_discarded_delivery_has_no_timer():
    """Its retry falls with it."""
    line = Line(kept=1)
    line.happen("a")
    line.answer(500)
    line.happen("b")
    line.advance(HOUR)
    assert [each.state for each in line.all] == [DeliveryState.READY]
    assert list(line.world.timers) == []


def test_what_waits_while_events_are_off_goes_to_every_endpoint():
    """Once they are on again, and not to the first endpoint alone (G534)."""
    line = Line(count=3)
    line.happen("a")
    line.switch("disable")
    assert line.ready == []
    line.switch("enable")
    assert line.states == [DeliveryState.READY] * 3


# Order


def test_the_next_waits_for_the_one_before(line):
    """One at a time for each endpoint, in the order in which things happened."""
    line.happen("a", "b", "c")
    assert [line.answer(200), line.answer(200), line.answer(200), line.answer(200)] == [["a"], ["b"], ["c"], []]


def test_endpoints_do_not_wait_for_each_other():
    """What is stuck for one goes on for another."""
    line = Line(count=2)
    line.happen("a", "b")
    slow, _ = deliveries.ready(line.world)
    with line as change:
        deliveries.answered(change, slow.id, line.now, 500)
    assert line.answer(200) == ["a"]
    assert line.answer(200) == ["b"]
    assert [each.state for each in line.all if each.endpoint == slow.endpoint] == [
        DeliveryState.LATER,
        DeliveryState.WAITING,
    ]


def test_the_next_waits_for_every_retry(line):
    """And goes out once the one before is given up."""
    line.happen("a", "b")
    for span in (5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR):
        assert line.answer(500) == ["a"]
        line.advance(span - 1)
        assert line.ready == []
        line.advance(1)
    assert line.answer(500) == ["a"]
    assert line.states == [DeliveryState.FAILED, DeliveryState.READY]


def test_order_may_be_free():
    """Then everything goes out at once, whatever became of the ones before."""
    line = Line(order="free")
    line.happen("a", "b")
    assert line.ready == ["a", "b"]
    line.answer(500)
    line.happen("c")
    assert line.ready == ["c"]


# What an answer means


@pytest.mark.parametrize(
    ("taken", "good", "bad"),
    [
        ("2xx", [200, 202, 204, 299], [199, 301, 302, 400, 410, 500]),
        ("200", [200], [204]),
        ("any", [200, 404, 500], []),
    ],
)
def test_an_answer_is_taken_or_not(taken, good, bad):
    """By its status."""
    for status, state in [
        *((each, DeliveryState.DELIVERED) for each in good),
        *((each, DeliveryState.LATER) for each in bad),
    ]:
        line = Line(taken=taken)
        line.happen("a")
        line.answer(status)
        assert line.states == [state], status


def test_no_answer_is_a_failure_even_where_any_is_taken():
    """The attempt has the problem."""
    line = Line(taken="any")
    line.happen("a")
    line.answer(None, "refused")
    (attempt,) = line.all[0].attempts
    assert (attempt.at, attempt.status, attempt.problem) == (START_MS, None, "refused")
    assert line.states == [DeliveryState.LATER]


@pytest.mark.parametrize(("retries", "attempts"), [([], 1), ([0], 2), ([1, 2, 3], 4)])
def test_the_schedule_is_a_choice(retries, attempts):
    """As many retries as there are delays."""
    line = Line(retries=retries)
    line.happen("a")
    for _ in range(attempts):
        line.answer(500)
        line.advance(3)
    assert line.states == [DeliveryState.FAILED]
    assert len(line.all[0].attempts) == attempts


def test_a_retry_keeps_id_and_message(line):
    """Receivers recognise duplicates by it."""
    line.happen("a")
    before = line.all[0]
    line.answer(500)
    line.advance(5 * SECOND)
    after = deliveries.ready(line.world)[0]
    assert (after.id, after.message, after.payload) == (before.id, before.message, before.payload)


def test_an_answer_to_what_is_gone_changes_nothing(line):
    """The world is the same afterwards."""
    before = line.world
    with line as change:
        deliveries.answered(change, "gone", START_MS, 200)
    assert line.world is before


# Inactive endpoints


@pytest.mark.rule("R532")
@pytest.mark.parametrize("again", ["endpoint", "client"])
def test_waiting_deliveries_go_on_when_their_endpoint_is_active_again(line, again):
    """Nothing is sent meanwhile, not even a retry; then the oldest goes first, with all its retries."""
    line.happen("a", "b")
    line.answer(500)
    line.endpoint(False) if again == "endpoint" else line.switch("disable")
    line.advance(HOUR)
    assert line.states == [DeliveryState.WAITING, DeliveryState.WAITING]
    line.endpoint(True) if again == "endpoint" else line.switch("enable")
    assert line.ready == ["a"]
    assert line.all[0].tries == 0


@pytest.mark.parametrize("how", ["endpoint", "client"])
def test_what_waits_may_be_lost(how):
    """Then nothing of it is sent when the endpoint is active again."""
    line = Line(**{"while-inactive": "lost"})
    line.happen("a", "b")
    line.endpoint(False) if how == "endpoint" else line.switch("disable")
    assert line.states == [DeliveryState.LOST, DeliveryState.LOST]
    line.endpoint(True) if how == "endpoint" else line.switch("enable")
    assert line.ready == []


def test_what_was_under_way_meanwhile_counts(line):
    """An answer that comes after the endpoint was switched off still says that it has it, or has not."""
    line.happen("a", "b")
    (sent,) = deliveries.ready(line.world)
    line.endpoint(False)
    with line as change:
        deliveries.answered(change, sent.id, START_MS, 500)
    assert line.states == [DeliveryState.WAITING, DeliveryState.WAITING]
    with line as change:
        deliveries.answered(change, sent.id, START_MS, 200)
    assert line.states == [DeliveryState.DELIVERED, DeliveryState.WAITING]
    assert [each.status for each in line.all[0].attempts] == [500, 200]


def test_what_waits_for_a_removed_endpoint_is_lost():
    """Only that; what it got, it has got."""
    line = Line(count=2)
    line.happen("a", "b", "c")
    line.answer(200)
    line.answer(500)
    with line as change:
        endpoints.remove(change, endpoints.get(change, clients.get(change, CUSTOMER), line.endpoints[0]))
    of = {id: [each.state for each in line.all if each.endpoint == id] for id in line.endpoints}
    assert of[line.endpoints[0]] == [DeliveryState.DELIVERED, DeliveryState.LOST, DeliveryState.LOST]
    assert of[line.endpoints[1]] == [DeliveryState.DELIVERED, DeliveryState.LATER, DeliveryState.WAITING]
    line.advance(HOUR)
    assert line.ready == ["b"]


# Faults and refusals


def faulty(change, outcome, by=0):
    """Inject a fault into every webhook of a change."""
    change.faults = lambda thing, facts: InjectedFault(outcome, by) if thing == "webhook" and facts["id"] else None


def test_what_is_doubled_is_sent_twice_at_first(line):
    """A delivery is sent once without a fault, twice with this one, and once when it is tried again."""
    line.happen("a")
    id = line.all[0].id
    with line as change:
        assert deliveries.begin_attempt(change, id) == 1
        faulty(change, FaultOutcome.DOUBLED)
        assert deliveries.begin_attempt(change, id) == 2
        deliveries.answered(change, id, line.now, 500)
        assert deliveries.begin_attempt(change, id) == 1


def test_what_is_lost_lets_the_next_one_go(line):
    """It counts neither as delivered nor as tried."""
    line.happen("a", "b")
    with line as change:
        faulty(change, FaultOutcome.LOST)
        assert deliveries.begin_attempt(change, line.all[0].id) == 0
    assert (line.states, line.ready) == ([DeliveryState.LOST, DeliveryState.READY], ["b"])
    assert line.all[0].attempts == ()


def test_what_is_refused_is_not_tried_again(line):
    """It says why, and the next one goes on."""
    line.happen("a", "b")
    with line as change:
        deliveries.refuse(change, line.all[0].id, "not from here", "https://a.example/")
    assert line.states == [DeliveryState.REFUSED, DeliveryState.READY]
    assert [each.problem for each in line.all[0].attempts] == ["not from here"]
    assert list(line.world.timers) == []


@pytest.mark.parametrize(("bypasses", "order"), [(False, ["a", "b", "c"]), (True, ["b", "c", "a"])])
def test_what_is_late_holds_the_others_up_or_lets_them_pass(line, bypasses, order):
    """Late and in order, or out of order."""
    line.happen("a", "b", "c")
    with line as change:
        faulty(change, FaultOutcome.OUT_OF_ORDER if bypasses else FaultOutcome.LATE, MINUTE)
        assert deliveries.begin_attempt(change, line.all[0].id) == 0
    seen = line.answer(200) + line.answer(200)
    line.advance(MINUTE)
    assert seen + line.answer(200) + line.answer(200) + line.answer(200) == order


# Once more


@pytest.mark.parametrize("status", [200, 500])
def test_what_is_over_is_delivered_once_more(status):
    """With all its retries before it; the earlier attempts stay in its log."""
    line = Line(retries=[1])
    line.happen("a")
    line.answer(status)
    line.advance(1)
    line.answer(status)
    over = line.all[0]
    with line as change:
        again = deliveries.redeliver(change, over)
    assert (again.state, again.tries, again.attempts) == (DeliveryState.READY, 0, over.attempts)
    line.answer(500)
    assert line.states == [DeliveryState.LATER]


def test_what_waits_for_a_retry_goes_at_once(line):
    """And its timer is gone."""
    line.happen("a")
    line.answer(500)
    with line as change:
        deliveries.redeliver(change, line.all[0])
    assert line.ready == ["a"]
    assert list(line.world.timers) == []


def test_what_is_delivered_once_more_waits_for_its_turn(line):
    """It is before later ones in the queue, and behind the one under way."""
    line.happen("a")
    line.answer(200)
    line.happen("b", "c")
    with line as change:
        deliveries.redeliver(change, line.all[0])
    assert [line.answer(200), line.answer(200), line.answer(200)] == [["b"], ["a"], ["c"]]


@pytest.mark.parametrize("place", [0, 1])
def test_what_waits_to_be_sent_is_not_sent_twice(line, place):
    """Neither what is ready nor what waits behind it."""
    line.happen("a", "b")
    before = line.world
    with pytest.raises(Refusal) as refused, line as change:
        deliveries.redeliver(change, DELIVERIES.of(change)[line.all[place].id])
    assert refused.value.reason is Reason.DELIVERY_UNDER_WAY
    assert line.world is before


def test_a_world_with_deliveries_is_its_own_export(line):
    """Whatever states they are in."""
    sim = Simulator(clock=START_MS)
    line.happen("a", "b")
    line.answer(500)
    sim.service.live.replace(line.world)
    sim.state = sim.state
    assert sim.service.world.digest() == line.world.digest()
