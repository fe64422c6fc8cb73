"""Gates that mean the same: whoever calls, what roles pass decides alike; no answer tells such values apart."""

from __future__ import annotations

import pytest

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.contract.gates import Grant
from confsim.testing.calibrating.alike import admit_alike
from kit import choices
from kit.probes.tellable import tellable

ADMINS = (Grant.CUSTOMER_ADMIN, Grant.API_TOKEN)


@pytest.mark.parametrize(
    ("operation", "one", "other", "profile", "alike"),
    [
        ("set_config", ADMINS, (Grant.CUSTOMER_ADMIN,), {}, True),
        ("set_config", ADMINS, (Grant.CUSTOMER_ADMIN,), choices(roles__api_token_passes=[]), False),
        ("set_config", ADMINS, (Grant.OWNER,), {}, False),
        ("set_config", (Grant.API_TOKEN,), (Grant.ACCESS,), {}, True),
        ("get_channel", (Grant.API_TOKEN,), (Grant.ACCESS,), {}, False),
        ("set_config", ADMINS, (Grant.ACCESS,), choices(roles__customer_admin_passes=["access"]), True),
        ("get_channel", (Grant.USER,), (Grant.SELF,), {}, False),
        ("get_channel", (Grant.PUBLIC,), (Grant.SIGNED_IN,), {}, False),
    ],
)
def test_what_roles_pass_decides(operation, one, other, profile, alike):
    """An API token passes what is for a Customer Admin; where no channel is named, nobody has access to one."""
    assert admit_alike(API[operation], one, other, profile) is alike
    assert admit_alike(API[operation], other, one, profile) is alike


def test_no_answer_tells_alike_gates_apart():
    """Of all journeys and probes, none shows a value that is alike to the default."""
    alike = {
        (id, repr(value))
        for id, entry in REGISTER.entries.items()
        if id.startswith("gate.")
        for value in entry.candidates()
        if admit_alike(API[id.partition(".")[2]], value, entry.default, {})
    }
    assert len(alike) > 30
    assert not {(id, value) for id, value in alike if value in tellable().get(id, ())}
