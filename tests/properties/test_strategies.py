"""Arguments drawn from the declarations meet no bug and no answer that breaks the document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confsim.api.catalogue import API
from confsim.service.conformance import Conformance
from confsim.testing import arguments
from kit import CUSTOMER
from kit.budgets import quick
from kit.catalogue_walk import call
from kit.each import by_name, each

#: So many arguments of each operation in the suite.
FEW = quick(3)
CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-guest")


@each("operation", list(API), ids=by_name)
def test_any_arguments_are_answered_by_the_document(lived, judge, operation):
    """Valid, boundary and wrong arguments: no bug, and every answer is one of the OpenAPI document."""

    @FEW
    @given(drawn=arguments(operation, lived, CUSTOMER), caller=st.sampled_from(CALLERS))
    def answered(drawn, caller):
        fork = lived.fork()
        call(fork, operation, caller, drawn)
        assert fork.service.bugs == []
        entries = [(each.operation, each.request, each.response) for each in fork.service.journal]
        assert [str(problem) for entry in entries for problem in judge.violations(*entry)] == []

    answered()


@pytest.fixture(scope="module")
def judge():
    """The referee of the default profile."""
    return Conformance({})
