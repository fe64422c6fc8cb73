"""The outbox of a world, over the control plane and at the Simulator."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest

from confsim import Simulator
from kit import OWNER, ROOM, START, USER
from kit.wire import web


def recorded(sim):
    """Record the demo room, until its owner has been mailed."""
    sim.presence.join(ROOM, USER)
    for operation in ("start_recording", "stop_recording"):
        assert sim.call(operation, OWNER, uuid=ROOM).ok
    sim.clock.advance("2s")


def is_video(link):
    """Whether the link leads to a video."""
    answer = web.get(link)
    return (answer.status_code, answer.headers["Content-Type"], answer.content[4:8]) == (200, "video/mp4", b"ftyp")


@pytest.mark.rule("R363")
def test_the_link_in_a_mail_leads_to_the_server_it_is_asked_from(sim):
    """By the name that the caller gives to the server, and in the process by its address; the text has it too."""
    recorded(sim)
    with sim.serve(names=["localhost"]) as server:
        for root in (server.root, server.root.replace("127.0.0.1", "localhost")):
            mail = web.get(f"{root}/_confsim/mail").json()[-1]
            assert mail["link"].startswith(f"{root}/files/recordings/")
            assert mail["text"].endswith(f" is ready: {mail['link']}")
            assert is_video(mail["link"])
        assert is_video(sim.mail[-1].link)
    assert sim.mail[-1].link.startswith("http://confsim.test/files/")


def test_the_link_in_a_mail_leads_to_its_world(sim):
    """To the mount of the world among the worlds of one server, whose token no other world knows."""
    other = sim.worlds.add("w1", "demo", seed=7)
    recorded(other)
    with sim.serve() as server:
        (mail,) = web.get(f"{server.root}/w/w1/_confsim/mail").json()
        assert mail["link"].startswith(f"{server.root}/w/w1/files/recordings/")
        assert mail["link"] == other.mail[0].link
        assert is_video(mail["link"])
        assert web.get(mail["link"].replace("/w/w1", "")).status_code == 403


def test_the_link_in_a_mail_is_fetched_in_process(sim):
    """By a transport for any host name."""
    recorded(sim)
    with httpx.Client(transport=sim.transport()) as client:
        assert client.get(sim.mail[-1].link).headers["Content-Type"] == "video/mp4"


def test_a_world_on_the_live_server_knows_its_address(sim):
    """Only while it is on it."""
    other = Simulator(clock=START)
    recorded(other)
    with sim.serve() as server:
        server.worlds.add("w2", other.service)
        assert is_video(other.mail[0].link)
        server.worlds.drop("w2")
        assert urlsplit(other.mail[0].link).netloc == "confsim.test"


def test_links_in_mails_are_as_those_in_answers():
    """A profile makes them https, or something else altogether; names of channels are no part of them."""
    sim = Simulator(clock=START, profile={"http.scheme": "https"})
    assert sim.call("rename_channel", OWNER, uuid=ROOM, name="{root} {token}").ok
    recorded(sim)
    assert sim.mail[0].link.startswith("https://confsim.test/files/")
    assert sim.mail[0].text == f"The recording of {{root}} {{token}} is ready: {sim.mail[0].link}"
    sim = Simulator(clock=START, profile={"recordings.mail-link": "https://a.example/{recording}"})
    recorded(sim)
    assert sim.mail[0].link.startswith("https://a.example/")


@pytest.mark.parametrize(
    ("profile", "life"), [({}, 7 * 86_400_000), ({"duration.recording-mail-link": 300_000}, 300_000)]
)
def test_the_link_in_a_mail_lives_for_its_time(profile, life):
    """A week, or what a profile says; it is dead at the very instant."""
    sim = Simulator(clock=START, profile=profile)
    recorded(sim)
    with httpx.Client(transport=sim.transport()) as client:
        found = []
        for ms in (life - 1, 1):
            sim.clock.advance(ms)
            found.append(client.get(sim.mail[0].link).status_code)
    assert found == [200, 403]


def test_mails_are_found_by_address_and_kind(sim, plane):
    """Newest last; those that match both when both are asked for."""
    recorded(sim)
    assert sim.call("set_user_email", USER, userId="me", body={"email": "uma@customer.example"}).ok
    kinds = [mail["kind"] for mail in plane("GET", "/mail")[1]]
    assert kinds == ["recording", "email-verification"]
    for query, to in [
        ("kind=recording", ["olaf@customer.example"]),
        ("to=uma@customer.example", ["uma@customer.example"]),
        ("kind=recording&to=uma@customer.example", []),
    ]:
        assert [mail["to"] for mail in plane("GET", f"/mail?{query}")[1]] == to


def test_the_newest_mails_and_deliveries_are_listed_in_parts(sim, plane):
    """So many, newest last, after the newest so many."""
    for number in range(5):
        sim.call("set_user_email", USER, userId="me", body={"email": f"uma{number}@customer.example"})
    whole = [each["id"] for each in plane("GET", "/mail")[1]]
    assert [each["id"] for each in plane("GET", "/mail?limit=2")[1]] == whole[-2:]
    assert [each["id"] for each in plane("GET", "/mail?limit=2&offset=2")[1]] == whole[-4:-2]
    assert [each["id"] for each in plane("GET", "/mail?offset=4")[1]] == whole[:1]
    assert plane("GET", "/mail?limit=0")[1] == []
    assert plane("GET", "/webhooks/deliveries?limit=1&offset=1")[1] == []


def mails(sim, **filters):
    """The mails with what became of them, newest last."""
    return sim.control("list_mail", limit=9, **filters)


def test_a_mail_says_what_caused_it_and_what_became_of_its_code():
    """Open, used by a call, void since another code replaced it; and which call uses it."""
    sim = Simulator(clock=START)
    for address in ("uma@a.example", "uma@b.example", "uma@b.example"):
        assert sim.call("set_user_email", USER, userId="me", body={"email": address}).ok
    assert [each.state for each in mails(sim)] == ["open", "void", "open"]
    newest = mails(sim)[-1]
    assert (newest.cause, newest.usedBy) == ("r3", None)
    assert newest.causeText == "Uma User calls set_user_email, uma@b.example (r3)"
    assert (newest.use.method, newest.use.path) == ("POST", f"/v1_0/users/1004/email/verify/{newest.code}")
    assert sim.call(newest.use.operation, USER, **newest.use.parameters).ok
    found = mails(sim)
    assert [(each.state, each.usedBy) for each in found] == [("void", None), ("void", None), ("used", "r4")]
    assert sim.control("get_mail", found[2].id) == found[2]


def test_mails_are_found_by_text_and_known_without_the_journal():
    """In any case; a mail that no entry of the journal caused still says what became of it."""
    sim = Simulator(clock=START)
    for address in ("uma@a.example", "uma@b.example"):
        assert sim.call("set_user_email", USER, userId="me", body={"email": address}).ok
    assert [each.to for each in mails(sim, text="A.EXAMPLE")] == ["uma@a.example"]
    assert mails(sim, text="no such text") == []
    sim.requests.clear()
    assert [(each.state, each.cause) for each in mails(sim)] == [("open", None), ("open", None)]


def test_a_mail_that_there_is_not_is_refused(plane):
    """By an id that nothing has, or that is no number."""
    assert [plane("GET", f"/mail/{id}")[0] for id in ("99", "x")] == [404, 404]
