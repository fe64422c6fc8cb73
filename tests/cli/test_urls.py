"""URLs and hosts given to confsim itself: any script is understood, and what cannot be used is refused at once."""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from confsim import Misuse, Simulator, cli
from confsim.cli import learning
from confsim.http.live.server import LiveServer
from confsim.service.messages import Request
from confsim.testing.learning.accounts import accounts_of
from confsim.testing.observing.session import observe
from confsim.transport.remote import RemoteTransport
from kit import CUSTOMER, OWNER, ROOM, START, ok

#: By option, what it takes, and the arguments of a command; the value comes last, or where VALUE stands.
OPTIONS = {
    "serve --name": ("host", "serve -p 0 --name"),
    "serve --allow-webhooks": ("host", "serve -p 0 --allow-webhooks"),
    "serve --public-url": ("url", "serve -p 0 --public-url"),
    "serve --allow-origin": ("origin", "serve -p 0 --allow-origin"),
    "exec --allow-origin": ("origin", "exec --allow-origin VALUE true"),
    "exec --name": ("host", "exec --name VALUE true"),
    "exec --allow-webhooks": ("host", "exec --allow-webhooks VALUE true"),
    "exec --public-url": ("url", "exec --public-url VALUE true"),
    **{
        f"{command.split()[0]} --base-url": ("url", f"{command} --base-url")
        for command in ("call get_me", "tail", "clock", "fault", "join a --as user", "reset", "listen --forward-to :1")
    },
    "run --base-url": ("url", "run lobby --base-url"),
    "bundle --base-url": ("url", "bundle --base-url"),
    "mcp --base-url": ("url", "mcp --base-url"),
    "verify --base-url": ("url", "verify --accounts ACCOUNTS --base-url"),
    "calibrate --base-url": ("url", "calibrate --accounts ACCOUNTS -o OUTPUT --base-url"),
    "observe --upstream": ("url", "observe --accounts ACCOUNTS -p 0 --upstream"),
    "campaign --base-url": ("url", "campaign verify --accounts ACCOUNTS --into OUTPUT --base-url"),
}
WRONG = {
    "url": [
        "http://",
        "http://:80",
        "http://a:99999",
        "http://localhost:0",
        "http://a..b:1",
        "ftp://a.example",
        "http://ü..example",
        "a.example",
        "http://a/?x",
    ],
    "origin": ["a.example", "ftp://a.example", "http://a.example/path", "http://a..b"],
    "host": ["http://a.example", "a.example:80", "a..b", "-bad-", "a b", "*", "ü" * 70],
}
CASES = [(option, value) for option, (kind, _) in OPTIONS.items() for value in WRONG[kind]]


def test_the_table_has_every_option_that_takes_a_url_or_a_host():
    """By its name, as the commands declare them."""
    found = {
        f"{name} {option}"
        for name in cli.confsim.list_commands(None)
        for parameter in cli.confsim.get_command(None, name).params
        for option in parameter.opts
        if option.startswith("--") and any(word in option for word in ("url", "upstream", "allow", "name"))
    }
    assert found == set(OPTIONS)


@pytest.mark.parametrize(("option", "value"), CASES)
def test_what_is_not_a_url_or_a_host_is_refused_at_once(tmp_path, capsys, monkeypatch, option, value):
    """One line quotes it; nothing is served, sent or written."""
    accounts, output = tmp_path / "accounts.toml", tmp_path / "output"
    accounts.write_text(f'[client]\nid = "{CUSTOMER}"\n[tokens]\nowner = "{OWNER}"\n')
    for place, name in ((LiveServer, "run"), (LiveServer, "start"), (learning, "_wait_for_end")):
        monkeypatch.setattr(place, name, lambda *_: pytest.fail("it began"))
    words = {"ACCOUNTS": str(accounts), "OUTPUT": str(output), "VALUE": value}
    arguments = [words.get(word, word) for word in OPTIONS[option][1].split()]
    with pytest.raises(SystemExit) as end:
        cli.main(arguments if value in arguments else [*arguments, value])
    assert end.value.code == 1
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert repr(value) in error or repr(value.rstrip("/")) in error
    assert error.count("\n") == 1
    assert not output.exists()


def test_a_base_url_beyond_ascii_is_called():
    """Its path is percent-encoded, and its host is in ASCII; escapes in it are those of the URL."""
    with Simulator(clock=START).serve(names=["bücher.localhost"]) as server:
        for path in ("/nö", "/n%C3%B6", "/%6E%C3%B6"):
            with closing(
                RemoteTransport(f"http://BÜCHER.localhost:{server.port}{path}".replace("BÜCHER.", ""))
            ) as there:
                answer = there.exchange(Request("GET", "/v1_0/users/me"))
            assert json.loads(answer.body)["code"] == "route_not_found"


def test_a_served_world_is_found_however_its_mount_is_written(capsys):
    """In the URL of the world or of its API."""
    sim = Simulator(clock=START)
    sim.worlds.add("one-world")
    with sim.serve() as server:
        for path in ("/w/one-world", "/%77/one%2Dworld/v1_0", "/w/one-world/v1%5F0/"):
            cli.main(["bundle", "--base-url", server.root + path])
            assert json.loads(capsys.readouterr().out)["mount"] == "/w/one-world"


def test_observing_a_mount_beyond_ascii_follows_the_calls():
    """What the client sent is passed on as it was, and read below the mount of the service."""
    sim = Simulator(clock=START)
    sim.worlds.add("one-world")
    accounts = accounts_of({"client": {"id": CUSTOMER}, "tokens": {"owner": OWNER}})
    with sim.serve() as server, observe(f"{server.root}/%77/one-world/v1_0", accounts) as (proxy, observer):
        root = proxy.base_url.partition("/%77")[0]
        with closing(RemoteTransport(root)) as there:
            for path in ("/w/one-world/v1_0/users/me", "/%77/one%2Dworld/v1_0/users/%6De"):
                headers = {"authorization": f"Bearer {OWNER}"}
                assert there.exchange(Request("GET", path, "", headers)).status == 200
    found = observer.conclude()
    assert (found.seen, found.followed) == (2, 2)


def test_host_names_beyond_ascii_are_answered_to():
    """Given when the server starts or by the control plane, and dropped, in either form."""
    sim = Simulator(clock=START)
    with sim.serve(names=["bücher.example."]) as server:
        plane = sim.client()
        assert plane.post("/_confsim/names", json={"name": "GRÖSSE.example"}).status_code == 200
        assert server.worlds.names == {"xn--bcher-kva.example", "xn--grsse-kua.example"}
        for name in server.worlds.names:
            with closing(RemoteTransport(server.root)) as there:
                assert there.exchange(Request("GET", "/_confsim/health", "", {"host": name})).status == 200
        assert plane.delete("/_confsim/names/B%C3%BCcher.example").status_code == 200
        assert "xn--bcher-kva.example" not in server.worlds.names


def test_a_public_url_beyond_ascii_starts_urls_in_ascii():
    """As clients can use it; one in ASCII stays as it was given."""
    sim = Simulator(clock=START)
    ok(sim, "set_user_image", OWNER, userId="me", url="https://pictures.example/1.png")
    for given, shown in (
        ("https://bücher.example/ü/", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://Conf.Example:443/x", "https://Conf.Example:443/x"),
    ):
        sim.worlds.public_url = given
        assert sim.worlds.public_url == shown
        assert ok(sim, "get_me", OWNER)["imageUrl"].startswith(f"{shown}/files/")


@pytest.mark.parametrize("value", ["http://a.example", "a.example:80", "*", ""])
def test_the_control_plane_refuses_what_is_not_a_host(value):
    """Nothing changes."""
    plane = Simulator().client()
    for method, path, body in (
        ("POST", "/names", {"name": value}),
        ("PUT", "/webhooks", {"allow": ["ok.example", value]}),
    ):
        answer = plane.open(f"/_confsim{path}", method=method, json=body)
        assert answer.status_code == 400
        assert "is not a host name" in answer.json["detail"]
    assert plane.get("/_confsim/webhooks").json["allow"] == plane.get("/_confsim/names").json["names"] == []


def test_origins_are_compared_as_browsers_send_them():
    """In lower case and ASCII, without the default port; the list shows what was given."""
    sim = Simulator(profile={"http.cors": True})
    given = ["https://Bücher.example:443", "http://App.example:8080"]
    ok(sim, "set_origins", clientId=CUSTOMER, body=given)
    assert ok(sim, "list_origins", clientId=CUSTOMER) == given
    for token in (OWNER, None):
        for origin in ("https://xn--bcher-kva.example", "http://app.example:8080", "https://other.example"):
            answer = sim.client(token).get(f"/channels/{ROOM}", headers={"Origin": origin})
            assert answer.headers.get("Access-Control-Allow-Origin") == (None if "other" in origin else origin)


def test_simulators_refuse_addresses_that_lead_nowhere():
    """In Python as on the command line, before anything is served."""
    sim = Simulator()
    for wrong in ({"names": ["a:80"]}, {"allow_webhooks": ["http://a"]}, {"public_url": "http://a:99999"}):
        with pytest.raises(Misuse):
            sim.serve(**wrong)
    assert not sim.worlds.public_url
    assert sim.control("list_names").names == []
