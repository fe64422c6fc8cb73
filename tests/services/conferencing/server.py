"""A small HTTP server for the application: one thread for each connection, which is kept alive."""

from __future__ import annotations

from typing import Any

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from services.conferencing.web import Application


class Handler(WSGIRequestHandler):
    """Answers the requests of a connection without delay and without a log."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Write nothing about requests."""

    def log(self, type: str, message: str, *args: Any) -> None:
        """Write nothing about broken connections either."""


def serve(application: Application, host: str, port: int) -> BaseWSGIServer:
    """A server that is listening, for serve_forever."""
    return make_server(host, port, application, threaded=True, request_handler=Handler)
