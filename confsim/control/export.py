"""The journal as something to be run again: as curl lines, as a pytest test, as a scenario.

Tokens appear as they were sent, for they are fake. What the control plane was ordered between the calls is repeated
with them, so that a fresh world of the same start goes through the same.
"""

from __future__ import annotations

import json
import shlex
from base64 import b64encode
from collections.abc import Iterator
from enum import StrEnum
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

import msgspec
from msgspec import Struct

from confsim.api.catalogue import API
from confsim.assumptions.protocol import transport, wire
from confsim.assumptions.register import ProfileContext, in_force
from confsim.contract.encode import Raw
from confsim.contract.operation import Operation
from confsim.contract.query import query_of
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service import loading
from confsim.service.brought import HEADER, QUERY
from confsim.service.credential import present
from confsim.service.journal import Entry, Ordered
from confsim.service.message import Request
from confsim.service.pipeline import HOST, Service
from confsim.transport.address import route

from .control import CONTROL, Control, operation
from .journal import Pattern, below, matching

#: Header lines that belong to the transport of a call, and not to what it says.
_TRANSPORT = frozenset({"accept-encoding", "connection", "content-length", "host", "transfer-encoding", "user-agent"})
#: Bytes of a body that are written as a word of a command; systems take words of up to 128 KB.
_LONGEST_WORD = 100_000
#: Orders that move the clock: where it is then, the instants of the calls tell.
MOVING = frozenset({"advance_clock", "freeze_clock", "resume_clock", "run_clock", "set_clock"})


class Kind(StrEnum):
    """What a journal is written as."""

    CURL = "curl"
    PYTEST = "pytest"
    SCENARIO = "scenario"


@operation("GET /requests/export")
def export_requests(
    control: Control,
    *,
    as_: Kind,
    operation: str | None = None,
    method: str | None = None,
    path: str | None = None,
    status: int | None = None,
    limit: int | None = None,
) -> Raw:
    """Write the calls as ``curl`` lines, as a ``pytest`` test with the fixture, or as a ``scenario`` (Arazzo).

    All of them, with what the control plane was ordered between them; or those that match, the last so many of them.
    Test and scenario hold on a fresh world of the same start, where the whole journal is there. Misuse (404) for an
    unknown operation.
    """
    from .export_arazzo import as_scenario
    from .export_pytest import as_test

    pattern = Pattern(operation=operation, method=method, path=path, status=status)
    entries = list(matching(control, pattern))
    if limit is not None:
        entries = entries[max(0, len(entries) - limit) :]
    whole = pattern == Pattern() and limit is None
    calls = list(_merged(control, entries, control.service.journal.orders if whole else ()))
    if as_ is Kind.CURL:
        return Raw("text/plain; charset=utf-8", as_curl(control, calls).encode())
    if as_ is Kind.PYTEST:
        return Raw("text/x-python; charset=utf-8", as_test(control.service, calls).encode())
    return Raw("application/json", as_scenario(control, calls))


class Asked(Struct, frozen=True, kw_only=True):
    """A call as it can be made again.

    ``target`` is the path below the mount. ``headers`` are those that say something, beside the token. ``operation``
    is there when the call is nothing but a call of an operation: with these ``texts`` by parameter of the path, and
    these ``values`` by parameter of the query.
    """

    entry: Entry
    target: str
    query: str
    headers: dict[str, str]
    token: str | None
    operation: Operation | None
    texts: dict[str, str]
    values: dict[str, str]

    @property
    def at(self) -> int:
        """The instant at which it was made."""
        return self.entry.at

    @property
    def steers(self) -> bool:
        """Whether the call itself says when it is, or a fault has it take its time: its instant is not the clock's."""
        if HEADER in self.entry.request.headers or QUERY in self.entry.request.query:
            return True
        return any(isinstance(hit.do, dict) and "clock" in hit.do for hit in self.entry.fault)


def _merged(control: Control, entries: list[Entry], orders: Any) -> Iterator[Asked | Ordered]:
    """Calls and orders in the order in which they were made."""
    waiting = list(orders)
    for entry in entries:
        while waiting and waiting[0].after < entry.number:
            yield waiting.pop(0)
        yield asked(control, entry)
    yield from waiting


def asked(control: Control, entry: Entry) -> Asked:
    """The call behind an entry."""
    service, request = control.service, entry.request
    headers = {name: text for name, text in request.headers.items() if name not in _TRANSPORT}
    if headers.get("accept") == "*/*":
        del headers["accept"]
    values, plain = _values(service, request.query)
    token = entry.token
    if token is None:
        token = _taken(service, headers, values)
    target = below(control, entry)
    performed = API.get(entry.operation)
    texts = None if performed is None else _texts(service, performed, request.method, target)
    says = set(headers) - {"content-type"}
    simple = performed is not None and texts is not None and plain and not says and QUERY not in values
    return Asked(
        entry=entry,
        target=target,
        query=request.query,
        headers=headers,
        token=token,
        operation=performed if simple else None,
        texts=texts or {},
        values=values,
    )


def _values(service: Service, query: str) -> tuple[dict[str, str], bool]:
    """The parameters of a query, and whether they are all there is to it."""
    try:
        values = query_of(ProfileContext(service.profile), query)
    except Refusal:
        return {}, False
    return values, parse_qsl(query, keep_blank_values=True) == list(values.items())


def _taken(service: Service, headers: dict[str, str], values: dict[str, str]) -> str | None:
    """The token, taken out of headers or query, where it stands as a client of this double presents it."""
    try:
        token = service.token(Request("", "", headers=headers), values)
    except Refusal:
        return None
    if token is None:
        return None
    lines, query = presented(service, token)
    lines = {name.lower(): text for name, text in lines.items()}
    if any(headers.get(name) != text for name, text in lines.items()) or not query.keys() <= values.keys():
        return None
    for name in lines:
        del headers[name]
    for name in query:
        del values[name]
    return token


def presented(service: Service, token: str) -> tuple[dict[str, str], dict[str, str]]:
    """The headers and the query by which a token is presented."""
    return present(in_force(service.profile, wire.PRESENTATION), token)


def _texts(service: Service, performed: Operation, method: str, target: str) -> dict[str, str] | None:
    """The parameters in the path, None when it is not that of the operation."""
    wanted, path = performed.route(service.profile)
    prefix = in_force(service.profile, transport.PREFIX)
    ours, theirs = f"{prefix}{path}".split("/"), target.split("/")
    if method != wanted or len(ours) != len(theirs):
        return None
    texts = {}
    for our, their in zip(ours, theirs, strict=True):
        if our.startswith("{"):
            texts[our[1:-1]] = unquote(their)
            if quote(unquote(their), safe="") != quote(their, safe="%"):
                return None
        elif our != their:
            return None
    return texts


def readdressed(entry: Entry, service: Service, raw: bytes, address: str) -> bytes:
    """The body with the address that the call was made by, or that was set for all, replaced by another."""
    was = f"//{entry.request.headers.get('host', HOST)}{service.mount}".encode()
    if service.public_url:
        scheme = in_force(service.profile, transport.SCHEME)
        raw = raw.replace(f"{service.public_url}{service.mount}".encode(), f"{scheme}://{address}".encode())
    return raw.replace(was, f"//{address}".encode())


def json_of(raw: bytes) -> tuple[bool, Any]:
    """Whether the bytes are JSON that can be written down as its value, and that value."""
    try:
        value = json.loads(raw, object_pairs_hook=_object, parse_constant=_Strange.told, parse_float=_number)
        msgspec.json.encode(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False, None
    return True, value


class _Strange(ValueError):
    """What no value stands for: a name that is there twice, or a number that is none."""

    @classmethod
    def told(cls, text: str) -> Any:
        """Raise it."""
        raise cls(text)


def _number(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _Strange.told(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else _Strange.told("a name is there twice")


def start(service: Service) -> str | None:
    """The name of what the world started from, None when it was no world that can be named."""
    name, origin = service.made_from, service.origin
    if not name:
        return None
    try:
        world = loading.load(name, origin.seed, service.profile)
    except Misuse:
        return None
    return name if world is origin or world.digest() == origin.digest() else None


# curl


def as_curl(control: Control, calls: list[Asked | Ordered]) -> str:
    """One line for each call, after a comment that tells which it was."""
    return "".join(
        _ordered_line(control, each) if isinstance(each, Ordered) else _line(control, each) for each in calls
    )


def _line(control: Control, call: Asked) -> str:
    entry, service = call.entry, control.service
    told = f"# {entry.id} {entry.operation or 'no operation'} -> {entry.response.status}\n"
    if entry.request.fault:
        return f"{told}# cannot be repeated: {entry.request.fault}\n"
    headers: dict[str, str | None] = {**call.headers}
    query = call.query
    if call.token is not None:
        lines, more = presented(service, call.token)
        headers = {**lines, **headers}
        if more and not all(name in dict(parse_qsl(query)) for name in more):
            query = "&".join(filter(None, (query, urlencode(more))))
    body = entry.request.body
    if body and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json" if json_of(body)[0] else None
    url = control.root + quote(call.target + (f"?{query}" if query else ""), safe="%/?:@!$&'()*+,;=~-._")
    body = readdressed(entry, service, body, control.root.partition("://")[2])
    return told + _curl(entry.request.method, url, headers, body)


def _ordered_line(control: Control, order: Ordered) -> str:
    method, target = route(CONTROL[order.operation], order.path, {})
    headers: dict[str, str | None] = {"Content-Type": "application/json"} if order.body else {}
    return f"# {order.operation}\n" + _curl(method, control.root + target, headers, order.body)


def _curl(method: str, url: str, headers: dict[str, str | None], body: bytes) -> str:
    """The line; a header that is None is one that curl would send by itself, and is not to."""
    words = ["curl", "--silent"]
    words += ["--head"] if method == "HEAD" else [] if method == "GET" and not body else ["-X", method]
    words.append(url)
    for name, text in headers.items():
        words += ["-H", f"{name}:" if text is None else f"{name}: {text}" if text else f"{name};"]
    before = ""
    if body:
        try:
            text = body.decode()
            if "\0" in text or text.startswith("@") or len(body) > _LONGEST_WORD:
                raise ValueError
            words += ["--data-raw", text]
        except ValueError:
            before = f"echo {b64encode(body).decode()} | base64 -d | "
            words += ["--data-binary", "@-"]
    return f"{before}{shlex.join(words)}\n"
