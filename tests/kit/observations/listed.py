"""A plugin that fails the test in which an operation refuses a call for a reason that its OpenAPI document lacks."""

from __future__ import annotations

from collections.abc import Generator
from functools import cache

import pytest

from confsim.api.call import Call
from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileKey
from confsim.contract.openapi.reasons import reasons_of
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from confsim.reference.observed import observed
from confsim.service.errors import told
from confsim.service.messages import Response
from confsim.service.pipeline import Pipeline

#: Reasons of calls, not of operations: a fault, a limit, or what HTTP itself refuses.
OF_CALLS = frozenset({Reason.INTERNAL_ERROR, Reason.TOO_MANY_CALLS, Reason.REQUEST_MALFORMED, Reason.REQUEST_TIMEOUT})


@cache
def listed(operation: str, profile: ProfileKey) -> frozenset[Reason]:
    """The reasons that the document of a profile lists for an operation."""
    return frozenset(reasons_of(API[operation], observed()[operation], profile.profile))


class ListedRefusals:
    """Follows every refusal of every world, and names those that no document lists."""

    def __init__(self) -> None:
        self.missing: dict[tuple[str, str], str] = {}

    def follow(self) -> None:
        """Look at each refusal from now on."""
        refuse = Pipeline._refused

        def noting(pipeline: Pipeline, call: Call, refusal: Refusal) -> tuple[Response, World]:
            refused = refuse(pipeline, call, refusal)
            self.look(call, refusal)
            return refused

        Pipeline._refused = noting  # type: ignore[method-assign]

    def look(self, call: Call, refusal: Refusal) -> None:
        """Note a refusal of a call if the document of its profile does not list it."""
        operation, profile = call.operation, call.change.carried.profile
        if API.operations.get(operation.name) is not operation:
            return
        reason = told(call.change, refusal).reason
        if reason not in OF_CALLS and reason not in listed(operation.name, ProfileKey(profile)):
            self.missing[operation.name, reason.name] = f"under {dict(profile)}"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail the test if a refusal in it is not listed."""
        self.missing.clear()
        outcome = yield
        if self.missing and item.get_closest_marker("unlisted") is None:
            lines = [f"{operation}: {reason} {where}" for (operation, reason), where in self.missing.items()]
            pytest.fail("not listed in the OpenAPI document: " + "; ".join(lines), pytrace=False)
        return outcome
