"""One request through the simulated service: credential, gate, decode, operation, encode.

The order of the checks is that of G040: credential, terms, service, path, for_client, existence, role, query and body,
state. A refused call drops its change, so it leaves no trace but its journal entry.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from threading import RLock
from typing import Any

from confsim.api import admission
from confsim.api.call import Call
from confsim.assumptions import parsing, roles, sizes, wire
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, peek
from confsim.contract.decode import query_of, wrong
from confsim.contract.encode import encode
from confsim.contract.gates import Grant
from confsim.contract.operation import Operation
from confsim.domain import clients, credentials, terms
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change, Fired, World, settle

from .clock import Clock
from .credential import presentation
from .errors import refused
from .journal import Entry, Journal
from .message import Request, Response

#: The host in URLs of answers to a call that names none, as in process.
HOST = "confsim.test"
#: The token is to be read from the request.
FROM_REQUEST = object()


class Service:
    """One world being served: its value, its clock, its profile, its journal.

    ``origin`` is the world that a reset brings back. ``bugs`` collects what confsim itself did wrong, for the fixture to
    raise in the test. ``mount`` is the path of the world on its server, empty at the root.
    """

    def __init__(self, world: World, clock: Clock, profile: Mapping[str, Any]) -> None:
        self.origin = world
        self.world = world
        self.clock = clock
        self.profile = profile
        self.journal = Journal()
        self.bugs: list[BaseException] = []
        self.mount = ""
        self.lock = RLock()
        self._token = presentation(profile.get(wire.PRESENTATION.id, wire.PRESENTATION.default))

    def settle(self, until: int, *, once: bool = False) -> list[Fired]:
        """Let everything due by the instant fall due, in order."""
        with self.lock:
            self.world, fired = settle(self.world, until, self.profile, once=once)
            return fired

    def change(self) -> Change:
        """A change at this instant, after everything due has fallen due; ``commit`` puts it in force."""
        now = self.clock.now()
        if self.world.timers.due <= now:
            self.settle(now)
        return Change(self.world, now, self.profile)

    def commit(self, change: Change) -> None:
        """Put the change in force."""
        self.world = change.commit()

    def perform(
        self,
        operation: Operation,
        path: tuple[str, ...],
        query: str | dict[str, str],
        request: Request,
        token: object = FROM_REQUEST,
    ) -> Response:
        """One call of an operation. ``path`` holds the decoded texts of the path parameters in their order.

        ``token`` is the caller's token, None for none; by default it is read from the request.
        """
        with self.lock:
            change = self.change()
            call = Call(operation, change, f"http://{request.headers.get('host', HOST)}{self.mount}")
            before = after = change.world
            touched: list[Any] = []
            try:
                result = self._run(call, path, query, request, token)
                status, kind, body = encode(call, operation, result)
                response = Response(status, [("Content-Type", kind)] if kind else [], body)
                after = self.world = change.commit()
                touched = change.touched
            except Refusal as refusal:
                response = refused(call, refusal)
            except Exception as bug:
                response = self._bug(call, bug)
            self._note(operation.name, request, response, change, before, after, touched)
            return response

    def refuse(self, request: Request, refusal: Refusal) -> Response:
        """The answer to a request that reached no operation, noted in the journal as unmatched."""
        with self.lock:
            change = self.change()
            response = refused(change, refusal)
            self._note("", request, response, change, change.world, change.world, [])
            return response

    def _run(
        self, call: Call, path: tuple[str, ...], query: str | dict[str, str], request: Request, token: object
    ) -> Any:
        operation, change = call.operation, call.change
        values = query_of(query) if isinstance(query, str) else query
        public = Grant.PUBLIC in operation.gate.grants
        if not public:
            self._identify(call, self._token(request, values) if token is FROM_REQUEST else token)
        arguments: list[Any] = [
            parameter.read(call, parameter.where, text)
            for parameter, text in zip(operation.path_parameters, path, strict=True)
        ]
        if operation.for_client and "for_client" in values:
            self._enter_child(call, values["for_client"])
        for place, parameter in enumerate(operation.path_parameters):
            if parameter.resolve is not None:
                arguments[place] = parameter.resolve(call, arguments[place])
        if public:
            if operation.changes and not clients.served(change, call.client):
                raise Refusal(Reason.SERVICE_DISABLED, client=call.client.id)
        else:
            admission.admit(call)
        named = self._queried(call, values)
        body = operation.body
        if body is not None:
            named["body"] = body.read(call, self._body(call, request))
        return operation.function(call, *arguments, **named)

    def _identify(self, call: Call, token: object) -> None:
        if token is None or token == "":
            raise Refusal(Reason.CREDENTIAL_MISSING)
        caller = credentials.authenticate(call.change, str(token))
        client = caller.client
        call.caller, call.client = caller, client
        if (
            caller.user is not None
            and terms.blocked(client, caller.user)
            and call.operation.name not in ask(call, wire.BEFORE_TERMS)
        ):
            raise Refusal(Reason.TERMS_NOT_ACCEPTED, termsUrl=client.terms.url)
        if not clients.served(call.change, client):
            self._refuse_disabled(call)

    def _refuse_disabled(self, call: Call) -> None:
        operation = call.operation
        everything = ask(call, wire.WHILE_DISABLED) == "everything"
        if not (everything or operation.changes or operation.runtime):
            return
        if operation.name not in ask(call, wire.OPEN_WHILE_DISABLED):
            raise Refusal(Reason.SERVICE_DISABLED, client=call.client.id)

    def _enter_child(self, call: Call, id: str) -> None:
        """for_client: the call runs in the context of a child of the caller's client (P1 Conventions 7)."""
        caller = call.caller
        assert caller is not None
        if not id:
            raise wrong("query for_client", "it is empty")
        if not caller.partner_admin and not (
            caller.api_token is not None and caller.client.reseller and ask(call, roles.API_TOKEN_FOR_CLIENT)
        ):
            raise Refusal(Reason.ROLE_MISSING, operation="for_client", gate=Grant.PARTNER_ADMIN)
        if not caller.client.reseller:
            raise Refusal(Reason.RESELLER_DISABLED, client=caller.client.id)
        if id == caller.client.id and ask(call, roles.FOR_CLIENT_OWN):
            return
        child = clients.CLIENTS.of(call.change).get(id)
        if child is None or child.parent != caller.client.id:
            raise Refusal(Reason.FOR_CLIENT_REFUSED)
        call.client = child
        if not clients.served(call.change, child):
            self._refuse_disabled(call)

    def _queried(self, call: Call, values: dict[str, str]) -> dict[str, Any]:
        named: dict[str, Any] = {}
        parameters = call.operation.query_parameters
        for parameter in parameters:
            text = values.get(parameter.name)
            if text == "" and parameter.wire is not str and peek(call, parsing.EMPTY_QUERY) == "absent":
                ask(call, parsing.EMPTY_QUERY)
                text = None
            if text is not None:
                named[parameter.keyword] = parameter.read(call, parameter.where, text)
            elif parameter.required:
                raise wrong(parameter.where, "it is missing")
        if values and peek(call, parsing.UNKNOWN_QUERY) == "refuse":
            known = {parameter.name for parameter in parameters}
            for name in values:
                if name not in known and not (name == "for_client" and call.operation.for_client):
                    ask(call, parsing.UNKNOWN_QUERY)
                    raise wrong(f"query {name}", "no such parameter")
        return named

    def _body(self, call: Call, request: Request) -> bytes:
        body, raw = call.operation.body, request.body
        assert body is not None
        if not body.is_json or not raw:
            return raw
        if len(raw) > peek(call, sizes.JSON_BODY):
            raise Refusal(Reason.BODY_TOO_LARGE, limit=ask(call, sizes.JSON_BODY))
        kind = request.headers.get("content-type")
        if kind is not None:
            kind = kind.lower()
            if kind != "application/json" and not _json(kind) and ask(call, parsing.CONTENT_TYPE) == "refuse":
                raise Refusal(Reason.UNSUPPORTED_MEDIA_TYPE, expected="application/json", given=kind)
        return raw

    def _bug(self, call: Call, bug: Exception) -> Response:
        self.bugs.append(bug)
        reference = "".join(traceback.format_exception_only(bug)).strip()
        return refused(call, Refusal(Reason.INTERNAL_ERROR, reference=reference))

    def _note(
        self,
        name: str,
        request: Request,
        response: Response,
        change: Change,
        before: World,
        after: World,
        touched: list[Any],
    ) -> None:
        id = self.journal.next_id()
        response.headers.append(("X-Confsim-Request-Id", id))
        self.journal.add(
            Entry(id, change.now, name, request, response, tuple(change.used), touched, before, after)
        )


def _json(kind: str) -> bool:
    """Whether the media type is JSON in UTF-8."""
    essence, _, parameters = kind.partition(";")
    charset = parameters.strip().removeprefix("charset=").strip('"') if "charset" in parameters else "utf-8"
    return essence.strip() == "application/json" and charset in {"utf-8", "utf8"}
