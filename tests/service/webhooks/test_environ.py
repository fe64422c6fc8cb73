"""A WSGI or ASGI application as a receiver of webhooks: what it is given, and what it must do."""

from __future__ import annotations

from wsgiref.validate import validator

import pytest

from confsim.service.webhooks.sending import Route
from kit.things.webhooks import happen, listening


def test_an_application_is_called_as_pep_3333_says():
    """The validator of the standard library is between."""
    sim, seen = listening(), []

    def application(environ, start_response):
        seen.append(environ)
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"ok"]

    checked = validator(application)
    sim.webhooks.deliver_to(lambda environ, start_response: checked(environ, start_response))
    happen(sim, "a")
    assert sim.service.webhooks.route is Route.RECEIVER
    (delivery,) = sim.webhooks
    assert [each.status for each in delivery.attempts] == [200]
    flags = {name: seen[0][f"wsgi.{name}"] for name in ("multithread", "multiprocess", "run_once")}
    assert flags == {"multithread": False, "multiprocess": False, "run_once": False}


async def silent(scope, receive, send):
    """Send nothing."""


@pytest.mark.parametrize("application", [silent, lambda environ, start_response: []], ids=["ASGI", "WSGI"])
def test_an_application_that_starts_no_response_is_a_failed_attempt_that_says_so(application):
    """The attempt names what is missing."""
    sim = listening()
    sim.webhooks.deliver_to(application)
    happen(sim, "a")
    (attempt,) = sim.webhooks[0].attempts
    assert attempt.problem == "ValueError: the application ended without starting a response"
