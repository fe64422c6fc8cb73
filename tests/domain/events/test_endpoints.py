from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.clients import clients
from confsim.domain.events import endpoints
from kit import CUSTOMER, OTHER, refused

ORIGIN = Simulator(clock=0).service.world


@pytest.mark.rule("R533")
@given(
    updates=st.lists(
        st.tuples(st.sampled_from([None, "http://a.test", "https://b.test"]), st.sampled_from([None, True, False]))
    )
)
def test_updates_add_up(updates):
    """An endpoint is what the last update of each field said."""
    change = ORIGIN.change(0)
    client = clients.get(change, CUSTOMER)
    endpoint = endpoints.add(change, client, "http://first.test", None)
    url, active = endpoint.url, endpoint.active
    for new_url, new_active in updates:
        endpoints.update(change, endpoints.get(change, client, endpoint.id), new_url, new_active)
        url, active = new_url or url, active if new_active is None else new_active
    (found,) = endpoints.ENDPOINTS.of(change, client.id).all
    assert (found.url, found.active) == (url, active)
    assert [each.id for each in endpoints.subscribed(change, CUSTOMER)] == ([endpoint.id] if active else [])


def test_reading_the_secret_writes_nothing():
    """It depends on the world's seed, the client and the number of renewals."""
    change = ORIGIN.change(0)
    secret = endpoints.secret(change, CUSTOMER)
    assert change.commit() is ORIGIN
    assert endpoints.secret(ORIGIN.change(9), CUSTOMER) == secret
    assert endpoints.secret(change, OTHER) != secret
    assert endpoints.renew_secret(change, CUSTOMER) != secret
    assert endpoints.secret(change.commit().change(0), CUSTOMER) != secret


def test_renewals_are_counted_from_the_first():
    """A secret that was never renewed counts none."""
    change = ORIGIN.change(0)
    for number in (1, 2):
        endpoints.renew_secret(change, CUSTOMER)
        assert endpoints.SECRETS.of(change, CUSTOMER)[CUSTOMER].renewals == number


@pytest.mark.parametrize(("choice", "plain"), [("http-and-https", True), ("https", False)])
def test_the_schemes_of_urls(choice, plain):
    """Both, or https alone, whatever the case; for a new endpoint and one that is moved (G530)."""
    change = Simulator(clock=0, profile={"events.schemes": choice}).service.change()
    client = clients.get(change, CUSTOMER)
    endpoint = endpoints.add(change, client, "HTTPS://first.test", None)
    if plain:
        assert endpoints.add(change, client, "http://plain.test", None).url == "http://plain.test"
        endpoints.update(change, endpoint, "http://plain.test", None)
    else:
        assert refused(endpoints.add, change, client, "http://plain.test", None) is Reason.INVALID_INPUT
        assert refused(endpoints.update, change, endpoint, "http://plain.test", None) is Reason.INVALID_INPUT
    expected = ["http://plain.test"] * 2 if plain else ["HTTPS://first.test"]
    assert [each.url for each in endpoints.ENDPOINTS.of(change, client.id).all] == expected
