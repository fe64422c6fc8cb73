"""An incoming call, made from a request by the app or by a caller in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from confsim.assumptions.register import ProfileContext
from confsim.contract.operation import Operation
from confsim.contract.query import decode_query
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change

from .checks.credentials import Read
from .faults.per_request import without_override
from .messages import Request, Response

#: A function that makes the final response, which the journal notes; it may use assumptions.
Finish = Callable[[Response, Change], Response]


class Incoming(Struct, gc=False):
    """A call of an operation.

    ``path`` has the decoded path parameters in their order, ``query`` those of the query by name; ``token`` is the
    caller's, None for none, and ``request`` the message for the journal. ``from_request`` says whether query and token
    were read from it: then ``query_refusal`` and ``token_refusal`` are their mistakes, and ``used`` and ``query_used``
    the assumptions that routing and the query used. ``finish`` makes the final response.
    """

    operation: Operation
    path: tuple[str, ...]
    query: dict[str, str]
    token: str | None
    request: Request
    from_request: bool = False
    query_refusal: Refusal | None = None
    token_refusal: Refusal | None = None
    used: Mapping[str, None] | None = None
    query_used: Mapping[str, None] | None = None
    finish: Finish | None = None


def incoming(
    token_of: Read,
    by_request: bool,
    request: Request,
    operation: Operation,
    path: tuple[str, ...],
    context: ProfileContext,
    finish: Finish | None = None,
) -> Incoming:
    """Return the call in a request.

    ``token_of`` reads the token by the presentations in force. With ``by_request``, which lets requests carry faults,
    the query is read without their parameter.
    """
    query: dict[str, str] = {}
    query_used = None
    text = request.query
    if text:
        reading = ProfileContext(context.profile)
        query_used = reading.used
        try:
            query = decode_query(reading, without_override(text) if by_request else text)
        except Refusal as refusal:
            bare = refusal.without_frames()
            return Incoming(operation, path, query, None, request, True, bare, None, context.used, query_used, finish)
    try:
        token, token_refusal = token_of(request, query), None
    except Refusal as refusal:
        token, token_refusal = None, refusal.without_frames()
    return Incoming(operation, path, query, token, request, True, None, token_refusal, context.used, query_used, finish)
