"""Gateway endpoints at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.identity import credentials
from confsim.domain.media import gateway
from kit import NOTHING, OWNER, USER, refused


def stage(**profile):
    """A change of the demo world, and two users of one client."""
    change = Simulator(clock=0, profile=profile).service.change()
    return change, *(credentials.authenticate(change, token).user for token in (OWNER, USER))


@pytest.mark.rule("R520")
@pytest.mark.parametrize(("kind", "port"), [("RTMP", 1935), ("SRT", 9710)])
def test_an_endpoint_is_the_users_own(kind, port):
    """It has an address and credentials of its own, and another user of the client does not find it."""
    change, olaf, uma = stage()
    made = gateway.create(change, olaf, kind)
    assert (made.kind, made.host, made.port, made.user) == (kind, "localhost", port, olaf.id)
    assert made.username
    assert made.password
    assert gateway.get(change, olaf, made.uuid) == made
    assert refused(gateway.get, change, uma, made.uuid) is Reason.NOT_FOUND
    assert refused(gateway.get, change, olaf, NOTHING) is Reason.NOT_FOUND


@pytest.mark.parametrize("several", [True, False])
def test_a_second_endpoint_of_a_kind(several):
    """It is another one, or the first is answered again (G516); other kinds and users have their own either way."""
    change, olaf, uma = stage(**{"gateway.several": several})
    made = gateway.create(change, olaf, "RTMP")
    assert (gateway.create(change, olaf, "RTMP") != made) is several
    assert (
        len({each.uuid for each in (made, gateway.create(change, olaf, "SRT"), gateway.create(change, uma, "RTMP"))})
        == 3
    )


@pytest.mark.parametrize("choice", ["exact", "ignore"])
def test_the_case_of_a_kind(choice):
    """It counts, or has no weight; an unknown kind is refused either way (G514)."""
    change, olaf, _ = stage(**{"gateway.kind-case": choice})
    if choice == "exact":
        assert refused(gateway.create, change, olaf, "rtmp") is Reason.INVALID_INPUT
    else:
        assert gateway.create(change, olaf, "rtmp").kind == "RTMP"
    assert refused(gateway.create, change, olaf, "fax") is Reason.INVALID_INPUT
