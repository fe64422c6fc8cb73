"""What a failing test shows of its worlds: the last calls, why some were refused, and webhooks that nobody answered."""

from __future__ import annotations

import json
from collections.abc import Iterator

from confsim.api.catalogue import API
from confsim.control.context import ControlContext
from confsim.control.journal_view import RequestInfo, describe
from confsim.control.labels.label import caller_label
from confsim.control.why.case import Case
from confsim.control.why.deciding import deciding_assumptions
from confsim.control.why.past import Past
from confsim.control.why.sentences import finding
from confsim.service.entries import JournalEntry
from confsim.service.masking import Mask
from confsim.simulator import Simulator
from confsim.transport.undeclared import undeclared

#: Journal entries that are shown, and most refused calls among the earlier ones that are shown too.
TAIL, REFUSED = 12, 3
#: Most characters of a body that are shown.
_BODY = 200


def sections(simulator: Simulator, *, verbose: bool) -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each section; ``verbose`` names all assumptions."""
    if attempts := list(_failed_attempts(simulator)):
        yield "webhooks", "\n".join(attempts[-TAIL:])
    if entries := list(simulator.service.journal):
        yield "journal", "\n".join(_journal(simulator, entries, verbose=verbose))


def _failed_attempts(simulator: Simulator) -> Iterator[str]:
    """Yield a line for each attempt to deliver a webhook that got no answer."""
    for delivery in simulator.control.unnoted()("list_deliveries"):
        for number, attempt in enumerate(delivery.attempts, 1):
            if attempt.problem:
                yield f"{delivery.id} {delivery.kind} to {attempt.url}, attempt {number}: {attempt.problem}"


def _journal(simulator: Simulator, entries: list[JournalEntry], *, verbose: bool) -> Iterator[str]:
    """Yield the lines about the last calls, and about the last refused ones before them."""
    earlier, last = entries[:-TAIL], entries[-TAIL:]
    refused = [entry for entry in earlier if entry.response.status >= 400][-REFUSED:]
    count = len(earlier) - len(refused) + simulator.service.journal.dropped
    if count:
        yield f"({count} earlier calls)"
    past = Past(simulator.service)
    for entry in (*refused, *last):
        yield from _call(past, entry, simulator.control.context, verbose=verbose)
    used = {id for entry in entries for id in entry.assumptions}
    if used and not verbose:
        yield f"{len(used)} assumption{'s' * (len(used) > 1)} used; pytest -v lists them by call"


def _call(past: Past, entry: JournalEntry, context: ControlContext, *, verbose: bool) -> Iterator[str]:
    """Yield the lines about a call: for a refused one also its caller, its body, and why it was refused."""
    request, response = Mask(past.service.profile, entry.after).shown(entry.request), entry.response
    query = f"?{request.query}" if request.query else ""
    line = f"{entry.id} {request.method} {request.target}{query} [{entry.operation or 'no operation'}]"
    yield f"{line} -> {response.status} {_short(response.body)}".rstrip()
    case = Case(past, entry)
    found = finding(case)
    described = describe(context, entry)
    if found is not None:
        sent = [f"by {who}"] if (who := caller_label(case.change, entry.caller)) else []
        sent += [f"with {json.dumps(described.body, ensure_ascii=False)[:_BODY]}"] if request.body else []
        yield from [f"    sent {' '.join(sent)}"] if sent else []
        yield f"    why: {found.sentence}"
        decided = deciding_assumptions(entry)
        if decided:
            yield f"    decided by the assumption{'s' * (len(decided) > 1)} {', '.join(decided)}"
    if ignored := _ignored(described):
        yield f"    it does not know: {ignored}"
    if verbose and entry.assumptions:
        yield f"    assumptions {', '.join(entry.assumptions)}"
    if entry.fired:
        yield f"    before it: {', '.join(timer.kind for timer in entry.fired)}"


def _short(body: bytes) -> str:
    """Return the beginning of a body as text."""
    return body[:_BODY].decode(errors="replace") + ("…" if len(body) > _BODY else "")


def _ignored(call: RequestInfo) -> str:
    """Return the fields and parameters of a call that its operation does not know, in words."""
    operation = API.find(call.operation or "")
    if operation is None:
        return ""
    return "; ".join(text for _, text in undeclared(operation, call.ignored.query, call.ignored.body))
