"""The tests of a project that uses confsim, every line of them typed: mypy --strict and pyright judge them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import requests

from confsim import (
    Answer,
    Clock,
    DeliveryInfo,
    DemoUser,
    IgnoredInputWarning,
    MadeUser,
    MailInfo,
    MakeConfsim,
    Message,
    Misuse,
    OperationName,
    RequestInfo,
    Server,
    Simulator,
    StatusError,
    demo,
)

from .rooms import Room, Rooms, TooBusy, names


@pytest.fixture
def http(confsim: Simulator) -> Iterator[httpx.Client]:
    """A client of httpx in process, signed in as the owner."""
    headers = {"Authorization": f"Bearer {demo.OWNER}"}
    with httpx.Client(transport=confsim.transport(), base_url=confsim.base_url, headers=headers) as client:
        yield client


@pytest.fixture
def rooms(http: httpx.Client) -> Rooms:
    """The client under test."""
    return Rooms(http)


def make(sim: Simulator, name: str) -> str:
    """The id of a new room."""
    body: dict[str, str] = sim.call("create_channel", demo.OWNER, body={"name": name}, expect=200).json()
    return body["channelUuid"]


def test_a_room_is_made(rooms: Rooms, confsim: Simulator) -> None:
    """By the client, seen by the simulator."""
    id = rooms.make("Planning")
    assert confsim.call("get_channel", demo.OWNER, uuid=id).body["name"] == "Planning"


def test_a_room_is_found(rooms: Rooms, confsim: Simulator) -> None:
    """Made by the simulator, seen by the client."""
    id = make(confsim, "Planning")
    assert rooms.get(id) == Room(id, "Planning", True)


def test_the_demo_room_is_there(rooms: Rooms) -> None:
    """By its name in confsim.demo."""
    assert rooms.get(demo.ROOM).name == "Demo Room"


def test_an_unknown_room(rooms: Rooms) -> None:
    """The client raises."""
    with pytest.raises(httpx.HTTPStatusError):
        rooms.get("nope")


def test_a_busy_service_is_asked_again(rooms: Rooms, confsim: Simulator) -> None:
    """Two failures are survived."""
    confsim.faults.add("create_channel", do={"status": 503}, times=2)
    rooms.make("Planning")
    calls: list[RequestInfo] = confsim.requests.assert_called("create_channel", times=3)
    assert [each.status for each in calls] == [503, 503, 200]


def test_a_service_that_stays_busy(rooms: Rooms, confsim: Simulator) -> None:
    """Three attempts are all."""
    confsim.faults.add("create_channel", do={"status": 503}, times="always")
    with pytest.raises(TooBusy):
        rooms.make("Planning")
    confsim.requests.assert_called("create_channel", status=503, times=3)


def test_names_are_asked_for_at_the_same_time(confsim: Simulator) -> None:
    """The same transport serves clients that are asynchronous."""
    ids = [make(confsim, name) for name in ("A", "B")]

    async def ask() -> list[str]:
        headers = {"Authorization": f"Bearer {demo.OWNER}"}
        async with httpx.AsyncClient(
            transport=confsim.transport(), base_url=confsim.base_url, headers=headers
        ) as client:
            return await names(client, ids)

    assert asyncio.run(ask()) == ["A", "B"]


def test_over_a_socket(confsim_server: Server) -> None:
    """As another process would."""
    answer = httpx.get(f"{confsim_server.base_url}/users/me", headers={"Authorization": f"Bearer {demo.USER}"})
    assert answer.json()["handle"] == "Uma User"
    confsim_server.simulator.requests.assert_called("get_me", times=1)


def test_with_requests(confsim: Simulator) -> None:
    """A session that is signed in."""
    session: requests.Session = confsim.session(demo.USER)
    assert session.get(f"{confsim.base_url}/users/me", timeout=30).json()["handle"] == "Uma User"


def test_with_the_test_client(confsim: Simulator) -> None:
    """Of Werkzeug."""
    assert confsim.client(demo.USER).get("/users/me").status_code == 200


def test_an_answer_has_the_names_of_http_clients(confsim: Simulator) -> None:
    """And those of confsim."""
    answer: Answer = confsim.call("get_me", demo.USER)
    assert (answer.status_code, answer.status, answer.ok) == (200, 200, True)
    assert answer.json() == answer.body
    assert answer.text.encode() == answer.content
    assert answer.headers["content-type"] == "application/json"


def test_an_answer_that_was_not_expected(confsim: Simulator) -> None:
    """The exception has the answer."""
    with pytest.raises(StatusError) as caught:
        confsim.call("get_channel", demo.OWNER, uuid="nope", expect=200)
    assert caught.value.answer.status == 404


def test_an_answer_that_is_no_success(confsim: Simulator) -> None:
    """As with other clients."""
    with pytest.raises(StatusError, match="get_me answered 401"):
        confsim.call("get_me").raise_for_status()


def test_names_of_operations_can_be_given_on(confsim: Simulator) -> None:
    """Their type knows them."""
    reads: list[OperationName] = ["get_me", "list_channels"]
    for name in reads:
        confsim.call(name, demo.OWNER, expect=200)


def test_a_name_that_is_misspelt(confsim: Simulator) -> None:
    """A type checker knows it, and so does confsim."""
    with pytest.raises(Misuse, match="did you mean 'get_me'"):
        confsim.call("get_mee", demo.OWNER)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_a_reservation_lasts_fifteen_minutes(confsim: Simulator) -> None:
    """By the clock of the world."""
    token = confsim.call("reserve_handle", demo.USER, body={"handle": "Neo"}, expect=200).body["reservationToken"]
    confsim.clock.advance("15m")
    confsim.call("change_handle_with_reservation", demo.USER, nonce=token, expect=404)


@pytest.mark.parametrize("duration", ["15m", "PT15M", timedelta(minutes=15), 900_000])
def test_durations(confsim: Simulator, duration: str | timedelta | int) -> None:
    """Texts, ISO 8601, timedeltas and milliseconds are the same."""
    before = confsim.clock.now
    confsim.clock.freeze()
    start = confsim.clock.now
    confsim.clock.advance(duration)
    assert confsim.clock.now - start == 900_000
    assert before <= start


@pytest.mark.confsim(clock="2026-02-01T00:00:00Z")
def test_a_clock_that_stands(confsim: Simulator) -> None:
    """At the instant of the marker."""
    assert confsim.clock.frozen
    assert confsim.clock.now == 1_769_904_000_000


def test_users_by_name(confsim: Simulator) -> None:
    """With the ids that they have in this world."""
    assert confsim.call("get_me", demo.OWNER).body["id"] == confsim.demo.owner.id


def test_users_stand_for_their_ids(confsim: Simulator) -> None:
    """And for their tokens, as callers."""
    owner: DemoUser = confsim.demo.owner
    assert confsim.presence.join(demo.ROOM, owner).state == "in"
    assert confsim.presence.leave(demo.ROOM, owner) == "away"
    assert confsim.call("get_me", owner).body["id"] == owner
    answer = confsim.call(
        "exchange_identity_token", clientId=owner.client, body={"idToken": confsim.identity_token(owner)}, expect=200
    )
    assert confsim.call("get_me", answer.body["token"], expect=200).body["id"] == owner.id


def test_a_field_that_is_misspelt(confsim: Simulator) -> None:
    """The API ignores it, which is warned of."""
    with pytest.warns(IgnoredInputWarning, match="body lable: no such field; did you mean 'label'?"):
        confsim.call("create_api_token", demo.CUSTOMER_ADMIN, body={"lable": "x"}, expect=200)


def test_a_user_of_my_own(confsim: Simulator) -> None:
    """Made outside the API."""
    user: MadeUser = confsim.make_user(demo.CLIENT, "Nina New", email="nina@x.example")
    assert confsim.call("get_me", user, expect=200).body["id"] == user.id
    assert confsim.presence.join(demo.ROOM, user).state == "in"


def test_a_token_of_my_own(confsim: Simulator) -> None:
    """For a while."""
    token = confsim.token(confsim.demo.user.id, timedelta(minutes=1))
    confsim.call("get_me", token, expect=200)
    confsim.clock.advance("1m")
    confsim.call("get_me", token, expect=401)


def test_single_sign_on(confsim: Simulator) -> None:
    """With a token of the customer's own provider."""
    token = confsim.identity_token("neo-1", name="Neo")
    answer = confsim.call("exchange_identity_token", clientId=demo.CLIENT, body={"idToken": token}, expect=200)
    refused = confsim.call("get_me", answer.body["token"], expect=401)
    assert refused.body["code"] == "terms_not_accepted"


def test_mail(confsim: Simulator) -> None:
    """As it was sent."""
    confsim.call("set_user_email", demo.USER, userId="me", body={"email": "u@x.example"}, expect=200)
    mails: list[MailInfo] = confsim.mail.assert_sent("u@*", times=1)
    code = mails[0].code or ""
    confsim.call("verify_user_email", demo.USER, userId="me", code=code, expect=200)


def listening(sim: Simulator) -> None:
    """Let events be delivered."""
    sim.call("add_events_endpoint", demo.CUSTOMER_ADMIN, body={"url": "https://hooks.example"}, expect=200)
    sim.call("set_events_state", demo.CUSTOMER_ADMIN, state="enable", expect=200)


def test_webhooks(confsim: Simulator) -> None:
    """Delivered to the list."""
    listening(confsim)
    confsim.call("upload_client_media", demo.CUSTOMER_ADMIN, name="one", body=b"x", expect=200)
    delivered: list[DeliveryInfo] = confsim.webhooks.assert_delivered(payload={"data": {"name": "one"}}, times=1)
    assert delivered[0].attempts[0].status == 200


def test_a_receiver_of_webhooks(confsim: Simulator) -> None:
    """Its signature can be verified."""
    listening(confsim)
    got: list[Message] = []
    confsim.webhooks.deliver_to(got)
    confsim.call("upload_client_media", demo.CUSTOMER_ADMIN, name="one", body=b"x", expect=200)
    secret = confsim.call("get_events_secret", demo.CUSTOMER_ADMIN).body["secret"]
    payload = confsim.webhooks.verify(got[0].body, got[0].headers, secret)
    assert payload["data"]["name"] == "one"


def test_people_in_a_room(confsim: Simulator) -> None:
    """Through the control plane."""
    joined = confsim.presence.join(demo.ROOM, confsim.demo.user.id)
    assert joined.state == "in"
    assert [each.userId for each in confsim.presence(demo.ROOM)] == [confsim.demo.user.id]


def test_a_phone(confsim: Simulator) -> None:
    """A number without a meeting is answered, and asks."""
    with pytest.raises(Misuse):
        confsim.calls.dial_in(demo.NUMBER, code="000")


def test_a_fork_is_another_world(confsim: Simulator) -> None:
    """Neither sees later changes of the other."""
    fork = confsim.fork()
    id = make(fork, "Planning")
    confsim.call("get_channel", demo.OWNER, uuid=id, expect=404)


def test_a_snapshot(confsim: Simulator) -> None:
    """Brings the world back."""
    confsim.snapshot("before")
    id = make(confsim, "Planning")
    confsim.restore("before")
    confsim.call("get_channel", demo.OWNER, uuid=id, expect=404)


def test_a_state_file(confsim: Simulator, tmp_path: Path) -> None:
    """Holds the world."""
    id = make(confsim, "Planning")
    file = tmp_path / "world.json"
    confsim.save(file)
    confsim.reset()
    confsim.load(file)
    confsim.call("get_channel", demo.OWNER, uuid=id, expect=200)


def test_another_reading_of_the_documents(make_confsim: MakeConfsim) -> None:
    """A profile chooses it."""
    sim = make_confsim(profile={"encode.empty": "204"})
    sim.call("update_terms_url", demo.API_TOKEN, body={"url": "https://terms.example"}, expect=204)


@pytest.mark.confsim(profile={"encode.empty": "204"}, seed=3)
def test_the_marker_takes_what_make_confsim_takes(confsim: Simulator) -> None:
    """World, scenario, seed, profile, clock, strict."""
    confsim.call("update_terms_url", demo.API_TOKEN, body={"url": "https://terms.example"}, expect=204)


def test_assumptions_are_reported(confsim: Simulator) -> None:
    """Those that the calls relied on."""
    confsim.call("get_me", expect=401)
    assert "auth.presentation" in confsim.assumptions_used


def test_a_shared_world(confsim_module: Simulator) -> None:
    """Of this module; a fork of it is the test's own."""
    make(confsim_module.fork(), "Planning")
    assert len(confsim_module.requests) == 0


def test_a_world_of_the_session(confsim_session: Simulator) -> None:
    """Of all tests."""
    assert confsim_session.call("get_me", demo.OWNER).ok


def test_two_worlds(make_confsim: MakeConfsim) -> None:
    """Of one seed are equal."""
    first, second = make_confsim(seed=7), make_confsim(seed=7)
    assert make(first, "A") == make(second, "A")


def test_a_simulator_without_pytest() -> None:
    """Is one line."""
    sim = Simulator(clock=Clock("2026-02-01T00:00:00Z"))
    assert sim.call("get_me", demo.OWNER).ok
    assert repr(sim) == "<Simulator of demo, 1 call, at 2026-02-01T00:00:00+00:00>"
