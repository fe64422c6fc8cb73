"""Raw probes: requests that no call makes tell what a service does with them."""

from __future__ import annotations

import pytest

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.reference.probes import ProbeCall
from confsim.reference.raw_probes import RAW_PROBES, RawProbe
from confsim.service.messages import Request, Response
from confsim.testing.calibrating.playing import Player
from confsim.testing.calibrating.probing import Prober
from confsim.testing.calibrating.raw import changed
from confsim.testing.learning.accounts import Accounts
from confsim.transport.wsgi import WsgiTransport
from kit import choices
from kit.beside import Beside

HIDDEN = choices(
    route__case="ignore",
    http__head="405",
    parse__repeated_query="last",
    status__route_not_found=418,
    code__url_too_long="too_long",
)


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    """No other calls are made."""
    monkeypatch.setattr(Player, "calls", lambda *given: iter(()))
    monkeypatch.setattr(Prober, "calls", lambda *given: iter(()))


def test_requests_tell_what_no_call_does():
    """Five values, and the defaults of the others; each with the request that showed it."""
    report = Beside(HIDDEN).calibrator(journeys=1).run()
    assert report.learned == {
        "code.url-too-long": "too_long",
        "http.head": "405",
        "parse.repeated-query": "last",
        "route.case": "ignore",
        "status.route-not-found": 418,
    }
    assert report.contradicted == []
    told = {id for probe in RAW_PROBES for id in probe.tells}
    left = told - {*report.learned, *report.confirmed}
    assert left <= {"status.not-acceptable", "code.not-acceptable"}, left
    assert report.shown["http.head"] == "list_supported_languages as api-token, with HEAD: 405"
    assert report.requests < 100


def test_any_of_the_accounts_makes_what_needs_nothing(monkeypatch):
    """Without a Partner Admin there is no client of the run; what depends on things that are made there is left out."""
    beside = Beside(HIDDEN)
    monkeypatch.setattr(beside, "accounts", Accounts(beside.accounts.client, {"user": beside.accounts.tokens["user"]}))
    report = beside.calibrator(journeys=1).run()
    assert {*report.learned} == {*HIDDEN} - {"parse.repeated-query"}
    assert "parse.repeated-query" in report.undetermined


def test_what_no_value_explains_is_contradicted():
    """A service that answers OPTIONS with a page: the request in words, and both values."""
    beside = Beside()

    class Page(WsgiTransport):
        def exchange(self, request: Request) -> Response:
            """Answer OPTIONS with a page."""
            if request.method == "OPTIONS":
                return Response(200, [("Content-Type", "text/html")], b"<p>Hello</p>")
            return super().exchange(request)

    report = beside.calibrator(transport=Page(beside.simulator.wsgi), journeys=1).run()
    (found,) = report.contradicted
    assert (found.call, found.place, found.expected, found.got) == (
        "list_supported_languages as api-token, with OPTIONS",
        "status",
        204,
        200,
    )
    assert found.request == "OPTIONS /v1_0/languages\nauthorization: Bearer ***"
    assert found.answer == "200\ncontent-type: text/html\n\n<p>Hello</p>"
    assert "http.options" in report.undetermined


def test_a_request_that_is_not_answered_leaves_its_values_open():
    """The connection is closed over a long line: why is in the report, and the run goes on."""
    beside = Beside()

    class Closing(WsgiTransport):
        def exchange(self, request: Request) -> Response:
            """Close the connection over a long line."""
            if len(request.query) > 60_000:
                raise ConnectionError("closed")
            return super().exchange(request)

    report = beside.calibrator(transport=Closing(beside.simulator.wsgi), journeys=1).run()
    assert report.interrupted == ""
    assert "is not answered" in report.undetermined["status.url-too-long"]
    assert "status.route-not-found" in report.confirmed


class Ending(WsgiTransport):
    """A service that another takes the place of, once a request came for which ``ends`` holds."""

    def __init__(self, beside, ends, instead):
        super().__init__(beside.simulator.wsgi)
        self._ends, self._instead, self._ended = ends, instead, False

    def exchange(self, request: Request) -> Response:
        """Answer, or let the other answer."""
        self._ended = self._ended or self._ends(request)
        return self._instead(request) if self._ended else super().exchange(request)


def _died(request):
    raise ConnectionError("refused")


def _expired(request):
    body = b'{"status": 401, "code": "credential_expired", "message": "Over.", "details": []}'
    return Response(401, [("Content-Type", "application/json")], body)


@pytest.mark.parametrize(
    ("instead", "why"),
    [
        (_died, "the service does not answer any more: refused"),
        (_expired, "the token of the user is not accepted any more (401): it has expired, or was revoked"),
    ],
)
def test_what_ends_amid_requests_ends_the_run(monkeypatch, instead, why):
    """A service that dies, or a token that expires, shows nothing of what the requests are about."""
    beside = Beside()
    monkeypatch.setattr(beside, "accounts", Accounts(beside.accounts.client, {"user": beside.accounts.tokens["user"]}))
    ending = Ending(beside, lambda request: request.method == "OPTIONS", instead)
    report = beside.calibrator(transport=ending, journeys=1).run()
    assert report.interrupted == why
    assert report.contradicted == []
    assert report.learned == report.assumed == {}
    assert "http.options" in report.undetermined


def test_raw_probes_are_of_the_register_and_of_the_api():
    """Each tells entries, by a call of an operation that reads, or of a thing of the run."""
    for probe in RAW_PROBES:
        assert set(probe.tells) <= REGISTER.entries.keys()
        assert not API[probe.call.operation].changes or probe.call.path
    words = [(probe.word, probe.call.operation) for probe in RAW_PROBES]
    assert len(set(words)) == len(words)


def test_a_request_is_changed_as_the_probe_says():
    """Method, target, query and headers, filled to a length."""
    call = ProbeCall("a", "list_channels")
    request = Request("GET", "/v1_0/a/b", "x=1", {"accept": "*/*"}, b"")
    probe = RawProbe("so", call, (), method="PUT", target="{rest}%2F{last}", query="{query}&y=z", length=9)
    made = changed(request, probe)
    assert (made.method, made.target, made.query) == ("PUT", "/v1_0/a%2Fb", "x=1&y=zzz")
    assert made.headers == {"accept": "*/*"}
    made = changed(request, RawProbe("so", call, (), headers={"x": "ab"}, length=4, capitals=True))
    assert (made.target, made.query, made.headers) == ("/v1_0/a/B", "x=1", {"accept": "*/*", "x": "abbb"})
