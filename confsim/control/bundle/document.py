"""The document of a bundle: the start of a journal, its calls, and their answers."""

from __future__ import annotations

import re
from base64 import b64decode
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from confsim.canonical.form import FormLevel, Forms
from confsim.control.export.literals import in_base64
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World
from confsim.service.clock import instant
from confsim.service.entries import DeliveryNote
from confsim.service.files import reading
from confsim.service.messages import Request, Response

_CALL_ID = re.compile(r"r[1-9][0-9]{0,17}")
#: The number of the bundle format. Format 1 has no webhooks and no named stand-ins. Up to format 2, timers of one
#: instant fired in the order in which they were set, which a replay may show. Up to format 3, the digest is that of the
#: bytes of the last world, which another version stores otherwise: a replay leaves it out and says so.
FORMAT = 4
#: The first format whose digest is that of the form of the last world.
FIRST_WITH_FORM = 4


class Bytes(Struct, frozen=True, forbid_unknown_fields=True):
    """Bytes that are not UTF-8."""

    base64: str


Content = str | Bytes


def content(raw: bytes) -> Content:
    """Return bytes as a text, or in Base64 when they are not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return Bytes(in_base64(raw))


def raw(content: Content) -> bytes:
    """Return the bytes of a content. Raises ValueError for invalid Base64."""
    return content.encode() if isinstance(content, str) else b64decode(content.base64, validate=True)


class SentRequest(Struct, frozen=True, kw_only=True):
    """A request as it arrived over HTTP, or as a call in Python made it."""

    method: str
    target: str
    query: str = ""
    headers: dict[str, str] = {}
    body: Content = ""
    fault: str = ""
    problem: str = ""

    def request(self) -> Request:
        """Return the request record."""
        return Request(
            self.method, self.target, self.query, dict(self.headers), raw(self.body), self.fault, self.problem
        )


class RecordedAnswer(Struct, frozen=True, kw_only=True):
    """A recorded answer: status, header lines in order, body; a fault dropped the connection at byte ``cut``."""

    status: int
    headers: list[tuple[str, str]]
    body: Content = ""
    cut: int | None = None


def recorded(response: Response) -> RecordedAnswer:
    """Return a response in the form of a bundle."""
    headers = [(name, value) for name, value in response.headers]
    return RecordedAnswer(status=response.status, headers=headers, body=content(response.body), cut=response.cut)


class EntryPoint(StrEnum):
    """The door of a call: HTTP, Python or a scenario."""

    HTTP = "http"
    PYTHON = "python"
    SCENARIO = "scenario"


#: Digest or state after a call, by which a replay is checked.
NOT_SET = Raw(b"null")


class BundledCall(Struct, frozen=True, kw_only=True):
    """A call of the API or of the control plane, or the result of a webhook delivery between calls."""

    id: str
    #: The instant of the clock, in epoch milliseconds.
    at: int
    #: The operation of the API; "" for a control call.
    operation: str = ""
    #: Request and answer of a call over HTTP.
    request: SentRequest | None = None
    answer: RecordedAnswer | None = None
    entry: EntryPoint = EntryPoint.HTTP
    #: For a call in Python or of a scenario: its token, path parameters (texts), and query values.
    token: str | None = None
    texts: dict[str, str] = {}
    values: dict[str, str] = {}
    #: Whether the call has its own instant and does not move the clock.
    own_instant: bool = False
    #: Whether its Host header named another server.
    foreign_host: bool = False
    #: The control operation, with its arguments below; "" for a call of the API.
    control: str = ""
    #: The result of a webhook delivery between calls; then this is no call.
    delivery: DeliveryNote | None = None
    path: tuple[str, ...] = ()
    query: dict[str, str] = {}
    body: Content = ""
    #: For a call that cannot be replayed: the reason, the state document after it, and the remaining faults.
    why: str = ""
    after: Raw = NOT_SET
    faults: list[dict[str, Any]] | None = None


class Bundle(Struct, frozen=True, kw_only=True):
    """A journal and the state in which it starts."""

    format: int
    #: The versions of confsim and of Python.
    confsim: str
    python: str
    #: The source of the world.
    made_from: str
    profile: dict[str, Any]
    mount: str
    host: str
    public_url: str
    #: The origins of web pages that the server let call.
    origins: list[str] = []
    faults_by_request: bool
    webhooks_listed: bool
    #: The instant at which the world was started, in epoch milliseconds.
    started: int
    #: The number of the first call.
    first: int
    #: The state document before the first call.
    start: Raw
    calls: list[BundledCall]
    #: The missing parts of the history, in words.
    left_out: list[str] = []
    #: Whether the start of URLs is what the headers X-Forwarded-* say.
    trusts_proxy: bool = False
    #: Whether secrets are replaced by stand-ins.
    masked: bool = False
    #: Digest of the form of the world after the last call of the API, see ``form_digest``; "" when there is none.
    digest: str = ""
    #: Attempts to deliver webhooks, except those to the list only.
    attempts: list[DeliveryNote] = []
    #: Stand-ins of secrets that the world makes, each with the fingerprint of its secret.
    stand_ins: dict[str, str] = {}


def form_digest(world: World, at: int) -> str:
    """Return the digest of the canonical form of a world at an instant (epoch milliseconds).

    The form leaves out nothing but drawn names and how long ago all of it was: answers show the names, and a replay
    makes each call at its instant.
    """
    return Forms(FormLevel.MOVED).digest(world, at).hex()


def read(path: str | Path) -> Bundle:
    """Return the bundle in a file. Raises Misuse that names the file and the mistake."""
    whole = reading.content(path, "bundle", reading.STORED)
    try:
        return decoded(whole)
    except Misuse as misuse:
        raise Misuse(f"bundle {str(path)!r}: {misuse}") from None


def decoded(whole: bytes) -> Bundle:
    """Return the bundle in a document. Raises Misuse with the mistake and its place."""
    try:
        format = msgspec.json.decode(whole, type=_Version).format
    except (ValueError, RecursionError) as error:
        raise Misuse(f"it is not a bundle, which `confsim bundle` writes: {reading.json_problem(error)}") from None
    if not 1 <= format <= FORMAT:
        raise Misuse(f"it is of format {format}; this confsim reads formats up to {FORMAT}")
    try:
        bundle = msgspec.json.decode(whole, type=Bundle)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"it is damaged: {reading.json_problem(error)}") from None
    place = "$.started"
    try:
        instant(bundle.started)
        for number, call in enumerate(bundle.calls):
            place = f"$.calls[{number}]"
            _check(call)
    except (ValueError, Misuse) as error:
        raise Misuse(f"it is damaged: {error} - at `{place}`") from None
    return bundle


def _check(call: BundledCall) -> None:
    """Raises ValueError or Misuse for a call that no bundle has, as the types of its fields do not say it."""
    instant(call.at)
    contents = {"body": call.body}
    if call.request is not None:
        if not _CALL_ID.fullmatch(call.id):
            raise ValueError(f"the id of a call of the API is r and a number, not {call.id!r}")
        if call.answer is None:
            raise ValueError("a request without `answer`")
        if call.entry is not EntryPoint.HTTP and not call.operation:
            raise ValueError(f"a call of entry {call.entry.value!r} without `operation`")
        contents |= {"request.body": call.request.body, "answer.body": call.answer.body}
    for name, each in contents.items():
        try:
            raw(each)
        except ValueError as error:
            raise ValueError(f"the base64 of `{name}` is invalid: {error}") from None


class _Version(Struct):
    format: int
