"""Calibrate runs against a base URL, and the profile that results."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from confsim.control.scenarios import mount_url
from confsim.reference.raw_probes import RAW_PROBES
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.service import RealService
from confsim.testing.verifying.session import plan as plan_of_calls, run_tag
from confsim.transport.remote import RemoteTransport

from .calibrator import CalibrateReport, Calibrator
from .playing import MOST_CLIENTS


def calibrate(
    base_url: str,
    accounts: Accounts,
    *,
    seed: int = 0,
    journeys: int = 80,
    most: int | None = None,
    rate: float | None = None,
    allow_phone_calls: bool = False,
    progress: Callable[[str], object] | None = None,
) -> CalibrateReport:
    """Calibrate against the service at a base URL. Raises Misuse when it is not this API or cannot be reached."""
    known = Correspondence()
    with closing(RemoteTransport(mount_url(base_url, {}))) as transport:
        service = RealService(transport, {}, known, most=most, rate=rate)
        return Calibrator(
            service,
            accounts,
            known,
            base_url=base_url,
            tag=run_tag(int(time.time() * 1000)),
            seed=seed,
            journeys=journeys,
            allow_phone_calls=allow_phone_calls,
            progress=progress,
        ).run()


def plan(accounts: Accounts, *, examples: int, allow_phone_calls: bool) -> Iterator[str]:
    """Yield the plan of a run with these accounts, as lines."""
    yield from plan_of_calls(accounts, examples=examples, allow_phone_calls=allow_phone_calls)
    if "partner-admin" in accounts.tokens:
        yield f"at most {MOST_CLIENTS} more such clients, each where earlier calls have changed the one before"
    yield f"requests that no call makes: {'; '.join(probe.seen for probe in RAW_PROBES)}"


def profile_text(learned: Mapping[str, Any], assumed: Mapping[str, Any] | None = None) -> str:
    """Return a profile (TOML) of these values, sorted by id: the same bytes for the same values.

    The lines of what is only ``assumed`` say that other values explain the answers as well.
    """
    return "".join(f"{line}\n" for line in _lines(learned, assumed or {}))


def _lines(learned: Mapping[str, Any], assumed: Mapping[str, Any]) -> Iterator[str]:
    area = ""
    for id in sorted({**learned, **assumed}, key=lambda each: each.partition(".")[::2]):
        begins, _, word = id.partition(".")
        if begins != area:
            if area:
                yield ""
            yield f"[{begins}]"
            area = begins
        key = word if word.replace("-", "").replace("_", "").isalnum() else json.dumps(word)
        if id in learned:
            yield f"{key} = {_toml(learned[id])}"
        else:
            yield f"{key} = {_toml(assumed[id])}  # assumed: another value explains the answers as well"


def _toml(value: Any) -> str:
    """Return a value in TOML, which writes strings, numbers and arrays as JSON does."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(name))} = {_toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
