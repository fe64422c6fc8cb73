"""The document that a bundle is: where a journal starts, its calls, and their answers."""

from __future__ import annotations

from base64 import b64decode, b64encode
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from confsim.kernel.refusal import Misuse
from confsim.service.journal import DeliveryNote
from confsim.service.messages import Request, Response

#: The number of the format of bundles.
FORMAT = 1


class Bytes(Struct, frozen=True, forbid_unknown_fields=True):
    """Bytes that are no UTF-8."""

    base64: str


Content = str | Bytes


def content(raw: bytes) -> Content:
    """Bytes as a text, or in Base64 when they are none."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return Bytes(b64encode(raw).decode())


def raw(content: Content) -> bytes:
    """The bytes of a content. Raises ValueError for what is no Base64."""
    return content.encode() if isinstance(content, str) else b64decode(content.base64, validate=True)


class SentRequest(Struct, frozen=True, kw_only=True):
    """A request as it arrived, or as a call in Python made it."""

    method: str
    target: str
    query: str = ""
    headers: dict[str, str] = {}
    body: Content = ""
    fault: str = ""
    problem: str = ""

    def request(self) -> Request:
        """The request."""
        return Request(
            self.method, self.target, self.query, dict(self.headers), raw(self.body), self.fault, self.problem
        )


class KeptAnswer(Struct, frozen=True, kw_only=True):
    """An answer: status, header lines in order, body; ``cut`` is where a fault dropped the connection."""

    status: int
    headers: list[tuple[str, str]]
    body: Content = ""
    cut: int | None = None


def kept(response: Response) -> KeptAnswer:
    """The answer that a response is."""
    headers = [(name, value) for name, value in response.headers]
    return KeptAnswer(status=response.status, headers=headers, body=content(response.body), cut=response.cut)


class EntryPoint(StrEnum):
    """Where a call came in."""

    HTTP = "http"
    PYTHON = "python"
    SCENARIO = "scenario"


#: The state after a call that can be repeated.
NOT_SET = Raw(b"null")


class BundledCall(Struct, frozen=True, kw_only=True):
    """A call of the API, or of the control plane (``control``).

    ``at`` is the instant of the clock. ``entry`` says how it came in: over HTTP, or below it by the name of its
    operation, in Python or of a scenario, with the ``texts`` of its path, the ``values`` of its query and its
    ``token``. One that only has a ``delivery`` is the result of a webhook that came between calls. One that has its own
    instant does not move the clock. ``after`` is set where a replay cannot repeat it:
    the state document that it left, and the ``faults`` that remained, with ``why``.
    """

    id: str
    at: int
    operation: str = ""
    request: SentRequest | None = None
    answer: KeptAnswer | None = None
    entry: EntryPoint = EntryPoint.HTTP
    token: str | None = None
    texts: dict[str, str] = {}
    values: dict[str, str] = {}
    own_instant: bool = False
    foreign_host: bool = False
    control: str = ""
    delivery: DeliveryNote | None = None
    path: tuple[str, ...] = ()
    query: dict[str, str] = {}
    body: Content = ""
    why: str = ""
    after: Raw = NOT_SET
    faults: list[dict[str, Any]] | None = None


class Bundle(Struct, frozen=True, kw_only=True):
    """A journal and its start. ``first`` is the number of its first call; ``left_out`` says what is not in it.

    ``made_from`` says what its world was made from, ``digest`` is the fingerprint of the world after the last call of
    the API; empty where there is none. In one that is ``masked`` others stand in the place of secrets; those of secrets
    that the world makes are in ``stand_ins``, each with the fingerprint of what it stands for. ``attempts`` are those
    to deliver webhooks, beside those that were taken as delivered.
    """

    format: int
    confsim: str
    python: str
    made_from: str
    profile: dict[str, Any]
    mount: str
    host: str
    public_url: str
    faults_by_request: bool
    webhooks_listed: bool
    started: int
    first: int
    start: Raw
    calls: list[BundledCall]
    left_out: list[str] = []
    masked: bool = False
    digest: str = ""
    attempts: list[DeliveryNote] = []
    stand_ins: dict[str, str] = {}


def read(path: str | Path) -> Bundle:
    """The bundle of a file. Misuse that names the file, and what in it is wrong."""
    try:
        return decoded(Path(path).read_bytes())
    except OSError as error:
        raise Misuse(f"bundle {str(path)!r}: {error.strerror or error}") from None
    except Misuse as misuse:
        raise Misuse(f"bundle {str(path)!r}: {misuse}") from None


def decoded(whole: bytes) -> Bundle:
    """The bundle of a document. Misuse that says what in it is wrong, and where."""
    try:
        format = msgspec.json.decode(whole, type=_Version).format
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Misuse(f"it is no bundle: {error}") from None
    if format != FORMAT:
        raise Misuse(f"it is of format {format}; this confsim reads format {FORMAT}")
    try:
        return msgspec.json.decode(whole, type=Bundle)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Misuse(f"it is damaged: {error}") from None


class _Version(Struct):
    format: int
