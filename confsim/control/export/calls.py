"""The calls of a journal, prepared for export: what must be sent again, without what belongs to the transport.

Tokens by which calls were made are exported as they were sent, since they are fake; others are masked. Control calls
are included in order, so that a fresh world with the same start goes through the same states.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.api.call import HOST
from confsim.api.catalogue import API
from confsim.assumptions.protocol import transport, wire
from confsim.assumptions.register import ProfileContext, in_force
from confsim.contract.operation import Operation
from confsim.contract.query import decode_query
from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL
from confsim.control.journal_view import below
from confsim.control.operations.state import put_state, restore_moment
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.checks.credentials import present
from confsim.service.entries import ControlCall, JournalEntry
from confsim.service.faults.holding import CHANGED, DROPPED
from confsim.service.faults.per_request import HEADER, QUERY
from confsim.service.files import state, world_file
from confsim.service.masking import Mask
from confsim.service.messages import Request
from confsim.service.service import Service
from confsim.values.plain import DEEPEST, is_deep
from confsim.values.urls import normalised, path_segments

#: Headers that belong to the transport of a request, not to its meaning.
_TRANSPORT = frozenset({"accept-encoding", "connection", "content-length", "host", "transfer-encoding", "user-agent"})
#: Headers that the answer of an operation may depend on, beside those of the profile.
_READ = frozenset({"content-encoding", "content-type", "if-none-match", "if-range", "range", HEADER})


_OF_BODY = frozenset({"content-type"})


class ApiCall(Struct, frozen=True, kw_only=True):
    """An API call in a form that can be repeated.

    ``target`` is the path below the mount. ``headers`` are those that the answer may depend on, without the token; when
    the request matched no operation, all except those of the transport. ``other_headers`` are the client's other
    headers, except its default Accept. ``operation`` is set when path and query are those of the operation, with the
    ``texts`` of its path parameters and the ``values`` of its query parameters; it is None when only the request itself
    is complete.
    """

    entry: JournalEntry
    target: str
    query: str
    headers: dict[str, str]
    other_headers: dict[str, str]
    token: str | None
    operation: Operation | None
    texts: dict[str, str]
    values: dict[str, str]

    @property
    def at(self) -> int:
        """The instant of the call."""
        return self.entry.at

    @property
    def by_name(self) -> bool:
        """Whether operation, parameters, body and token are complete: no other header matters."""
        plain = self.operation is not None and self.entry.request.method != "HEAD"
        return plain and not self.other_headers and not self.headers.keys() - _OF_BODY

    @property
    def sets_its_time(self) -> bool:
        """Whether the call has its own instant, set by the request or by a delaying fault, instead of the clock's."""
        if HEADER in self.entry.request.headers or QUERY in normalised(self.entry.request.query):
            return True
        return any(isinstance(hit.do, dict) and "clock" in hit.do for hit in self.entry.fault)


def merged(
    context: ControlContext,
    entries: list[JournalEntry],
    control_calls: Sequence[ControlCall],
    *,
    handshakes: bool = False,
) -> Iterator[ApiCall | ControlCall]:
    """Yield calls of the API and of the control plane, in their order; with ``handshakes`` those of websockets too.

    A user who joined by a handshake appears as a control call beside it. Faults that hold calls are left out: a replay
    makes one call after the other.
    """
    waiting = [call for each in map(_repeatable, control_calls) if (call := _without_holds(each)) is not None]
    for entry in entries:
        while waiting and waiting[0].after < entry.number:
            yield waiting.pop(0)
        if handshakes or not entry.handshake:
            yield api_call(context, entry)
    yield from waiting


def _repeatable(call: ControlCall) -> ControlCall:
    """Return a control call that does the same without the journal: for one that goes back, one that puts the state."""
    if call.operation != restore_moment.__name__ or call.worlds is None:
        return call
    return replace(call, operation=put_state.__name__, path=(), body=state.document(call.worlds[1]))


def _without_holds(call: ControlCall) -> ControlCall | None:
    """Return a control call without faults that hold calls; None when it adds no other fault."""
    if not CONTROL[call.operation].sets_faults or b'"hold"' not in call.body:
        return call
    given = msgspec.json.decode(call.body)
    if isinstance(given, list):
        return replace(call, body=msgspec.json.encode(never_holding(given)))
    faults = never_holding([given])
    return replace(call, body=msgspec.json.encode(faults[0])) if faults else None


def never_holding(faults: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return faults (plain values) without effects that hold a call, and without those that then have no effect."""
    found = []
    for each in faults:
        do = each.get("do")
        if isinstance(do, dict) and "hold" in do:
            each = {**each, "do": {word: value for word, value in do.items() if word not in {"hold", "holdAtMost"}}}
        if each["do"]:
            found.append(each)
    return found


def never_ran(entry: JournalEntry) -> bool:
    """Return whether a call was held and its operation never ran."""
    return any(hit.held and hit.when == "before" for hit in entry.fault)


def answer_was_replaced(entry: JournalEntry) -> bool:
    """Return whether a call was held and its answer was changed or dropped."""
    return any(hit.held in {CHANGED, DROPPED} for hit in entry.fault)


def total(service: Service) -> int:
    """Return the number of calls, dropped ones included; websocket handshakes do not count."""
    return service.journal.count - sum(each.handshake for each in service.journal)


def api_call(context: ControlContext, entry: JournalEntry) -> ApiCall:
    """Return the call of a journal entry."""
    service, request = context.service, entry.request
    performed = API.find(entry.operation)
    if performed is not None:
        request = Mask(service.profile, entry.after).repeatable(request, performed)
        entry = entry if request is entry.request else replace(entry, request=request)
    read = _headers_read(service) if entry.operation else request.headers.keys() - _TRANSPORT
    headers = {name: text for name, text in request.headers.items() if name in read}
    others = {
        name: text
        for name, text in request.headers.items()
        if name not in read and name not in _TRANSPORT and (name, text) != ("accept", "*/*")
    }
    values, plain = _values(service, request.query)
    token = entry.token
    if token is None:
        token = _take_token(service, headers, values)
    target = below(context, entry)
    texts = None if performed is None else _texts(service, performed, request.method, target)
    simple = performed is not None and texts is not None and plain and QUERY not in values
    return ApiCall(
        entry=entry,
        target=target,
        query=request.query,
        headers=headers,
        other_headers=others,
        token=token,
        operation=performed if simple else None,
        texts=texts or {},
        values=values,
    )


def _headers_read(service: Service) -> frozenset[str]:
    """Return the names, in lower case, of the headers that the answer of an operation may depend on."""
    lines = (line.partition(":")[0] for line in in_force(service.profile, wire.PRESENTATION) if line[:1] != "?")
    return _READ.union(name.lower() for name in (*lines, in_force(service.profile, transport.IDEMPOTENCY)))


def _values(service: Service, query: str) -> tuple[dict[str, str], bool]:
    """Return the parameters of a query, and whether they are all of it."""
    try:
        values = decode_query(ProfileContext(service.profile), query)
    except Refusal:
        return {}, False
    return values, parse_qsl(query, keep_blank_values=True) == list(values.items())


def _take_token(service: Service, headers: dict[str, str], values: dict[str, str]) -> str | None:
    """Remove the token from headers or query and return it; None when it is not presented as clients of confsim do."""
    try:
        token = service.token_of(Request("", "", headers=headers), values)
    except Refusal:
        return None
    if token is None:
        return None
    lines, query = presentation(service, token)
    lines = {name.lower(): text for name, text in lines.items()}
    if any(headers.get(name) != text for name, text in lines.items()) or not query.keys() <= values.keys():
        return None
    for name in lines:
        del headers[name]
    for name in query:
        del values[name]
    return token


def presentation(service: Service, token: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the headers and query parameters that present a token."""
    return present(in_force(service.profile, wire.PRESENTATION), token)


def _texts(service: Service, operation: Operation, method: str, target: str) -> dict[str, str] | None:
    """Return the path parameters, None when method and path are not those of the operation."""
    wanted, path = operation.route(service.profile)
    prefix = in_force(service.profile, transport.PREFIX)
    declared, sent = f"{prefix}{path}".split("/"), path_segments(target)
    if wanted not in (method, "GET" if method == "HEAD" else "") or len(declared) != len(sent):
        return None
    texts = {}
    for segment, text in zip(declared, sent, strict=True):
        if segment.startswith("{"):
            texts[segment[1:-1]] = unquote(text)
            if quote(unquote(text), safe="") != quote(text, safe="%"):
                return None
        elif segment != text:
            return None
    return texts


def with_address(entry: JournalEntry, service: Service, raw: bytes, address: str) -> bytes:
    """Return the body with the address of the server (that of the call, or the public one) replaced."""
    was = f"//{entry.request.headers.get('host', HOST)}{service.address.mount}".encode()
    if service.address.public_url:
        scheme = in_force(service.profile, transport.SCHEME)
        raw = raw.replace(
            f"{service.address.public_url}{service.address.mount}".encode(), f"{scheme}://{address}".encode()
        )
    return raw.replace(was, f"//{address}".encode())


#: Most bytes of a document that is indented.
_INDENTED = 2**20
#: Levels of a scenario around the payload of a step.
_AROUND = 10


def document_of(value: Any) -> bytes:
    """Return a value as a JSON document, indented unless it is large: that takes longer than all else."""
    raw = msgspec.json.encode(value)
    return msgspec.json.format(raw, indent=2) + b"\n" if len(raw) <= _INDENTED else raw


def json_of(raw: bytes) -> tuple[bool, Any]:
    """Return whether bytes are JSON that a Python value represents without loss, and that value."""
    try:
        text = raw.decode()  # fails at once for most files
        if is_deep(raw, DEEPEST - _AROUND):
            return False, None
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_NotAValue.raise_, parse_float=_number)
        msgspec.json.encode(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False, None
    return True, value


class _NotAValue(ValueError):
    """Raised for JSON that no Python value represents: a repeated name, or a number that is not finite."""

    @classmethod
    def raise_(cls, text: str) -> Any:
        """Raise the error for a part of the JSON."""
        raise cls(text)


def _number(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _NotAValue.raise_(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else _NotAValue.raise_("a name is there twice")


def starting_world(service: Service) -> str | None:
    """Return the name or path of the world that the service started from; None for a start without a name.

    The name has to make the same bytes again: exported calls name what the world has drawn.
    """
    name, origin = service.provenance.made_from, service.history.origin
    if not name:
        return None
    try:
        world = world_file.load(name, origin.seed, service.profile).world
    except Misuse:
        return None
    return name if world is origin or world.digest() == origin.digest() else None
