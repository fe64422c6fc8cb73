"""Verify runs against a base URL: the transport, the tag of the run, the plan, and the report file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from confsim.api.catalogue import API
from confsim.control.scenarios import mount_url
from confsim.kernel.ids import draw
from confsim.service.files.profile import read_profile
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.declared import lasting, left_out, removals, ringing, why_left_out
from confsim.testing.learning.discovering.discovery import UNUSED
from confsim.testing.learning.service import RealService
from confsim.transport.remote import RemoteTransport

from .findings import VerifyReport
from .verifier import Verifier


def verify(
    base_url: str,
    accounts: Accounts,
    profile: Mapping[str, Any],
    *,
    seed: int = 0,
    examples: int = 50,
    most: int | None = None,
    rate: float | None = None,
    most_findings: int = 20,
    allow_phone_calls: bool = False,
    progress: Callable[[str], object] | None = None,
) -> VerifyReport:
    """Verify the service at a base URL. Raises Misuse when it is not this API, refuses a token or cannot be reached.

    So it does, before the first request, for a value of the profile that is none.
    """
    known, profile = Correspondence(), read_profile(profile)
    with closing(RemoteTransport(mount_url(base_url, profile))) as transport:
        service = RealService(transport, profile, known, most=most, rate=rate)
        return Verifier(
            service,
            accounts,
            profile,
            known,
            base_url=base_url,
            tag=run_tag(int(time.time() * 1000)),
            seed=seed,
            examples=examples,
            most_findings=most_findings,
            allow_phone_calls=allow_phone_calls,
            progress=progress,
        ).run()


def run_tag(now: int) -> str:
    """Return the prefix of all names that a run makes, unique by ``now`` (epoch milliseconds)."""
    return f"cv{draw(0, now, 3).hex()}"


def plan(accounts: Accounts, *, examples: int, allow_phone_calls: bool) -> Iterator[str]:
    """Yield the plan of a run with these accounts, as lines."""
    used = [role for role in accounts.tokens if role not in UNUSED]
    yield f"{examples} journeys in client {accounts.client}, as {', '.join(used)}, and as guests made by the run"
    if "partner-admin" in used:
        yield "and in a client of the run's own, made below that of the partner-admin, which no documented call removes"
    called = [each.name for each in API if not why_left_out(each) and (allow_phone_calls or not each.rings)]
    yield f"{len(called)} of {len(API)} operations are called, those that change something only on what the run made"
    for name, why in left_out().items():
        yield f"not called: {name}, since {why}"
    if not allow_phone_calls:
        yield f"not called: {', '.join(ringing())}, since they ring phones (--phones)"
    yield f"removed at the end: {', '.join(removals())}; what is in a channel is removed with it"
    yield f"left behind: {', '.join(sorted(lasting()))} that no documented call removes"
