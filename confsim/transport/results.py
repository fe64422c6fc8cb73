"""Results of calls in process, read from responses over the wire."""

from __future__ import annotations

from typing import Any

import msgspec

from confsim.contract.encode import Raw
from confsim.contract.operation import Operation
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Answer, Response

_PROBLEM = "application/problem+json"
#: Fields of a problem document (RFC 9457) that are no facts.
_STANDARD = {"type", "title", "status", "detail"}
#: Header lines that belong to the connection, not to the answer.
_CONNECTION = {"Connection", "Content-Length"}


def answer_of(operation: str, response: Response) -> Answer:
    """Return the answer of ``Simulator.call`` for a response. Raises Misuse for a refusal of the simulator itself."""
    raise_problem(response)
    headers = [line for line in response.headers if line[0] not in _CONNECTION]
    return Answer(Response(response.status, headers, response.body), operation)


def result_of(operation: Operation, response: Response) -> Any:
    """Return the result of a control operation for a response. Raises Misuse for a problem document."""
    raise_problem(response)
    kind = operation.result
    if kind is Raw:
        return Raw(dict(response.headers)["Content-Type"], response.body)
    return msgspec.convert(msgspec.json.decode(response.body), kind)


def raise_problem(response: Response) -> None:
    """Raise the Misuse in the response, if it is a problem document with a detail.

    Errors of the API that are problems, by ``errors.body``, have none.
    """
    if dict(response.headers).get("Content-Type") == _PROBLEM:
        problem = msgspec.json.decode(response.body)
        if "detail" in problem:
            facts = {name: value for name, value in problem.items() if name not in _STANDARD}
            raise Misuse(problem["detail"], response.status, **facts)
