"""The live server over TLS."""

from __future__ import annotations

import json
import socket
import ssl
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from websockets.sync.client import connect as open_websocket

from confsim import Misuse, Simulator
from confsim.http.live.certificate import context, write_self_signed
from kit import OWNER, ROOM
from kit.processes.commands import run, serving
from kit.wire.sockets import until


@pytest.fixture
def certificate(tmp_path):
    """A certificate for loopback and another name, and its key."""
    return write_self_signed(tmp_path, ["0.0.0.0", "conf.example", "10.1.2.3", "not a name"])


@pytest.fixture
def trusting(certificate):
    """The context of a client that trusts it."""
    return ssl.create_default_context(cafile=str(certificate[0]))


def test_calls_are_answered_and_urls_begin_with_https(certificate, trusting):
    """At every loopback name; what is not encrypted is not answered."""
    sim = Simulator()
    with sim.serve(tls=context(*certificate)) as server:
        assert server.root.startswith("https://127.0.0.1:")
        for host in ("127.0.0.1", "localhost"):
            with urllib.request.urlopen(f"https://{host}:{server.port}/_confsim/info", context=trusting) as answer:
                assert json.load(answer)["base_url"] == f"{server.root}/v1_0"
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain:
            plain.sendall(b"GET /_confsim/info HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"HTTP" not in plain.recv(100)


def test_websockets_are_opened_by_the_address_that_is_handed_out(certificate, trusting):
    """It begins with wss; who closes it leaves."""
    sim = Simulator()
    with sim.serve(tls=context(*certificate)) as server:
        url = f"{server.base_url}/channels/{ROOM}/proxyfor"
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {OWNER}"})
        with urllib.request.urlopen(request, context=trusting) as answer:
            address = json.load(answer)["url"]
        assert address.startswith(f"wss://127.0.0.1:{server.port}/streaming/")
        with open_websocket(f"{address}?token={OWNER}", ssl=trusting) as websocket:
            assert json.loads(websocket.recv(timeout=30))["state"] == "in"
            assert len(sim.presence(ROOM)) == 1
        assert until(lambda: not sim.presence(ROOM))


def test_a_connection_ends_as_tls_connections_do(certificate, trusting):
    """Stored alive until it is asked to close; a dropped or cut answer ends it too."""
    sim = Simulator()
    sim.faults.put(
        [{"operation": "get_me", "do": {"drop": "before"}}, {"operation": "get_me", "on": 2, "do": {"truncate": 5}}]
    )
    ask = f"GET /v1_0/users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {OWNER}\r\n%s\r\n"
    with sim.serve(tls=context(*certificate)) as server:
        ends = []
        for line in ("", "", "Connection: close\r\n"):
            raw = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            with trusting.wrap_socket(raw, server_hostname="localhost") as client:
                client.sendall((ask % line).encode())
                received = b""
                try:
                    while piece := client.recv(1 << 16):
                        received += piece
                except (ConnectionError, ssl.SSLEOFError):
                    pass
                ends.append(received)
    assert ends[0] == b""
    assert ends[1].startswith(b"HTTP/1.1 200")
    assert len(ends[1].partition(b"\r\n\r\n")[2]) == 5
    assert ends[2].endswith(b"}")


def test_the_certificate_is_for_the_names_that_it_can_be_for(certificate):
    """Loopback, and the names and addresses that were given; none for every address or for what is no name."""
    from cryptography import x509

    made = x509.load_pem_x509_certificate(certificate[0].read_bytes())
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "conf.example", "not a name"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1", "10.1.2.3"]
    assert certificate[1].stat().st_mode & 0o077 == 0


def test_what_is_no_certificate_is_reported(tmp_path, certificate):
    """By the name of the file that is wrong, and what is wrong with it."""
    (tmp_path / "empty.pem").write_text("")
    (tmp_path / "broken.pem").write_text("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
    other = write_self_signed(_made(tmp_path / "other"))
    for files, said in (
        ((tmp_path / "none.pem",), "none.pem': no such file"),
        ((certificate[0], tmp_path / "none.pem"), "none.pem': no such file"),
        ((tmp_path / "empty.pem",), "empty.pem has no certificate in the PEM format"),
        (
            (certificate[0],),
            "cert.pem has no private key in the PEM format; one in another file is ",
        ),
        ((certificate[0], tmp_path / "empty.pem"), "empty.pem has no private key in the PEM format"),
        ((certificate[0], other[1]), "key.pem has another key than that of the certificate in "),
        ((tmp_path / "broken.pem", other[1]), "broken.pem and .*key.pem give no certificate with its key: "),
    ):
        with pytest.raises(Misuse, match=said):
            context(*files)


def _made(directory):
    directory.mkdir()
    return directory


def test_serve_signs_a_certificate_or_takes_one(certificate, trusting):
    """The greeting names the one to trust, which is gone in the end."""
    with serving("--tls") as (_, greeting, root):
        made = next(line.split()[1] for line in greeting.splitlines() if line.split()[:1] == ["certificate"])
        reported = ssl.create_default_context(cafile=made)
        with urllib.request.urlopen(f"{root}/_confsim/health", context=reported) as answer:
            assert answer.status == 200
        assert f"curl --cacert {made} " in greeting
    assert not Path(made).exists()
    with serving("--tls-cert", *map(str, (certificate[0], "--tls-key", certificate[1]))) as (_, greeting, root):
        assert "certificate " not in greeting
        with urllib.request.urlopen(f"{root}/_confsim/health", context=trusting) as answer:
            assert answer.status == 200
    code, _, errors = run("serve", "--tls-key", str(certificate[1]))
    assert (code, "--tls-key requires --tls-cert" in errors) == (1, True)


@pytest.mark.parametrize(("scheme", "status"), [("https", 200), ("http", 403), ("x", 403)])
def test_a_page_of_a_server_with_tls_is_of_https(certificate, trusting, scheme, status):
    """A page of the same host and port, but of another scheme, is of another site."""
    with Simulator().serve(tls=context(*certificate)) as server:
        for host in ("127.0.0.1", "localhost"):
            url, origin = f"https://{host}:{server.port}/_confsim/reset", f"{scheme}://{host}:{server.port}"
            order = urllib.request.Request(url, b"{}", {"Origin": origin})
            try:
                with urllib.request.urlopen(order, context=trusting) as answer:
                    got = answer.status
            except urllib.error.HTTPError as refused:
                with refused:
                    got = refused.code
            assert got == status
