"""An observer of traffic: the model follows the exchanges between a client and a service, and each answer is evidence.

It sends nothing: the earlier state that the model needs is taken from answers as they pass. Users and channels are
known once an answer describes them. Calls that name other things of unknown origin, and callers who are not in the
accounts, are skipped; so are answers that depend on such things, or on who is in a channel, and from then on what is
said of the things that a skipped call has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.assumptions.register import in_force
from confsim.assumptions.users.users import KIND_WORDS
from confsim.kernel.refusal import Misuse
from confsim.service.clock import Clock
from confsim.service.messages import Request, Response
from confsim.testing.calibrating.alternative import plain
from confsim.testing.calibrating.learner import Apart, Learner
from confsim.testing.learning.accounts import USERS, Accounts
from confsim.testing.learning.calls import ME, ModelCall
from confsim.testing.learning.comparing.comparison import Comparison, Reply, chosen_values, reply_of
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Elements, ObjectShape
from confsim.testing.learning.discovering.discovery import UNUSED
from confsim.testing.learning.run import Run
from confsim.testing.learning.service import RealService
from confsim.transport.transport import WireTransport

from .before import changes_channel, grown, why_not
from .presence import Comings
from .report import Evidence, ObserveReport
from .requests import TWO_LENGTHS, Reader, token_of

#: Reasons for which a token is refused.
_CREDENTIAL = frozenset({Reason.CREDENTIAL_INVALID, Reason.CREDENTIAL_EXPIRED, Reason.CREDENTIAL_MISSING})
#: Kinds of things that have an id in the accounts.
_KNOWN = frozenset({"clients", "tokens"})
#: Fields of an answer that describes a user.
_DESCRIPTION = frozenset({"id", "handle", "clientId", "kind"})
#: Kinds of user of which a view says all that the model needs.
_PLAIN = frozenset({"registered", "guest"})
#: Kinds that a call names which is about people alone.
_PEOPLE = frozenset({"users", "clients", "tokens"})
#: Most exchanges that are stored for remaking the model.
_MOST = 3000


class _Nowhere(WireTransport):
    """A transport that sends nothing."""

    def exchange(self, request: Request) -> Response:
        """Raise: nothing may be sent."""
        raise AssertionError(f"nothing is sent: {request.method} {request.target}")


class _PassedService(RealService):
    """Takes the place of the service: answers with what passed through the proxy, and sends nothing."""

    def __init__(self, accounts: Accounts, known: Correspondence) -> None:
        super().__init__(_Nowhere(), {}, known)
        self._accounts = accounts
        self._homes = {"partner-admin": "partner", "other-admin": "other"}
        #: Answers to reads, by operation and arguments.
        self.reads: dict[tuple[str, str, tuple[tuple[str, str], ...]], Reply] = {}

    def key(self, call: ModelCall) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        """Return the identity of a read: operation and arguments."""
        personal = call.declared.about_caller or ME in call.path.values()
        return call.operation, call.caller or "" if personal else "", tuple(sorted(call.path.items()))

    def call(self, call: ModelCall, *, reserved: bool = False) -> Reply:  # noqa: ARG002 as that of a service
        """Return the answer to a call as it was seen, else the little that the accounts say."""
        seen = self.reads.get(self.key(call))
        if seen is not None:
            return seen
        role = self._accounts.role(call.caller)
        if call.operation == "get_me" and role in USERS:
            home = self._homes.get(role, self._accounts.client)
            number = -1 - list(self._accounts.tokens).index(role)
            return Reply(200, "application/json", {"id": number, "handle": role, "clientId": home})
        return Reply(404, "", None)


class Observer:
    """Follows exchanges, one after the other. ``say`` shows progress."""

    def __init__(self, upstream: str, accounts: Accounts, *, clock: Clock | None = None, say: Any = None) -> None:
        self.report = ObserveReport(upstream)
        self._accounts = accounts
        self._say = say or (lambda line: None)
        self._passed: Counter[str] = Counter()
        self._unanswered: Counter[str] = Counter()
        self._counts: dict[str, list[int]] = {}
        #: Things, by kind and the service's id, that changed in a way that the model could not follow.
        self._unknown: set[tuple[str, Any]] = set()
        self._comings = Comings()
        known = Correspondence()
        self._service = _PassedService(accounts, known)
        self.learner = Learner(self._service, self._say)
        self._clock = clock if clock is not None else Clock()
        self._begin(known)

    def _begin(self, known: Correspondence) -> None:
        profile = dict(self.learner.evidence.profile)
        run = Run(
            self._service,
            self._accounts,
            profile,
            known,
            tag="\0",
            base_url=self.report.upstream,
            allow_phone_calls=True,
            clients_read=False,
            clock=self._clock,
        )
        self._service.know(known)
        self._forget_stand_ins(run)
        self.learner.begin(run)

    def _forget_stand_ins(self, run: Run) -> None:
        """Remove the pairs of placeholders for unknown things, so that the real ones can be paired."""
        for users in run.things.known_users.values():
            for user in users:
                named = run.known.service("users", user)
                if isinstance(named, int) and named < 0:
                    run.known.forget("users", user)

    def see(self, request: Request, response: Response | None) -> None:
        """Learn from an exchange: a request below the mount of the API, and its response.

        Without the response it is passed over, since a body of it is too large to follow.
        """
        self.report.seen += 1
        if response is None:
            self._lose_what(request)
        why = "a body of it is too large" if response is None else self._follow(request, reply_of(response))
        if why:
            self._passed[why] += 1
        else:
            self.report.followed += 1

    def miss(self, why: str, request: Request | None) -> None:
        """Note why a request was not answered, or not to the end: what it has changed is not known.

        It is None when the service got nothing of it.
        """
        if why not in self._unanswered:
            self._say(why)
        self._unanswered[why] += 1
        if request is None:
            return
        self._lose_what(request)

    def _follow(self, request: Request, reply: Reply) -> str:
        """Follow an exchange; return why it is skipped, "" when it is not."""
        run = self.learner.run
        familiar, token = token_of(request, self._accounts)
        made = token is not None and run.known.met("tokens", token)
        if self._accounts.role(token) in UNUSED:
            return "the API does not say to which channel the guest of the accounts belongs"
        call = Reader(run.profile).call(request, token)
        if call is None:
            return "a request of no operation"
        if reply.status == 400 and request.headers.keys() >= TWO_LENGTHS:
            return "a request that states the length of its body twice"
        if not familiar and not made:
            return "a token that the accounts do not know"
        self._store(call, reply)
        if self._appear(call, reply):
            return "it describes users of before, who are known from now on"
        appeared = self._appears(call, reply)
        if appeared:
            return appeared
        run = self.learner.run
        here = call.renamed(run.known.model)
        if "date" in reply.headers:
            run.known.learn_shift(reply.headers["date"], self._clock.now())
        why = self._why_not(call) or self._why_no_evidence(here, call, reply)
        if why:
            if reply.status < 400:
                self._lose(call)
            return why
        return self._take(here, call, reply)

    def _lose_what(self, request: Request) -> None:
        """Note that what a request may have changed is not known from now on."""
        call = Reader(self.learner.run.profile).call(request, token_of(request, self._accounts)[1])
        if call is not None:
            self._lose(call)

    def _lose(self, call: ModelCall) -> None:
        """Note that what a call changed, with the ids of the service, is not known from now on."""
        run = self.learner.run
        if call.declared.changes:
            here = call.renamed(run.known.model)
            named = [each for each in call.names() if each[0] not in _KNOWN]
            named = [each for each in named if each[0] not in _PEOPLE] or named
            self._unknown.update(each for each in named if each[0] != "channels" or changes_channel(run, here))

    def _why_no_evidence(self, here: ModelCall, call: ModelCall, reply: Reply) -> str:
        """Return why the answer to a call shows nothing, "" when it does: it depends on what is not known."""
        run = self.learner.run
        try:
            predicted = run.model.imagine(here).reply
        except Misuse:
            return "the model cannot be asked so"
        if reply.status == 401 and call.caller is not None and self._is_over(predicted, reply):
            whose = self._accounts.role(call.caller) or "user who was made"
            return f"the token of the {whose} is refused: it may have expired"
        if not call.declared.changes and self._shows_stand_in(here, predicted):
            return "it describes a user of the accounts of whom nothing was seen before"
        if self._comings.decide(run, here, predicted):
            return "it depends on who is in a channel, which is not seen"
        unseen = self._unseen(here, predicted, reply)
        if unseen:
            return f"it shows one of the {unseen} that was not seen made"
        if predicted.status < 400 <= reply.status and _code(reply) in _taken(run.profile):
            return "a name is taken by something that was not seen made"
        return ""

    def _unseen(self, here: ModelCall, predicted: Reply, reply: Reply) -> str:
        """Return the kind of which an answer shows more things than the model has, and one that is new; "" for none."""
        run = self.learner.run
        caller = run.things.caller(here.caller)
        in_own = caller is not None and caller.home in run.things.own_clients
        if here.declared.changes or reply.status >= 400 or in_own or run.scope.is_open(here):
            return ""
        shape = run.shapes.answer(here.declared)
        shown = list(chosen_values(shape, reply.body))
        mine = chosen_values(shape, predicted.body) if predicted.status < 400 else ()
        more = Counter(kind for kind, _ in shown) - Counter(kind for kind, _ in mine)
        return next((kind for kind, value in shown if kind in more and not run.known.met(kind, value)), "")

    def _shows_stand_in(self, here: ModelCall, predicted: Reply) -> bool:
        """Return whether the model would answer with a user of the accounts of whom it knows the token alone."""
        run, reads = self.learner.run, self._service.reads
        alone = {
            each.user
            for each in run.things.callers
            if not each.made and self._service.key(ModelCall("get_me", each.token)) not in reads
        }
        named = chosen_values(run.shapes.answer(here.declared), predicted.body) if predicted.status < 400 else ()
        return any(kind == "users" and value in alone for kind, value in named)

    def _is_over(self, predicted: Reply, reply: Reply) -> bool:
        """Return whether a token is refused that the model accepts: for no reason that has a code of its own."""
        run = self.learner.run
        others = {in_force(run.profile, entry) for reason, entry in CODE.items() if reason not in _CREDENTIAL}
        code = _code(reply)
        return predicted.status != 401 and (code is None or code not in others)

    def _why_not(self, call: ModelCall) -> str:
        """Return why a call, with the ids of the service, cannot be followed; "" when it can."""
        run = self.learner.run
        others, named = run.discovery.others, list(call.names())
        for kind, there in named:
            if (kind, there) in self._unknown:
                return f"it names one of the {kind} that a call changed which could not be followed"
            seen = run.known.met(kind, there) or (kind, run.known.model(kind, there)) in run.things
            if kind not in _KNOWN and not seen:
                return f"it names one of the {kind} that was not seen made"
        alone = {kind for kind, _ in named} <= _PEOPLE and not _describes(run, call)
        if alone and any(kind == "users" and there in others for kind, there in named):
            return "it is about a user of before, of whom only a description is known"
        return why_not(run, call, is_stored=self._service.key(call) in self._service.reads)

    def _appears(self, call: ModelCall, reply: Reply) -> str:
        """Store what an answer says of a thing of before, and return that it does; "" when it says nothing new."""
        run = self.learner.run
        found = grown(run, call, reply)
        if found is None or found[0] in self._unknown:
            return ""
        named, now = found
        before = run.discovery.before.get(named)
        run.discovery.before[named] = now
        if self.learner.again(self._forget_stand_ins) and self._is_expected(call, reply):
            return f"it describes one of the {named[0]} of before, which is known from now on"
        del run.discovery.before[named]
        if before is not None:
            run.discovery.before[named] = before
        self.learner.again(self._forget_stand_ins)
        self._unknown.add(named)
        return f"it describes one of the {named[0]} of before that the model cannot have"

    def _is_expected(self, call: ModelCall, reply: Reply) -> bool:
        run = self.learner.run
        predicted = run.model.imagine(call.renamed(run.known.model)).reply
        return Comparison(run.shapes, run.known.copy()).difference(call.declared, predicted, reply) is None

    def _appear(self, call: ModelCall, reply: Reply) -> bool:
        """Store the users of before whom an answer describes; return whether the model was made anew with one."""
        run = self.learner.run
        if not _describes(run, call) or reply.status >= 400:
            return False
        words: Any = in_force(run.profile, KIND_WORDS)
        plain_kinds = {words[each] for each in _PLAIN}
        views = reply.body if isinstance(reply.body, list) else [reply.body]
        new = {
            each["id"]: each
            for each in views
            if isinstance(each, dict)
            and each.keys() >= _DESCRIPTION
            and each["kind"] in plain_kinds
            and not run.known.met("users", each["id"])
        }
        if not new:
            return False
        run.discovery.others.update(new)
        if self.learner.again(self._forget_stand_ins):
            return True
        for id in new:
            del run.discovery.others[id]
        return False

    def _take(self, here: ModelCall, there: ModelCall, reply: Reply) -> str:
        learner = self.learner
        recording = learner.recordings[-1]
        try:
            step = recording.run.took(here, reply)
        except Misuse:
            return "the model cannot be asked so"
        recording.add(there, step)
        self._comings.note(recording.run, there, reply)
        for id in step.predicted.used:
            self._counts.setdefault(id, [0, 0])[step.difference is not None] += 1
        try:
            learner.take_up(step)
        except Apart:
            self._begin(Correspondence())
        if len(recording.exchanges) > _MOST:
            self._begin(Correspondence())
        return ""

    def _store(self, call: ModelCall, reply: Reply) -> None:
        """Store an answer that shows earlier state, and make the model anew with it."""
        key = self._service.key(call)
        if call.declared.changes or reply.status >= 400 or call.query or key in self._service.reads:
            return
        if not self.learner.run.discovery.reads.forget(call):
            return
        self._service.reads[key] = reply
        try:
            self.learner.again(self._forget_stand_ins)
        except Misuse:  # no model can be made of it
            del self._service.reads[key]
            self.learner.run.discovery.reads.forget(call)

    def conclude(self) -> ObserveReport:
        """Return the report of the exchanges so far."""
        evidence, report = self.learner.evidence, self.report
        report.learned = {id: plain(value) for id, value in evidence.learned().items()}
        report.confirmed = evidence.confirmed()
        report.passed_over = dict(self._passed.most_common())
        report.unanswered = dict(self._unanswered.most_common())
        report.contradicted = self.learner.contradicted
        report.evidence = {
            id: Evidence(plain(evidence.value(id)), *count) for id, count in sorted(self._counts.items())
        }
        return report


def _taken(profile: Mapping[str, Any]) -> frozenset[str]:
    """Return the codes with which a name is refused that something has."""
    return frozenset(in_force(profile, entry) for reason, entry in CODE.items() if reason.name.endswith("_TAKEN"))


def _code(reply: Reply) -> Any:
    return reply.body.get("code") if isinstance(reply.body, dict) else None


def _describes(run: Run, call: ModelCall) -> bool:
    """Return whether a call reads a description of users, one or a list."""
    shape = run.shapes.answer(call.declared)
    shape = shape.element if isinstance(shape, Elements) else shape
    if call.declared.changes or call.declared.about_caller or not {kind for kind, _ in call.names()} <= _PEOPLE:
        return False
    return isinstance(shape, ObjectShape) and shape.fields.keys() >= _DESCRIPTION
