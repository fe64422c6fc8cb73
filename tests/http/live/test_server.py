"""Start, stop and signals of the live server."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from contextlib import closing, suppress
from subprocess import PIPE

import pytest

from confsim.http.live.server import LiveServer
from confsim.service.messages import Request, Response
from kit.processes.commands import Command
from kit.wire.sockets import SOURCES, Client, Echo, serves, until


def test_the_server_knows_its_address(echo: Echo) -> None:
    """Port 0 becomes a free one, which the URL has."""
    with LiveServer(echo) as server:
        assert server.port > 0
        assert (server.host, server.url) == ("127.0.0.1", f"http://127.0.0.1:{server.port}")
        assert serves(server)


@pytest.mark.parametrize(
    ("host", "url"),
    [("0.0.0.0", "http://127.0.0.1:8"), ("::1", "http://[::1]:8"), ("localhost", "http://localhost:8")],
)
def test_the_url_is_one_to_connect_to(echo: Echo, host: str, url: str) -> None:
    """Every host gives a URL a client on this machine can use."""
    assert LiveServer(echo, host, 8).url == url


def test_a_taken_port_is_named(echo: Echo) -> None:
    """The error of a second server on a port says which one."""
    with LiveServer(echo) as first, pytest.raises(OSError, match=f"127.0.0.1:{first.port}: .*in use"):
        LiveServer(echo, port=first.port).start()


def test_starting_twice_is_refused(echo: Echo) -> None:
    """A running server does not start again."""
    with LiveServer(echo) as server, pytest.raises(RuntimeError, match="running already"):
        server.start()


def test_stopping_is_idempotent(echo: Echo) -> None:
    """Stopping before the start and after the end does nothing; a stopped server can start anew on its port."""
    server = LiveServer(echo)
    server.stop()
    for _ in range(3):
        server.start()
        assert serves(server)
        server.stop()
        server.stop()
        with pytest.raises(ConnectionRefusedError):
            Client(server)


def test_stopping_ends_every_connection(echo: Echo) -> None:
    """New, idle and busy connections all end with the server, which leaves no thread and no socket behind."""
    threads = {*threading.enumerate()}
    server = LiveServer(echo)
    server.start()
    clients = [Client(server) for _ in range(3)]
    clients[0].send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()
    clients[1].send(b"GET /half")
    server.stop()
    for client in clients:
        with suppress(ConnectionResetError):
            assert client.ended()
        client.close()
    assert {*threading.enumerate()} <= threads


def test_stopping_under_fire_is_clean(caplog: pytest.LogCaptureFixture) -> None:
    """Connections that arrive at whatever moment of the stopping are closed too, without a complaint from anybody."""
    clients: list[socket.socket] = []

    def arrive() -> None:
        with suppress(ConnectionRefusedError):
            clients.append(socket.create_connection((server.host, server.port), timeout=30))
            asyncio.get_running_loop().call_soon(arrive)  # one more at every turn of the server's loop

    def handler(request: Request) -> Response:
        arrive()
        server.stop()
        return Response(200, [])

    gc.freeze()  # what other tests left is not looked through, and does not complain here
    caplog.clear()
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        with LiveServer(handler) as server:
            assert serves(server)
        gc.collect()
    for client in clients:
        with closing(client), suppress(ConnectionResetError):
            assert client.recv(1) == b""
    assert len(clients) > 3
    assert [str(complaint.message) for complaint in complaints] == []
    assert caplog.records == []


def test_a_server_stops_though_idle_connections_hang_on_to_it(echo: Echo) -> None:
    """It hangs up on them."""
    server = LiveServer(echo)
    server.start()
    clients = [Client(server).send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n") for _ in range(5)]
    for client in clients:
        client.read()
    server.stop()
    for client in clients:
        with closing(client):
            assert client.ended()


def test_a_handler_may_stop_its_server() -> None:
    """Stopping from within a request lets that request be answered."""

    def handler(request: Request) -> Response:
        server.stop()
        return Response(200, [], b"bye")

    with LiveServer(handler) as server:
        assert serves(server)


def test_signal_handlers_are_put_back(echo: Echo) -> None:
    """``run`` leaves the process with the signal handlers it had."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    LiveServer(echo).run(LiveServer.stop)
    assert [signal.getsignal(number) for number in numbers] == before


def test_running_in_a_thread_ends_with_stop(echo: Echo) -> None:
    """``run`` blocks, calls ``ready`` once it listens, and returns when the server is stopped from elsewhere."""
    listening: list[LiveServer] = []
    server = LiveServer(echo)
    thread = threading.Thread(target=server.run, args=(listening.append,))
    thread.start()
    assert until(lambda: bool(listening))
    assert serves(listening[0])
    server.stop()
    thread.join(30)
    assert not thread.is_alive()


def test_a_failing_ready_ends_the_run(echo: Echo) -> None:
    """What ``ready`` raises comes out of ``run``, and the port is free again."""

    def ready(server: LiveServer) -> None:
        raise KeyError(server.port)

    server = LiveServer(echo)
    with pytest.raises(KeyError):
        server.run(ready)
    with pytest.raises(ConnectionRefusedError):
        Client(server)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run(number: signal.Signals) -> None:
    """A served process ends cleanly on either signal, with an idle connection open, and goes on after ``run``."""
    program = """
        from confsim.http.live.server import LiveServer
        from confsim.service.messages import Response
        LiveServer(lambda request: Response(200, [])).run(lambda server: print(server.port, flush=True))
        print("ended")
    """
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(program)]
    with subprocess.Popen(command, text=True, cwd=SOURCES, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 200 OK")
            process.send_signal(number)
            out, errors = process.communicate(timeout=30)
    assert (process.returncode, out, errors) == (0, "ended\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGHUP], [signal.SIGINT, signal.SIGINT]], ids=str)
def test_a_signal_ends_a_call_that_does_not_end(signals: list[signal.Signals]) -> None:
    """Also one that never lets go of the interpreter, such as a regular expression that backtracks for good."""
    program = """
        import re
        from confsim.http.live import server
        server._GRACE = 0.2
        def stuck(request):
            print("stuck", flush=True)
            re.match("(.*.*)*x", "y" * 100)
        server.LiveServer(stuck).run(lambda server: print(server.port, flush=True))
    """
    with Command("python", "-c", textwrap.dedent(program)) as process:
        try:
            port = int(process.stdout.readline())
            with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                assert process.stdout.readline() == "stuck\n"
                process.send_signal(signals[0])
                for number in signals[1:]:  # the second may come before the first was heard of
                    while process.poll() is None:
                        time.sleep(0.02)
                        process.send_signal(number)
                _, errors = process.communicate()
        finally:
            process.send_signal(signal.SIGKILL)
    if len(signals) == 1:
        assert process.returncode == 1
        assert "in stuck" in errors
    else:
        assert process.returncode == -signal.SIGINT
