"""Terms and their acceptance, against a plain model."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain import terms
from confsim.domain.clients import clients
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World

STEPS = st.lists(
    st.one_of(
        st.sampled_from(["promulgate", "link", "accept", "require", "free"]),
        st.integers(0, 4).map(lambda n: ("accept", n)),
    ),
    max_size=25,
)


@pytest.mark.rule("R080", "R082", "R101", "R103", "R104", "R107")
@given(STEPS)
def test_acceptance_follows_the_version(steps):
    """Current exactly when the version in force was accepted last; first exactly when none ever was."""
    change = World(seed=1).change(7)
    client = clients.create(change, "Client", None)
    user = users.create(change, client.id, "a", Account.REGISTERED)
    version, accepted = client.terms.version, None
    for step in steps:
        if step == "promulgate":
            version += 1
            client = terms.promulgate(change, client, "https://terms.example/n")
        elif step == "link":
            client = terms.link(change, client, "https://terms.example/l")
        elif step in {"require", "free"}:
            client = terms.require(change, client, step == "require")
        else:
            given_ = version if step == "accept" else step[1]
            if given_ == version:
                user, accepted = terms.accept(change, client, user, given_), version
            else:
                with pytest.raises(Refusal) as refused:
                    terms.accept(change, client, user, given_)
                assert refused.value.reason is Reason.VERSION_NOT_CURRENT
        standing = terms.standing(change, client, user)
        assert (standing.version, standing.url) == (version, client.terms.url)
        assert standing.current is (accepted == version)
        assert standing.first is (accepted is None)
        assert terms.is_blocked(change, client, user) is not standing.current


@pytest.mark.rule("R077", "R105", "R240")
@pytest.mark.parametrize("account", list(Account))
@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("accepted", [None, 1, 2])
def test_who_is_blocked(account, required, accepted):
    """Users always, guests and linked users when it is required of them, telephony users never (G173, G176)."""
    change = World(seed=1).change(7)
    client = clients.create(change, "Client", None)
    client = terms.require(change, terms.promulgate(change, client, "https://terms.example/2"), required)
    user = users.create(change, client.id, "a", account, accepted=accepted)
    skips = account is Account.DIALLED or (users.unregistered(user) and not required)
    assert terms.is_blocked(change, client, user) is (accepted != 2 and not skips)


@pytest.mark.rule("R104", "R107")
def test_only_new_terms_are_dated_anew():
    """The link may change without touching version and date (G171)."""
    change = World(seed=1).change(7)
    client = clients.create(change, "Client", None)
    later = change.commit().change(99)
    client = terms.link(later, client, "https://terms.example/l")
    linked = client.terms
    assert (linked.version, linked.promulgated, linked.url) == (1, 7, "https://terms.example/l")
    anew = terms.promulgate(later, client, "https://terms.example/n").terms
    assert (anew.version, anew.promulgated, anew.url) == (2, 99, "https://terms.example/n")


@pytest.mark.rule("R103")
def test_terms_of_a_client_are_published_from_its_beginning():
    """And stay so, whatever version and link."""
    change = World(seed=1).change(7)
    client = clients.create(change, "Client", None)
    for now in (client, terms.promulgate(change, client, "https://terms.example/n")):
        assert terms.DOCUMENT.state(now).value == "exists"
