"""The reasons of refusals in sentences made of their facts, with the names of what they are about."""

from __future__ import annotations

import re

from confsim.api.call import HOST
from confsim.assumptions.protocol import transport
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import in_force
from confsim.domain.channels.channels import CHANNELS, ROOMS
from confsim.service.checks.sites import cross_site
from confsim.service.entries import ControlCall, JournalEntry

from .case import Case, Finding
from .findings import FINDERS
from .past import Past

#: Problems of input as the decoder says them, and in plain words.
_PROBLEMS = (
    (r"Object missing required field `([^`]*)`", r"\1 is missing"),
    (r"Object contains unknown field `([^`]*)`", r"\1 is not a field of it"),
    (r"Expected `str`, got `(\w+)`", r"a text is expected, not \1"),
    (r"Expected `int`, got `(\w+)`", r"a whole number is expected, not \1"),
    (r"Expected `bool`, got `(\w+)`", r"true or false is expected, not \1"),
    (r"Expected `array`, got `(\w+)`", r"a list is expected, not \1"),
    (r"Expected `object`, got `(\w+)`", r"an object is expected, not \1"),
)
#: Words of the decoder for the kinds of JSON values.
_KINDS = {"str": "a text", "int": "a number", "float": "a number", "bool": "true or false", "null": "null"}


def sentence(past: Past, entry: JournalEntry | ControlCall) -> str:
    """Return why a call was refused, as a sentence without a full stop; "" for one that was not."""
    found = finding(Case(past, entry))
    return "" if found is None else found.sentence


def finding(case: Case) -> Finding | None:
    """Return why a call was refused, with what it rests on; None for one that was not refused."""
    entry, reason = case.entry, case.reason
    status = entry.status if isinstance(entry, ControlCall) else entry.response.status
    if status < 400 and entry.refusal is None:
        return _kept_from_page(case, entry) if isinstance(entry, JournalEntry) else None
    if reason is not None:
        finder = FINDERS.get(reason)
        found = None if finder is None else finder(case)
        return found if found is not None else Finding(_said(case, reason))
    if entry.refusal is not None:
        return Finding(_capital(str(entry.refusal)))
    return Finding(_without_refusal(entry, status))


def is_blocked(entry: JournalEntry) -> bool:
    """Return whether a call was the preflight of a browser that does not send the call itself after this answer."""
    return entry.is_preflight and not any(
        name.lower() == "access-control-allow-origin" for name, _ in entry.response.headers
    )


def _kept_from_page(case: Case, entry: JournalEntry) -> Finding | None:
    """Return why a browser keeps an answer from the web page that called, or does not call; None if it does neither."""
    address, headers = case.service.address, entry.request.headers
    origin = headers.get("origin", "")[:200]
    named = {name.lower() for name, _ in entry.response.headers}
    if not origin or "access-control-allow-origin" in named:
        return None
    if not entry.is_preflight and not cross_site(entry.request, HOST, address.public_url):
        return None
    method = headers.get("access-control-request-method", "")[:20]
    then = f"does not send their {method}" if entry.is_preflight else "keeps this answer from them"
    if not in_force(case.service.profile, transport.CORS):
        return Finding(f"The profile sets http.cors = false, so the browser of web pages of {origin} {then}")
    caller = entry.caller
    allow = "No client allows" if caller is None else f"The client “{caller.client.name}” does not allow"
    return Finding(
        f'{allow} web pages of {origin}, so the browser {then}; set_origins with ["{origin}"] allows them',
        see=(
            f'A customer admin or an API token of the client calls set_origins with the body ["{origin}"]',
            f"confsim serve --allow-origin {origin} allows them in every world",
        ),
    )


def _said(case: Case, reason: Reason) -> str:
    """Return the message of a reason with its facts, and with the names of what they are about."""
    facts = dict(case.facts)
    if reason is Reason.INVALID_INPUT:
        return f"{_capital(_where(str(facts['where'])))}: {_plain(str(facts['problem']))}".rstrip(".")
    if reason is Reason.INTERNAL_ERROR:
        return f"confsim failed: {facts.get('reference', '')}".rstrip(": ")
    try:
        text: str = reason.value.message.format_map(facts)
    except (KeyError, ValueError):
        text = reason.value.sentence
    for name in ("id", "user"):
        if isinstance(facts.get(name), int):
            text = text.replace(f"User {facts[name]} ", f"{case.named(facts[name])} ")
            text = text.replace(f"user {facts[name]} ", f"{case.named(facts[name])} ")
    subject = case.subject
    if subject is not None and subject.kind in (CHANNELS.name, ROOMS.name):
        text = re.sub(r"\b[Tt]he channel\b(?! that)", lambda _: subject.label, text, count=1)
    if case.caller:
        text = re.sub(r"^The caller\b|\bthe caller\b", lambda _: case.caller, text, count=1)
    return text.rstrip(".")


def _where(text: str) -> str:
    return "the body" if text == "body" else text


def _plain(problem: str) -> str:
    """Return a problem of input in plain words."""
    for pattern, words in _PROBLEMS:
        problem = re.sub(pattern, words, problem)
    return re.sub(r"not (str|int|float|bool|null)\b", lambda match: f"not {_KINDS[match[1]]}", problem)


def _without_refusal(entry: JournalEntry | ControlCall, status: int) -> str:
    """Return why a call has a status that the service did not refuse it with."""
    hits = [hit for hit in entry.fault if hit.when != "within"]
    if hits:
        ids = ", ".join(hit.id or "of the request itself" for hit in hits)
        return f"The fault {ids} answered {status} in the place of the service"
    return f"The answer was {status} when it was sent"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")
