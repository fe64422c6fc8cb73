"""Why an attempt to deliver a webhook failed, in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from confsim.domain.events.deliveries import Attempt

#: What the sender notes: the name of an exception, and its text.
_EXCEPTION = re.compile(r"(\w*(?:[eE]rror|Exception|Disconnected|timeout))(?::\s*(.*))?", re.DOTALL)
#: Sentences by the names of exceptions; each takes the address and the text.
_WORDS: dict[str, Callable[[str, str], str]] = {
    "ConnectionRefusedError": lambda address, text: f"Nothing listens at {address}",
    "TimeoutError": lambda address, text: f"{address} did not answer in time",
    "ConnectionResetError": lambda address, text: f"{address} closed the connection before it answered",
    "RemoteDisconnected": lambda address, text: f"{address} closed the connection without an answer",
    "BrokenPipeError": lambda address, text: f"{address} closed the connection before the webhook was sent",
    "gaierror": lambda address, text: f"The host name of {address} is unknown",
    "SSLError": lambda address, text: f"{address} does not speak TLS: {text}",
    "SSLCertVerificationError": lambda address, text: f"The certificate of {address} is not trusted",
    "AssertionError": lambda address, text: f"An assertion of the receiver failed: {text}",
}


def problem_of(attempt: Attempt) -> str:
    """Return why an attempt failed, as a sentence without a full stop; for one that was answered, the answer."""
    address = _address(attempt.url or "")
    if attempt.status is not None:
        return f"{address} answered {attempt.status}"
    noted = attempt.problem or "There was no answer"
    found = _EXCEPTION.match(noted)
    if found is None:
        return noted[:1].upper() + noted[1:]
    name, text = found[1], (found[2] or "").strip()
    words = _WORDS.get(name)
    return words(address, text) if words is not None else f"{address} could not be reached: {text or name}"


def _address(url: str) -> str:
    """Return the host and port of a URL."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or "the receiver"
    except ValueError:
        return "the receiver"
