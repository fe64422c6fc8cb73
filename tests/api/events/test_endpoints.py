from __future__ import annotations

import pytest

from confsim import Simulator
from kit import ADMIN, API_TOKEN, CUSTOMER, NOTHING, START, START_MS, code

URL = "https://hooks.example/a"


def simulator(**profile):
    """The demo world under a profile, its customer's events on."""
    chosen = {f"events.{name}": value for name, value in profile.items()}
    return switched(Simulator(clock=START, profile=chosen))


def switched(sim, state="enable", caller=ADMIN):
    """The simulator with the events of the caller's client switched."""
    assert sim.call("set_events_state", caller, state=state).ok
    return sim


@pytest.fixture
def on(sim):
    """The demo world with the customer's events on."""
    return switched(sim)


def add(sim, url=URL, **more):
    """Add an endpoint and answer its id."""
    answer = sim.call("add_events_endpoint", ADMIN, body={"url": url, **more})
    assert (answer.status, list(answer.body)) == (200, ["id"])
    return answer.body["id"]


def listed(sim, caller=ADMIN):
    """The endpoints of the caller's client."""
    return sim.call("list_events_endpoints", caller).body


def update(sim, id, **body):
    """Update an endpoint."""
    return sim.call("update_events_endpoint", ADMIN, id=id, body=body)


# Endpoints


def test_an_endpoint_that_is_added_is_active(on):
    """It is listed with id, url and active, after those added before it."""
    first, second = add(on), add(on, "http://hooks.example/b", active=False)
    assert listed(on) == [
        {"id": first, "url": URL, "active": True},
        {"id": second, "url": "http://hooks.example/b", "active": False},
    ]


@pytest.mark.rule("R336", "R532", "R533", "R534")
@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ({"active": False}, {"active": False}),
        ({"active": True}, {}),
        ({"url": "http://other.example/"}, {"url": "http://other.example/"}),
        ({"url": "http://x.example/", "active": False}, {"url": "http://x.example/", "active": False}),
        ({"url": None, "active": False}, {"active": False}),
        ({}, {}),
        (None, {}),
    ],
)
def test_an_update_changes_what_is_given(on, body, changed):
    """What is not given stays, and every other endpoint stays as it is; the answer is empty."""
    id, other = add(on), add(on, "https://hooks.example/other")
    before = listed(on)
    answer = on.call("update_events_endpoint", ADMIN, id=id, body=body)
    assert (answer.status, answer.content) == (200, b"")
    assert listed(on) == [{**before[0], **changed}, before[1]]
    assert before[1]["id"] == other


@pytest.mark.rule("R532")
def test_an_endpoint_is_disabled_and_enabled_again(on):
    """Each as often as wanted."""
    id = add(on)
    for active in (False, False, True, True, False):
        assert update(on, id, active=active).ok
        assert listed(on)[0]["active"] is active


@pytest.mark.parametrize("body", [{"url": "ftp://x.example"}, {"url": "x"}, {"url": ""}, {"url": 1}, {"active": "yes"}])
def test_bad_updates_are_refused(on, body):
    """No http or https URL, no boolean: nothing changes."""
    id = add(on)
    before = listed(on)
    assert update(on, id, **body).status == 400
    assert listed(on) == before


@pytest.mark.parametrize("body", [None, {}, {"url": "hooks"}, {"url": "ftp://x.example"}, {"url": None}])
def test_bad_endpoints_are_not_added(on, body):
    """A URL is needed."""
    assert on.call("add_events_endpoint", ADMIN, body=body).status == 400
    assert listed(on) == []


def test_a_removed_endpoint_is_gone(on):
    """It is neither listed nor updated nor removed again."""
    id, other = add(on), add(on)
    assert on.call("remove_events_endpoint", ADMIN, id=id).status == 200
    assert [each["id"] for each in listed(on)] == [other]
    assert update(on, id, active=False).status == 404
    assert on.call("remove_events_endpoint", ADMIN, id=id).status == 404


@pytest.mark.rule("R534")
def test_endpoints_of_another_client_are_not_there(on):
    """They are neither seen nor touched."""
    switched(on, caller="demo-other-admin")
    id = add(on)
    assert listed(on, "demo-other-admin") == []
    for name, body in [("update_events_endpoint", {"active": False}), ("remove_events_endpoint", None)]:
        assert on.call(name, "demo-other-admin", id=id, body=body).status == 404
    assert listed(on)[0]["active"] is True


# State and secret


@pytest.mark.rule("R531")
def test_events_are_off_until_they_are_enabled(sim):
    """The status shows it; enabling what is enabled changes nothing."""
    reported = []
    for state in (None, "enable", "enable", "disable", "disable"):
        if state is not None:
            assert sim.call("set_events_state", ADMIN, state=state).status == 200
        reported.append(sim.call("get_events_status", ADMIN).body)
    assert reported == [{"enabled": flag} for flag in (False, True, True, False, False)]


@pytest.mark.rule("R531")
def test_the_client_flag_tells_of_events(sim):
    """A Partner Admin sees it in the list of clients."""
    switched(sim)
    found = sim.call("list_clients", "demo-partner-admin").body["results"]
    assert {each["id"]: each["events"] for each in found}[CUSTOMER] is True


@pytest.mark.parametrize("state", ["on", "ENABLE", "status"])
def test_other_states_are_refused(sim, state):
    """The words are enable and disable."""
    assert sim.call("set_events_state", ADMIN, state=state).status == 400


def test_endpoints_and_secret_outlive_the_switch(on):
    """Switched off and on again they are as before."""
    add(on)
    before = listed(on), on.call("get_events_secret", ADMIN).body
    switched(switched(on, "disable"))
    assert (listed(on), on.call("get_events_secret", ADMIN).body) == before


def test_the_secret_is_one_for_each_client_and_world(on):
    """It stays until it is made anew, and is another elsewhere."""
    switched(on, caller="demo-other-admin")
    secret = on.call("get_events_secret", ADMIN).body
    assert list(secret) == ["secret"]
    assert on.call("get_events_secret", API_TOKEN).body == secret
    assert on.call("get_events_secret", "demo-other-admin").body != secret
    elsewhere = switched(Simulator(seed=1, clock=START))
    assert elsewhere.call("get_events_secret", ADMIN).body != secret


def test_a_secret_made_anew_is_another_each_time(on):
    """The answer shows it, and from then on it is the secret."""
    seen = [on.call("get_events_secret", ADMIN).body["secret"]]
    for _ in range(3):
        fresh = on.call("regenerate_events_secret", ADMIN).body["secret"]
        assert on.call("get_events_secret", ADMIN).body == {"secret": fresh}
        seen.append(fresh)
    assert len(set(seen)) == 4


# Gates, and events that are off

CALLS = {
    "update_events_endpoint": {"id": NOTHING, "body": {}},
    "add_events_endpoint": {"body": {"url": URL}},
    "list_events_endpoints": {},
    "remove_events_endpoint": {"id": NOTHING},
    "get_events_status": {},
    "set_events_state": {"state": "enable"},
    "get_events_secret": {},
    "regenerate_events_secret": {},
}


def there(sim, name):
    """The arguments of a call, naming an endpoint that is there."""
    return {**CALLS[name], "id": add(sim)} if "id" in CALLS[name] else CALLS[name]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("caller", "status"), [(None, 401), ("demo-user", 403), ("demo-owner", 403), (ADMIN, 200), (API_TOKEN, 200)]
)
def test_administrators_manage_the_events_interface(on, name, caller, status):
    """Customer Admins and API tokens, nobody else."""
    assert on.call(name, caller, **there(on, name)).status == status


@pytest.mark.parametrize("name", CALLS)
def test_what_works_while_events_are_off(sim, name):
    """Status, switch and endpoints can be managed before events are on; the secret is refused as switched off."""
    answer = sim.call(name, ADMIN, **there(sim, name))
    if name in ("get_events_secret", "regenerate_events_secret"):
        assert code(answer) == (403, "events_off")
    else:
        assert answer.status == 200


@pytest.mark.parametrize("name", ["list_events_endpoints", "update_events_endpoint", "remove_events_endpoint"])
def test_managing_endpoints_may_need_events_to_be_on(name):
    """Under the choice of version 0.1 an endpoint can be added while events are off, but not listed or changed."""
    sim = switched(
        simulator(**{"open-while-off": ["get_events_status", "set_events_state", "add_events_endpoint"]}), "disable"
    )
    assert code(sim.call(name, ADMIN, **there(sim, name))) == (403, "events_off")


def test_an_endpoint_added_before_events_are_on_is_active(sim):
    """It listens as soon as they are."""
    id = add(sim)
    assert listed(switched(sim)) == [{"id": id, "url": URL, "active": True}]


# What may be otherwise


def test_everything_may_work_while_events_are_off():
    """Calls of endpoints are answered; only deliveries stop."""
    sim = switched(simulator(**{"open-while-off": list(CALLS)}), "disable")
    assert all(sim.call(name, ADMIN, **CALLS[name]).status in (200, 404) for name in CALLS)


def test_the_record_may_have_its_creation():
    """In epoch milliseconds."""
    sim = simulator(endpoint="with-created")
    add(sim)
    assert listed(sim)[0]["created"] == START_MS


def test_new_endpoints_may_be_inactive():
    """Unless they say otherwise."""
    sim = simulator(**{"new-endpoint-active": False})
    add(sim)
    add(sim, active=True)
    assert [each["active"] for each in listed(sim)] == [False, True]


def test_updates_of_unknown_endpoints_may_be_ignored():
    """Nothing happens."""
    assert update(simulator(**{"unknown-endpoint": "ignore"}), NOTHING, active=False).status == 200


def test_empty_updates_may_be_refused():
    """Neither url nor active: invalid."""
    sim = simulator(**{"empty-update": "refuse"})
    assert update(sim, add(sim)).status == 400


def test_urls_may_have_to_be_https():
    """Of new endpoints and of updates."""
    sim = simulator(schemes="https")
    id = add(sim)
    assert sim.call("add_events_endpoint", ADMIN, body={"url": "http://x.example"}).status == 400
    assert update(sim, id, url="http://x.example").status == 400


def test_a_repeated_state_may_be_refused():
    """As for every switch."""
    sim = Simulator(profile={"states.repeated": "refuse"})
    assert sim.call("set_events_state", ADMIN, state="disable").status == 409
