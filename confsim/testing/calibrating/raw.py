"""Raw probes in a run: their requests are made, and the answers judged beside the same requests to the model."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from confsim.assumptions.protocol.refusals import REASONS, STATUS
from confsim.assumptions.register import REGISTER
from confsim.http.app import App
from confsim.http.wsgi import WsgiApp
from confsim.inspector.mount import mounted
from confsim.reference.raw_probes import RAW_PROBES, RawProbe
from confsim.service.messages import Request
from confsim.service.worlds import Worlds
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Comparison, Difference, Reply, reply_of
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.service import Interrupted, RealService, Spent
from confsim.testing.verifying.findings import masked
from confsim.testing.verifying.printing.messages import answer_text, request_text
from confsim.transport.address import OperationRequest, address
from confsim.transport.wsgi import WsgiTransport

from .alternative import Alternative
from .learner import Contradiction, Learner


class RawExchange(Struct):
    """A raw probe, its call with the ids of the service, and the answer; whether some values explain it."""

    probe: RawProbe
    call: ModelCall
    reply: Reply
    explained: bool = True


class RawPlayer:
    """Makes the requests of raw probes and learns from the answers.

    ``shown`` maps each assumption to the request that determined it, in words; ``unanswered`` to why no answer came.
    """

    def __init__(self, service: RealService, learner: Learner) -> None:
        self._service = service
        self._learner = learner
        self._exchanges: list[RawExchange] = []
        self._mount = mounted()
        self.shown: dict[str, str] = {}
        self.unanswered: dict[str, str] = {}

    def wanted(self) -> Iterator[RawProbe]:
        """Yield the probes that were not played, and may tell a value that is open."""
        played = {each.probe.word + each.probe.call.operation for each in self._exchanges}
        for probe in RAW_PROBES:
            ids = [id for id in probe.tells if id in REGISTER.entries and id not in self.unanswered]
            if probe.word + probe.call.operation not in played and self._learner.evidence.open_to(ids):
                yield probe

    def play(self, probe: RawProbe, call: ModelCall) -> None:
        """Make the request of a probe, whose call has the ids of the model, and learn from the answer.

        Raises Interrupted when no call is answered any more, or its token is no longer accepted.
        """
        run = self._learner.run
        there = call.renamed(run.known.service)
        asked = _asked(there, probe, self._service.profile)
        try:
            reply = self._service.send(asked)
        except Spent:
            raise
        except Interrupted as interrupted:  # such as a server that closes the connection over a long line
            self.unanswered |= dict.fromkeys(probe.tells, f"the request {probe.word} is not answered: {interrupted}")
            run.check_service()
            return
        exchange = RawExchange(probe, there, reply)
        if reply.status == 401 != self._answer(exchange, self._learner.evidence.profile).status:
            run.check_token(call.caller)
            if not run.accepts(call.caller):
                self.unanswered |= dict.fromkeys(probe.tells, f"the token for {probe.word} is not accepted any more")
                return
        self._exchanges.append(exchange)
        self.judge()

    def judge(self) -> None:
        """Judge all answers, again after each value that is put in force."""
        while not all(self._is_expected(each) for each in self._exchanges if each.explained):
            pass  # a value was put in force that explains one more

    def _is_expected(self, exchange: RawExchange) -> bool:
        """Rule out values by an answer; return False when another value was put in force, or nothing explains it."""
        evidence = self._learner.evidence
        ids = [id for id in exchange.probe.tells if id in REGISTER.entries]
        evidence.used.update(ids)
        predicted = self._answer(exchange, evidence.profile)
        difference = self._difference(exchange, predicted, exchange.reply, evidence.profile, self._learner.run.known)
        if difference is not None:
            self._explain(exchange, ids, predicted, difference)
            return False
        for each in evidence.open_to(ids):
            profile = each.over(evidence.profile)
            known = Correspondence()
            known.shift = 0
            if self._difference(exchange, predicted, self._answer(exchange, profile), evidence.profile, known):
                evidence.rule_out(each)
                for id in each.ids:
                    self.shown.setdefault(id, f"{exchange.probe.seen}: {exchange.reply.status}")
        return True

    def _explain(self, exchange: RawExchange, ids: list[str], predicted: Reply, difference: Difference) -> None:
        learner = self._learner
        evidence = learner.evidence
        seen = [each for id, value in _observed(ids, predicted, exchange.reply) if (each := evidence.add(id, value))]
        single = list(dict.fromkeys([*evidence.open_to(ids), *seen]))
        pairs = [
            Alternative(*one.values, *other.values)
            for one, other in combinations([each for each in single if len(each.values) == 1], 2)
            if one.ids != other.ids
        ]
        before = [each for each in self._exchanges[: self._exchanges.index(exchange)] if each.explained]
        for concerned in (single, pairs):
            found = [each for each in concerned if all(self._explains(one, each) for one in (exchange, *before))]
            if learner.adopt_one(found):
                return
        exchange.explained = False
        run, replies = learner.run, (exchange.reply, predicted)
        request = _asked(exchange.call, exchange.probe, self._service.profile).request
        learner.contradicted.append(
            Contradiction(
                exchange.probe.call.operation,
                exchange.probe.seen,
                difference.place,
                masked(run, difference.predicted, replies),
                masked(run, difference.answered, replies),
                difference.problem,
                masked(run, request_text(request), replies),
                masked(run, answer_text(exchange.reply), replies),
            )
        )

    def _explains(self, exchange: RawExchange, alternative: Alternative) -> bool:
        profile = alternative.over(self._learner.evidence.profile)
        known = self._learner.run.known.copy()
        return self._difference(exchange, self._answer(exchange, profile), exchange.reply, profile, known) is None

    def _difference(
        self, exchange: RawExchange, one: Reply, other: Reply, profile: dict[str, Any], known: Correspondence
    ) -> Difference | None:
        run, call = self._learner.run, self._in_model(exchange)
        made = run.things if run.scope.is_open(call) else None
        return Comparison(Shapes(profile), known).difference(call.declared, one, other, made)

    def _answer(self, exchange: RawExchange, profile: dict[str, Any]) -> Reply:
        """Return the model's answer to the request under a profile; its world stays as it is."""
        model = self._learner.run.model
        fork = model.service.fork(model.world, profile, model.clock)
        asked = _asked(self._in_model(exchange), exchange.probe, self._service.profile)
        app = App(Worlds(fork), self._mount)
        return reply_of(WsgiTransport(WsgiApp(app, app.limits)).exchange(asked.request))

    def _in_model(self, exchange: RawExchange) -> ModelCall:
        return exchange.call.renamed(self._learner.run.known.model)


def _observed(ids: list[str], predicted: Reply, reply: Reply) -> Iterator[tuple[str, Any]]:
    """Yield the status and the code that a refusal shows, as values of the reason of a probe."""
    if predicted.status < 400 or reply.status < 400:
        return
    for id in ids:
        reason = REASONS.get(id)
        status = None if reason is None else STATUS[reason]
        if reason is None or status is None:
            continue
        yield status.id, reply.status
        if isinstance(reply.body, dict) and isinstance(reply.body.get("code"), str):
            yield id, reply.body["code"]


def _asked(call: ModelCall, probe: RawProbe, profile: Any) -> OperationRequest:
    """Return the request of a probe."""
    asked = address(
        call.declared, call.arguments, profile, body=call.body, content_type=call.content_type, token=call.caller
    )
    return replace(asked, request=changed(asked.request, probe))


def changed(request: Request, probe: RawProbe) -> Request:
    """Return a request as a raw probe changes it."""
    target, query, headers = request.target, request.query, dict(request.headers)
    rest, _, last = target.rpartition("/")
    target = probe.target.replace("{target}", target).replace("{rest}", rest).replace("{last}", last)
    if probe.capitals:
        head, _, name = target.rpartition("/")
        target = f"{head}/{name.upper()}"
    query = probe.query.replace("{query}", query)
    more = {name: _lengthened(value, probe.length) for name, value in probe.headers.items()}
    if not probe.headers:
        query = _lengthened(query, probe.length)
    return replace(
        request,
        method=probe.method or request.method,
        target=target,
        query=query,
        headers={**headers, **more},
        body=probe.body or request.body,
    )


def _lengthened(text: str, length: int) -> str:
    return text + text[-1:] * (length - len(text))
