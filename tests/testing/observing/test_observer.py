"""Observe: what traffic shows is learned, nothing else; the proxy passes everything through as it is."""

from __future__ import annotations

import http.client
import json
import sys
from urllib.parse import urlsplit

import pytest

from confsim import Simulator, cli
from confsim.api.catalogue import API
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request, Response
from confsim.testing.learning.accounts import accounts_of
from confsim.testing.observing.observer import Observer
from confsim.testing.observing.proxy import Proxy
from confsim.testing.observing.session import observe
from confsim.transport.address import address
from confsim.transport.wsgi import WsgiTransport
from kit import CUSTOMER, EVENT_ROOM, OWNER, ROOM, choices
from kit.beside import Beside
from kit.documented import command

HIDDEN = choices(encode__empty="204", status__created=201, status__role_missing=401)
ACCOUNTS = accounts_of({"client": {"id": CUSTOMER}, "tokens": {"owner": OWNER}})


@pytest.fixture(scope="module")
def observed():
    """What an observer learned from the traffic of a service under three values of its own."""
    beside = Beside(HIDDEN)
    observer = Observer("http://confsim.test/v1_0", beside.accounts, clock=beside.clock)

    class Passing(WsgiTransport):
        def exchange(self, request: Request) -> Response:
            """Send a request, and have the observer see it."""
            response = super().exchange(request)
            observer.see(request, response)
            return response

    beside.verify(transport=Passing(beside.simulator.wsgi), profile=HIDDEN, examples=1, most=100)
    return observer.conclude()


def test_traffic_tells_what_a_service_follows(observed):
    """Three values, and nothing that the service does not follow."""
    assert observed.learned == {"encode.empty": "204", "status.created": 201, "status.role-missing": 401}
    assert not set(observed.confirmed) & HIDDEN.keys()
    assert len(observed.confirmed) > 30
    assert observed.contradicted == []


def test_evidence_is_counted(observed):
    """How many exchanges were followed, and for each assumption how many answers were as expected, and how many not."""
    assert observed.followed > 0.9 * observed.seen
    assert observed.seen == observed.followed + sum(observed.passed_over.values())
    created = observed.evidence["status.created"]
    assert (created.value, created.unexpected) == (201, 1)
    assert created.expected > 5


def test_what_was_not_seen_made_is_passed_over():
    """Calls of a channel of before, of an unknown token, of no operation: each with why; the others are followed."""
    simulator = Simulator()
    observer = Observer("http://confsim.test/v1_0", ACCOUNTS)
    transport = WsgiTransport(simulator.wsgi)
    for path, token in (
        (f"/channels/{ROOM}", OWNER),
        ("/users/me", "demo-user"),
        ("/nothing", OWNER),
        ("/users/me", OWNER),
    ):
        request = Request("GET", f"/v1_0{path}", "", {"authorization": f"Bearer {token}"})
        observer.see(request, transport.exchange(request))
    report = observer.conclude()
    assert (report.seen, report.followed) == (4, 1)
    assert report.passed_over == {
        "it names one of the channels that was not seen made": 1,
        "a token that the accounts do not know": 1,
        "a request of no operation": 1,
    }


def test_a_request_that_is_malformed_as_a_message_says_nothing_about_the_call():
    """Two lengths of one body may be refused, whatever the call is; with one the same refusal is a contradiction."""
    for lengths, followed in (({"transfer-encoding": "chunked"}, 0), ({}, 1)):
        observer = Observer("http://confsim.test/v1_0", ACCOUNTS)
        headers = {"authorization": f"Bearer {OWNER}", "content-type": "application/json", "content-length": "14"}
        request = Request("POST", "/v1_0/channels/create", "", headers | lengths, b'{"name":"One"}')
        observer.see(request, Response(400, [("Content-Type", "text/html")], b"<p>Bad request</p>"))
        report = observer.conclude()
        assert (report.followed, len(report.contradicted)) == (followed, followed)


class Traffic:
    """Calls of a service that has long been in use, which an observer sees pass."""

    def __init__(self, **profile):
        self.beside = Beside(choices(**profile))
        self.observer = Observer("http://confsim.test/v1_0", self.beside.accounts, clock=self.beside.clock)
        self._transport = WsgiTransport(self.beside.simulator.wsgi)

    def call(self, operation, role, body=None, **arguments):
        """Make a call as a role of the accounts; return what is answered."""
        texts = {name: str(value) for name, value in arguments.items()}
        kind = None if body is None else "application/json"
        token = self.beside.accounts.tokens[role]
        request = address(API[operation], texts, {}, body=body, content_type=kind, token=token).request
        self.beside.pass_time(50)
        response = self._transport.exchange(request)
        self.observer.see(request, response)
        return json.loads(response.body) if response.body else None

    @property
    def followed(self):
        """How many calls the model followed."""
        return self.observer.report.followed


def test_channels_of_before_are_known_once_they_are_described():
    """What it is, and who is what in it, is taken over; calls that depend on no more than that are followed."""
    traffic = Traffic(initial__guest_access=False)
    for role in ("owner", "operator", "user"):
        traffic.call("get_me", role)
    traffic.call("get_guest_access", "owner", uuid=ROOM)
    assert traffic.followed == 3
    traffic.call("get_channel", "owner", uuid=ROOM)
    assert traffic.followed == 3
    traffic.call("set_channel_description", "owner", {"description": "Again"}, uuid=ROOM)
    assert traffic.call("get_channel", "owner", uuid=ROOM)["description"] == "Again"
    traffic.call("get_guest_access", "api-token", uuid=ROOM)
    assert traffic.followed == 6
    traffic.call("rename_channel", "operator", {"name": "Not known whether that is allowed"}, uuid=ROOM)
    traffic.call("list_channel_media", "owner", uuid=ROOM)
    traffic.call("list_owners", "owner", uuid=EVENT_ROOM)
    report = traffic.observer.conclude()
    assert (report.followed, report.contradicted, report.learned) == (6, [], {})
    assert report.passed_over == {
        "it names one of the channels that was not seen made": 2,
        "it describes one of the channels of before, which is known from now on": 1,
        "it is made by somebody whose role in a channel of before is not known": 1,
        "it is about more of the channels of before than is known": 1,
    }


def test_the_hosts_of_a_channel_of_before_are_known_once_both_lists_are_seen():
    """Then who may do what is evidence, and appointments are followed."""
    traffic = Traffic(status__role_missing=401)
    for role in ("owner", "operator", "user"):
        traffic.call("get_me", role)
    traffic.call("get_channel", "api-token", uuid=ROOM)
    for operation in ("list_owners", "list_operators"):
        traffic.call(operation, "api-token", uuid=ROOM)
    assert traffic.followed == 3
    traffic.call("add_operator", "owner", uuid=ROOM, userId=1004)
    assert len(traffic.call("list_operators", "owner", uuid=ROOM)) == 3
    traffic.call("add_owner", "operator", uuid=ROOM, userId=1004)
    report = traffic.observer.conclude()
    assert report.followed == 6
    assert report.contradicted == []
    assert {**report.learned, **traffic.observer.learner.evidence.assumed()} == {"status.role-missing": 401}


def test_a_session_of_before_is_known_once_it_is_described():
    """One that has ended, of a channel that is known; its participants and recordings are not known."""
    traffic = Traffic()
    presence = traffic.beside.simulator.presence
    presence.join(ROOM, 1002)
    (running,) = traffic.beside.simulator.call("list_sessions", OWNER, channel=ROOM).body["results"]
    traffic.beside.pass_time(60_000)
    assert traffic.beside.simulator.call("end_active_session", OWNER, uuid=ROOM).ok
    traffic.call("get_me", "owner")
    traffic.call("get_session", "owner", sessionId=running["id"])
    traffic.call("get_channel", "owner", uuid=ROOM)
    assert traffic.followed == 1
    for _ in range(3):
        assert traffic.call("get_session", "owner", sessionId=running["id"])["ended"]
    traffic.call("list_session_participants", "owner", sessionId=running["id"])
    report = traffic.observer.conclude()
    assert (report.followed, report.contradicted, report.learned) == (3, [], {})
    assert report.passed_over == {
        "it names one of the sessions that was not seen made": 1,
        "it describes one of the channels of before, which is known from now on": 1,
        "it describes one of the sessions of before, which is known from now on": 1,
        "it is about more of the sessions of before than is known": 1,
    }


def test_a_session_of_before_in_another_unit_is_not_taken_over():
    """What is no instant of the past in the unit that is assumed would confirm itself."""
    traffic = Traffic(units__session="epoch-s")
    presence = traffic.beside.simulator.presence
    presence.join(ROOM, 1002)
    (running,) = traffic.beside.simulator.call("list_sessions", OWNER, channel=ROOM).body["results"]
    assert traffic.beside.simulator.call("end_active_session", OWNER, uuid=ROOM).ok
    traffic.call("get_me", "owner")
    traffic.call("get_channel", "owner", uuid=ROOM)
    for _ in range(3):
        traffic.call("get_session", "owner", sessionId=running["id"])
    report = traffic.observer.conclude()
    assert "it describes one of the sessions of before that the model cannot have" in report.passed_over
    assert "units.session" not in report.confirmed
    assert (report.followed, report.contradicted) == (1, [])


@pytest.mark.parametrize("hidden", [{}, choices(channels__list_is_owner="owners", presence__joining="proxyfor")])
def test_nothing_wrong_is_concluded_of_what_was_there_before(hidden):
    """Every call that names a channel alone, by everybody: it has people, a session and much else of before."""
    traffic = Traffic()
    traffic.beside = Beside(hidden)
    simulator = traffic.beside.simulator
    traffic._transport = WsgiTransport(simulator.wsgi)
    simulator.presence.join(ROOM, 1003)
    for operation, arguments in (
        ("set_channel_property", {"uuid": ROOM, "key": "k", "body": 1}),
        ("set_channel_friendly_url", {"uuid": ROOM, "body": {"url": "old-town"}}),
        ("add_dial_pin", {"uuid": ROOM, "body": {"pin": "12"}}),
        ("create_breakout_session", {"uuid": EVENT_ROOM, "body": {"name": "Old"}}),
        ("set_channel_config", {"uuid": ROOM, "body": {"a": 1}}),
        ("start_recording", {"uuid": ROOM}),
    ):
        assert simulator.call(operation, OWNER, **arguments).ok
    roles = ("owner", "api-token", "operator", "user")
    for role in roles:
        if role != "api-token":
            traffic.call("get_me", role)
    named = [each for each in API if each.placeholders == ("uuid",) and each.body is None and not each.removes]
    for calls in ([each for each in named if not each.changes], named):
        for room in (ROOM, EVENT_ROOM):
            for role in roles:
                traffic.call("get_channel", role, uuid=room)
                for each in calls:
                    traffic.call(each.name, role, uuid=room)
                for operation in ("list_channels", "list_sessions", "list_active_channels"):
                    traffic.call(operation, role)
    traffic.call("find_channel_by_friendly_url", "owner", clientId=CUSTOMER, url="old-town")
    traffic.call("check_friendly_url", "owner", clientId=CUSTOMER, url="old-town")
    traffic.call("create_channel", "owner", {"name": "Demo Room"})
    traffic.call("list_sessions", "owner", channel=ROOM)
    traffic.call("list_active_channels", "owner")
    report = traffic.observer.conclude()
    assert report.contradicted == []
    assert {**report.learned, **traffic.observer.learner.evidence.assumed()}.items() <= hidden.items()
    assert report.followed > 30


def test_who_comes_into_a_channel_is_no_evidence():
    """People join over a connection that is not seen: what they are said to be, and their session, is passed over."""
    traffic = Traffic()
    for role in ("owner", "user"):
        traffic.call("get_me", role)
    room = traffic.call("create_channel", "owner", {"name": "Crowded"})["channelUuid"]
    assert traffic.call("list_sessions", "owner", channel=room)["total"] == 0
    traffic.call("get_streaming_proxy", "owner", uuid=room)
    followed = traffic.followed
    traffic.beside.simulator.presence.join(room, 1002)
    (session,) = traffic.call("list_sessions", "owner", channel=room)["results"]
    traffic.call("get_session", "owner", sessionId=session["id"])
    assert traffic.call("get_populations", "owner", channelIds=room)
    traffic.call("list_active_channels", "owner")
    assert traffic.followed == followed
    traffic.call("get_channel", "owner", uuid=room)
    report = traffic.observer.conclude()
    assert (report.followed, report.contradicted, report.learned) == (followed + 1, [], {})
    assert "presence.joining" not in report.confirmed


def test_users_of_before_are_known_once_they_are_described():
    """The first description is taken over, the next ones are followed; what else is known of nobody is passed over."""
    traffic = Traffic(users__first_id=700)
    owner, operator = (traffic.call("get_me", role) for role in ("owner", "operator"))
    assert owner["id"] != 1002
    user = 1 + operator["id"]  # whose token is not used
    room = traffic.call("create_channel", "owner", {"name": "Later"})["channelUuid"]
    assert traffic.followed == 3
    traffic.call("get_user", "api-token", userId=user)
    assert traffic.followed == 3
    described = traffic.call("get_users", "owner", userIds=f"{user},{operator['id']}")
    assert [each["id"] for each in described] == [user, operator["id"]]
    traffic.call("add_operator", "owner", uuid=room, userId=user)
    assert user in [each["id"] for each in traffic.call("list_operators", "owner", uuid=room)]
    assert traffic.followed == 6
    traffic.call("list_user_properties", "api-token", userId=user)
    assert traffic.followed == 6
    report = traffic.observer.conclude()
    assert report.contradicted == []
    assert report.learned == {}
    assert report.passed_over == {
        "it describes users of before, who are known from now on": 1,
        "it is about a user of before, of whom only a description is known": 1,
    }


def test_a_user_of_whom_the_token_alone_is_known_is_no_evidence():
    """Who owns a channel is described, which is as the model has it once that user was seen."""
    simulator = Simulator()
    observer = Observer("http://confsim.test/v1_0", ACCOUNTS)
    transport = WsgiTransport(simulator.wsgi)

    def see(method, path, body=b""):
        headers = {"authorization": f"Bearer {OWNER}", "content-type": "application/json"}
        request = Request(method, f"/v1_0{path}", "", headers, body)
        response = transport.exchange(request)
        observer.see(request, response)
        return response

    uuid = json.loads(see("POST", "/channels/create", b'{"name": "New"}').body)["channelUuid"]
    see("GET", f"/channels/{uuid}/owners")
    see("GET", "/users/me")
    see("GET", f"/channels/{uuid}/owners")
    report = observer.conclude()
    assert report.contradicted == []
    assert report.passed_over == {"it describes a user of the accounts of whom nothing was seen before": 1}


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"id": 7, "handle": "Olaf"}'], ids=["nothing", "a list", "a part"])
def test_an_answer_of_which_no_model_can_be_made_is_passed_over(body):
    """The caller of a token without what describes a user: what follows is followed as if it had not been read."""
    simulator = Simulator()
    observer = Observer("http://confsim.test/v1_0", ACCOUNTS)
    headers = {"authorization": f"Bearer {OWNER}", "content-type": "application/json"}
    me = Request("GET", "/v1_0/users/me", "", headers)
    observer.see(me, Response(200, [("Content-Type", "application/json")], body))
    made = Request("POST", "/v1_0/channels/create", "", headers, b'{"name": "New"}')
    observer.see(made, WsgiTransport(simulator.wsgi).exchange(made))
    report = observer.conclude()
    assert (report.followed, report.contradicted) == (1, [])
    assert sum(report.passed_over.values()) == 1, report.passed_over


def test_a_token_that_expires_is_no_evidence():
    """What is refused since then is passed over; nothing is learned from it."""
    simulator = Simulator()
    observer = Observer("http://confsim.test/v1_0", ACCOUNTS)
    transport = WsgiTransport(simulator.wsgi)
    request = Request("GET", "/v1_0/users/me", "", {"authorization": f"Bearer {OWNER}"})
    observer.see(request, transport.exchange(request))
    body = b'{"status": 401, "code": "credential_expired", "message": "The token has expired.", "details": []}'
    observer.see(request, Response(401, [("Content-Type", "application/json")], body))
    report = observer.conclude()
    assert report.passed_over == {"the token of the owner is refused: it may have expired": 1}
    assert (report.learned, report.contradicted) == ({}, [])


def test_what_a_call_changed_that_could_not_be_followed_is_passed_over():
    """A user whom nobody described becomes an operator: who the operators are is not known from then on."""
    traffic = Traffic()
    traffic.call("get_me", "owner")
    room = traffic.call("create_channel", "owner", {"name": "Later"})["channelUuid"]
    traffic.call("add_operator", "owner", uuid=room, userId=1004)
    assert len(traffic.call("list_operators", "owner", uuid=room)) == 2
    report = traffic.observer.conclude()
    assert (report.followed, report.contradicted, report.learned) == (2, [], {})
    assert report.passed_over == {
        "it names one of the users that was not seen made": 1,
        "it names one of the channels that a call changed which could not be followed": 1,
    }


@pytest.mark.parametrize("reached", [True, False])
def test_what_an_unanswered_call_has_changed_is_not_known(reached):
    """The service renames a channel, and breaks its answer off; a call that did not reach it has changed nothing."""
    traffic = Traffic()
    traffic.call("get_me", "owner")
    room = traffic.call("create_channel", "owner", {"name": "Then"})["channelUuid"]
    request = Request("POST", f"/v1_0/channels/{room}/rename", "name=Now", {"authorization": f"Bearer {OWNER}"})
    if reached:
        assert traffic.beside.simulator.call("rename_channel", OWNER, uuid=room, name="Now").ok
    traffic.observer.miss("it broke off", request if reached else None)
    traffic.call("get_channel", "owner", uuid=room)
    report = traffic.observer.conclude()
    assert (report.followed, report.contradicted, report.learned) == (2 if reached else 3, [], {})
    assert report.unanswered == {"it broke off": 1}


def ask(url, method, path, body=None, headers=None):
    """One request over a connection of its own: status, headers, body."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    connection.request(method, parts.path + path, body, {"Authorization": f"Bearer {OWNER}", **(headers or {})})
    response = connection.getresponse()
    found = response.status, dict(response.getheaders()), response.read()
    connection.close()
    return found


def test_the_proxy_passes_everything_through():
    """The same status, body and headers as without it, bodies of any length, also in chunks; each call is made once."""
    with Simulator().serve() as server, observe(server.base_url, ACCOUNTS) as (proxy, observer):
        direct = ask(server.base_url, "GET", "/users/me")
        through = ask(proxy.base_url, "GET", "/users/me")
        assert (through[0], through[2]) == (direct[0], direct[2])
        assert through[1].keys() - {"Date"} >= {"Content-Type", "ETag"} & direct[1].keys()
        kind = {"Content-Type": "application/json"}
        status, _, made = ask(proxy.base_url, "POST", "/channels/create", json.dumps({"name": "Seen"}), kind)
        assert status == 200
        uuid = json.loads(made)["channelUuid"]
        pieces = iter([b"x" * 70_000, b"y" * 70_000])
        assert (
            ask(proxy.base_url, "POST", f"/channels/{uuid}/media?name=big", pieces, {"Content-Type": "text/plain"})[0]
            < 300
        )
        assert ask(proxy.base_url, "HEAD", f"/channels/{uuid}")[2] == b""
        assert ask(proxy.base_url, "GET", f"/channels/{uuid}")[0] == 200
        proxy.drain()
        assert observer.report.seen == 5
        assert observer.report.followed >= 4


def test_the_observer_holds_no_client_back():
    """Its thread gives way to those of clients much sooner than threads do else, while the proxy serves."""
    before = sys.getswitchinterval()
    with Simulator().serve() as server, observe(server.base_url, ACCOUNTS):
        assert sys.getswitchinterval() < before / 10
    assert sys.getswitchinterval() == before


def test_a_connection_is_used_again():
    """Requests one after the other over one connection, with answers of every kind, are all passed on."""
    with Simulator().serve() as server, observe(server.base_url, ACCOUNTS) as (proxy, observer):
        parts = urlsplit(proxy.base_url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        headers = {"Authorization": f"Bearer {OWNER}"}
        for method, path in (
            ("GET", "/users/me"),
            ("HEAD", "/users/me"),
            ("GET", "/nothing"),
            ("GET", "/users/me"),
        ) * 2:
            connection.request(method, parts.path + path, None, headers)
            response = connection.getresponse()
            response.read()
            assert response.status == (404 if path == "/nothing" else 200)
        connection.close()
        proxy.drain()
    assert observer.conclude().unanswered == {}
    assert observer.report.seen == 8


def test_a_service_that_is_gone_is_reported():
    """The client gets 502 and why; an address that is none is refused."""
    with Simulator().serve() as server:
        url = server.base_url
    with observe(url, ACCOUNTS) as (proxy, observer):
        status, _, body = ask(proxy.base_url, "GET", "/users/me")
    ((why, count),) = observer.conclude().unanswered.items()
    assert (why.partition(": ")[0], count) == (f"{url} cannot be reached", 1)
    assert status == 502
    assert b"cannot be reached" in body
    with pytest.raises(Misuse, match="is not a server URL"):
        Proxy("service.example", print)


def test_the_command_writes_what_was_learned(monkeypatch, tmp_path, capsys):
    """The line of the guide: the profile, and the report without tokens."""
    monkeypatch.chdir(tmp_path)
    accounts, output, report = tmp_path / "accounts.toml", tmp_path / "learned.toml", tmp_path / "report.json"
    accounts.write_text(f'[client]\nid = "{CUSTOMER}"\n[tokens]\nowner = "{OWNER}"\n')

    def traffic():
        base_url = capsys.readouterr().out.split()[-1]
        for name in ("One", "Two"):
            body = json.dumps({"name": name})
            assert ask(base_url, "POST", "/channels/create", body, {"Content-Type": "application/json"})[0] == 201

    monkeypatch.setattr("confsim.cli.learning._wait_for_end", traffic)
    with Simulator(profile=choices(status__created=201)).serve() as server:
        cli.main(command("observe", "confsim", upstream=server.base_url, p="0"))
    assert output.read_text() == "[status]\ncreated = 201\n"
    assert OWNER not in report.read_text()
    assert "1 learned" in capsys.readouterr().out


def test_a_body_that_is_nested_too_deeply_is_followed():
    """It is read as bytes: the model refuses it as the service does."""
    simulator = Simulator()
    observer = Observer("http://confsim.test/v1_0", ACCOUNTS)
    transport = WsgiTransport(simulator.wsgi)
    headers = {"authorization": f"Bearer {OWNER}", "content-type": "application/json"}
    request = Request("POST", "/v1_0/channels/create", "", headers, b"[" * 100_000)
    observer.see(request, transport.exchange(request))
    report = observer.conclude()
    assert (report.seen, report.followed, report.contradicted) == (1, 1, [])
