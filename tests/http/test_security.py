"""Attacks on what runs on a developer's machine: each succeeds without its guard, and fails with it."""

from __future__ import annotations

import json
import socket
import threading
import time
from base64 import urlsafe_b64encode
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from hmac import digest
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import urlopen

import pytest
from jwt.utils import base64url_decode

from confsim import Simulator
from confsim.control import invoke
from confsim.domain import images
from confsim.domain.clients import clients
from confsim.domain.identity import jws, validators
from confsim.http.app import App
from confsim.http.limits import Limits
from confsim.http.live.server import LiveServer
from confsim.service import journal
from confsim.service.webhooks import http_sender
from kit import CUSTOMER
from kit.catalogue_walk import walk

SECRET = b"\x89PNG\r\n\x1a\nwhat only this machine may read"


@contextmanager
def served(sim, *, guard=True, limits=None):
    """A live server of the world: the real one, or one whose app asks nobody's name; yields its port."""
    real = sim.serve()._server
    handler = real.handler if guard else App(sim.app.worlds, sim.app.mount)
    with LiveServer(handler, limits=limits or real.limits) as server:
        yield server.port


def send(port, method, path, body=b"", **headers):
    """Send one request with exactly these headers, Host included; returns status, headers and body."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        lines = {name.replace("_", "-"): text for name, text in headers.items()}
        connection.request(method, path, body or None, lines)
        answer = connection.getresponse()
        return answer.status, {name.lower(): text for name, text in answer.getheaders()}, answer.read()


class Canary(BaseHTTPRequestHandler):
    """A service of the machine that no stranger may reach; it notes who did."""

    def do_GET(self):
        """Give the secret away."""
        self.server.hits.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.secret)

    do_POST = do_GET

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def canary():
    """The service: ``hits`` it took, ``url`` where it stands, ``secret`` what it gives."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Canary) as server:
        server.hits, server.secret = [], SECRET
        server.url = f"http://127.0.0.1:{server.server_port}/internal"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


# Pages that a browser on this machine shows


def test_dns_rebinding(sim):
    """A foreign name is made to point here, so that the page of that name is of the same origin as the server."""

    def attack(port):
        sim.make_user(CUSTOMER, "Victim")
        before = sim.service.world.digest()
        reported = {
            "Host": f"evil.example:{port}",
            "Origin": f"http://evil.example:{port}",
            "Sec_Fetch_Site": "same-origin",
        }
        send(port, "POST", "/_confsim/reset", **reported)
        status, _, body = send(port, "GET", "/_confsim/info", **reported)
        return sim.service.world.digest() != before and status == 200 and b"demo-owner" in body

    with served(sim, guard=False) as port:
        assert attack(port)
    with served(sim) as port:
        assert not attack(port)
        assert send(port, "GET", "/v1_0/users/me", Host="evil.example", Authorization="Bearer demo-user")[0] == 403
        assert send(port, "GET", "/w/w1/_confsim/info", Host="evil.example")[0] >= 400


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "x://127.0.0.1:{port}"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://user@127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://localhost:{port}"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "CROSS-SITE"},
        {"Sec_Fetch_Site": "same-site"},
        {"Origin": "http://evil.example", "Sec_Fetch_Site": "same-origin"},
    ],
)
def test_cross_origin_orders(sim, monkeypatch, headers):
    """A form of another site needs no leave to post text/plain; also one of another port of this machine."""

    def attack(port):
        user = sim.make_user(CUSTOMER, "Victim").id
        sent = {name: text.replace("{port}", str(port)) for name, text in headers.items()}
        send(port, "POST", "/_confsim/reset", b"{}", Content_Type="text/plain", **sent)
        send(port, "POST", "/_confsim/clock/set", b'{"to": 0}', Content_Type="text/plain", **sent)
        return sim.call("get_user", "demo-user", userId=user).status == 404 and sim.clock.now == 0

    with served(sim) as port:
        assert not attack(port)
        with monkeypatch.context() as unprotected:
            unprotected.setattr(invoke, "_check_origin", lambda *_: None)
            sim.reset()
            assert attack(port)


def test_what_is_no_page_of_another_site_gives_orders(sim):
    """Tools, which send no Origin, and pages of the server itself."""
    with served(sim) as port:
        for headers in ({}, {"Origin": f"http://127.0.0.1:{port}", "Sec_Fetch_Site": "same-origin"}):
            assert send(port, "POST", "/_confsim/reset", **headers)[0] == 200


def test_pages_learn_nothing_from_the_control_plane(sim):
    """No page of another origin is granted a preflight or may read an answer, whatever clients allow for the API."""
    sim.call("set_origins", "demo-customer-admin", clientId=CUSTOMER, body=["https://page.example"])
    with served(sim) as port:
        for method in ("OPTIONS", "GET"):
            _, headers, _ = send(port, method, "/_confsim/info", Origin="https://page.example")
            assert not [name for name in headers if name.startswith("access-control")]


def test_cors_is_for_origins_that_the_client_allows():
    """Over a socket: preflight and answer for an allowed origin, nothing for a foreign one; none by a profile."""
    ask = {"Access_Control_Request_Method": "GET", "Access_Control_Request_Headers": "authorization"}
    for profile, granted in (({}, True), ({"http": {"cors": False}}, False)):
        sim = Simulator(profile=profile)
        sim.call("set_origins", "demo-customer-admin", clientId=CUSTOMER, body=["https://page.example"])
        with served(sim) as port:
            for origin, allowed in (("https://page.example", granted), ("https://evil.example", False)):
                status, headers, _ = send(port, "OPTIONS", "/v1_0/users/me", Origin=origin, **ask)
                assert status == 204
                assert (headers.get("access-control-allow-origin") == origin) is allowed
                assert ("authorization" in headers.get("access-control-allow-headers", "")) is allowed
                _, headers, _ = send(port, "GET", "/v1_0/users/me", Origin=origin, Authorization="Bearer demo-user")
                assert (headers.get("access-control-allow-origin") == origin) is allowed


# Who reaches the server at all


def test_loopback_by_default(sim):
    """Another address of the machine, as the network would use it, is not listened on unless that is asked for."""

    def attack(host):
        with sim.serve(**host) as server, suppress(OSError), socket.create_connection(("127.0.0.2", server.port), 2):
            return True
        return False

    assert attack({"host": "0.0.0.0"})
    assert not attack({})


# Too much


HUGE = Limits(body=2**40, url=2**40, headers=2**40, read=60)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"x" * 70_000), 414),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Much: %s\r\n\r\n" % (b"x" * 70_000), 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n%s\r\n" % (b"X-Many: x\r\n" * 7_000), 431),
        (b"POST /v1_0/terms HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000000\r\n\r\n", 413),
        (b"POST /v1_0/terms HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n7ffffff\r\n", 413),
    ],
)
def test_more_than_is_reasonable(sim, head, status):
    """Long URLs, large headers, endless bodies: refused by their status, in the envelope, before they are taken in."""

    def attack(port, patience):
        with closing(socket.create_connection(("127.0.0.1", port), patience)) as client:
            with suppress(OSError):
                client.sendall(head)
                for _ in range(1100 if b"chunked" in head else 0):
                    client.sendall(bytes(100_000))
            with suppress(OSError):
                answer = client.recv(65536)
                return not answer.startswith(b"HTTP/1.1 %d " % status)
            return True  # no word: it would take all of it

    with served(sim) as port:
        assert not attack(port, 30)
    if b"chunked" not in head:  # the memory of the machine would allow it
        with served(sim, limits=HUGE) as port:
            assert attack(port, 0.1)


def test_worlds_without_end(sim):
    """Anyone who makes worlds and drops none is stopped; those that are in use stay."""

    def attack(port):
        made = [send(port, "POST", "/_confsim/worlds", b'{"name": "w%d"}' % number)[0] for number in range(30)]
        return made == [200] * 30

    for most, taken in ((10**6, True), (20, False)):
        sim.worlds.drop()
        sim.worlds.most = most
        with served(sim) as port:
            assert attack(port) is taken
            assert len(sim.worlds) == (31 if taken else 21)
            assert send(port, "GET", "/w/w0/_confsim/health")[0] == 200


def test_bodies_that_are_remembered(sim, monkeypatch):
    """Refused or not, many large bodies are not stored in the journal for ever."""

    def attack(port):
        sim.reset()
        for _ in range(20):
            send(port, "POST", "/v1_0/terms", b"x" * 1_000_000, Authorization="Bearer demo-api-token")
        return sum(len(each.request.body) for each in sim.service.journal) > 10_000_000

    with served(sim) as port:
        monkeypatch.setattr(journal, "HEAVIEST", 2**40)
        assert attack(port)
        monkeypatch.setattr(journal, "HEAVIEST", 5_000_000)
        assert not attack(port)


def test_connections_that_never_end_their_request(sim):
    """A byte now and then holds no connection for ever: a head has its time, and so has each silence in a body."""

    def attack(port, seconds):
        with closing(socket.create_connection(("127.0.0.1", port), 30)) as client:
            client.settimeout(0.02)
            client.sendall(b"GET /")
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                with suppress(TimeoutError):
                    if client.recv(1000):
                        return False
                client.sendall(b"x")
            return True

    with served(sim, limits=HUGE) as port:
        assert attack(port, 0.25)
    with served(sim, limits=Limits(read=0.1)) as port:
        assert not attack(port, 30)


# Tokens that say how they want to be checked


def part(value):
    """A part of a compact JWT."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def naive(token, algorithm, key):
    """What a careless library does: the token itself says by which algorithm and which key it is to be checked."""
    head, payload, signature = token.split(".")
    header, claims = (json.loads(base64url_decode(each)) for each in (head, payload))
    if header["alg"] == "none":
        return claims
    if "jku" in header:
        key = urlopen(header["jku"], timeout=30).read()
    if "jwk" in header:
        key = base64url_decode(header["jwk"]["k"])
    expected = digest(key if isinstance(key, bytes) else PEM, f"{head}.{payload}".encode(), sha256)
    if expected != base64url_decode(signature):
        raise jws.NotSigned("not by this key")
    return claims


def pem():
    """A public key, as everybody may have it."""
    from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = generate_private_key(65537, 2048).public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


PEM = pem()


def forged(header, secret):
    """A token for somebody who never signed in."""
    claims = {"iss": "https://id.example", "aud": "confsim", "sub": "victim", "exp": 4_000_000_000}
    signed = f"{part({'typ': 'JWT', **header})}.{part(claims)}"
    return f"{signed}.{part(digest(secret, signed.encode(), sha256)) if secret else ''}"


@pytest.mark.parametrize(
    ("header", "secret"),
    [
        ({"alg": "none"}, b""),
        ({"alg": "HS256"}, PEM),
        ({"alg": "HS256", "jku": "here"}, SECRET),
        ({"alg": "HS256", "jwk": {"kty": "oct", "k": part(SECRET)}}, SECRET),
    ],
    ids=["alg none", "the public key as a secret", "jku", "jwk"],
)
def test_forged_identity_tokens(sim, monkeypatch, canary, header, secret):
    """No algorithm, another algorithm, a key that the token brings or points to: all are taken only by the careless."""
    change = sim.service.change()
    tenant = clients.get(change, CUSTOMER)
    reported = {"name": "V", "issuer": "https://id.example", "audience": "confsim"}
    added = validators.add(change, tenant, "v", "RS256", PEM.decode(), **reported)
    validators.enable(change, added)
    sim.service.commit(change)
    token = forged({**header, "jku": canary.url} if "jku" in header else header, secret)

    def attack():
        return sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": token}).ok

    with monkeypatch.context() as unprotected:
        unprotected.setattr(jws, "verify", naive)
        assert attack()
    canary.hits.clear()
    assert not attack()
    assert canary.hits == []


# Requests that the server is made to send


def fetching(original):
    """Images as a careless server keeps them: fetched from wherever the caller says."""

    def keep(change, client, data, url):
        return original(change, client, data if url is None else urlopen(url, timeout=30).read(), None)

    return keep


def test_images_fetched_from_within(sim, monkeypatch, canary):
    """An image "at" an internal address would show its secrets to anyone who asked; here a stub answers, unfetched."""

    def attack():
        sim.call("set_user_image", "demo-user", userId="me", url=canary.url)
        address = sim.call("get_me", "demo-user").body["imageUrl"]
        return SECRET in sim.client().get(address).data

    with monkeypatch.context() as unprotected:
        unprotected.setattr(images, "store", fetching(images.store))
        assert attack()
    canary.hits.clear()
    assert not attack()
    assert canary.hits == []


def test_webhooks_to_within(sim, monkeypatch, canary):
    """An endpoint on a host of the network is not sent to unless that host is allowed by name; the log says why."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *more, **reported: resolve("127.0.0.1" if "intra" in host else host, *more, **reported),
    )
    url = f"http://intra.example:{canary.server_port}/admin"
    assert sim.call("add_events_endpoint", "demo-customer-admin", body={"url": url}).ok
    assert sim.call("set_events_state", "demo-customer-admin", state="enable").ok

    def attack(**allowed):
        canary.hits.clear()
        with sim.serve(**allowed):
            sim.call("create_channel", "demo-owner", body={"name": f"Room {time.perf_counter()}"})
            end = time.perf_counter() + 30
            while (
                not canary.hits and time.perf_counter() < end and not any(each.attempts for each in sim.webhooks[-1:])
            ):
                time.sleep(0.01)
            time.sleep(0.05)
        return canary.hits != []

    with monkeypatch.context() as unprotected:
        unprotected.setattr(http_sender, "blocked_reason", lambda url, allowed: None)
        assert attack()
    assert not attack()
    assert "intra.example" in sim.webhooks[-1].attempts[0].problem
    assert attack(allow_webhooks=["intra.example"])


def test_nothing_else_leaves_the_machine(sim, monkeypatch, canary):
    """Every operation of the API, with every kind of argument, opens no connection to anybody."""
    opened = []

    def connect(self, address):
        opened.append(address)
        raise OSError("no way out")

    def attack():
        opened.clear()
        sim.call("set_user_image", "demo-user", userId="me", url=canary.url)
        for _ in walk(sim, CUSTOMER, ("demo-owner", "demo-customer-admin"), rounds=(0,)):
            pass
        sim.clock.advance("8d")
        return opened != []

    monkeypatch.setattr(socket.socket, "connect", connect)
    with monkeypatch.context() as unprotected:
        unprotected.setattr(images, "store", fetching(images.store))
        assert attack()
    sim.reset()
    assert not attack()
