"""Identity tokens as an identity provider would issue them, and what the limits of their claims are."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode

import pytest

from confsim import Simulator
from confsim.domain.clients import clients
from confsim.domain.identity import jws, token_exchange, validators
from confsim.domain.identity.token_exchange import Person
from confsim.domain.users.users import USERS, Account
from confsim.kernel.world import World
from kit import CUSTOMER, ROOM, START, choices
from kit.things.identity_tokens import AUDIENCE, CLAIMS, ISSUER, exchange, hs, of_origin

SECRET = "a secret that is long enough for everybody"


def payload(token):
    """The claims of a token."""
    part = token.split(".")[1]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.mark.parametrize(("now", "issued", "ends"), [(5000, 5, 6), (5001, 5, 7), (5999, 5, 7), (0, 0, 1)])
def test_times_are_whole_seconds_within_which_it_is_valid(now, issued, ends):
    """Issued by then, and not expired before its life ends."""
    change = World(seed=1).change(now)
    validator = validators.add(change, clients.create(change, "C", None), "v", "HS256", SECRET)
    token = token_exchange.identity_token(change, validator, Person(origin="p"), {}, 1000)
    assert payload(token) == {"iat": issued, "exp": ends, "sub": "p"}


def test_claims_are_those_of_the_person_and_of_the_validator():
    """What a person has not is left out; claims that are given come before all others."""
    change = World(seed=1).change(1000)
    client = clients.create(change, "C", None)
    validator = validators.add(change, client, "v", "HS256", SECRET, issuer=ISSUER, audience=AUDIENCE)
    person = Person(origin="p", name="Pia", picture="https://p.example/1", email="p@example.com", verified=True)
    reported = payload(token_exchange.identity_token(change, validator, person, {}, 1000))
    assert reported == {
        "iat": 1, "exp": 2, "iss": ISSUER, "aud": AUDIENCE, "sub": "p", "name": "Pia", "picture": "https://p.example/1",
        "email": "p@example.com", "email_verified": True,
    }  # fmt: skip
    given = {"aud": "other", "exp": 9}
    reported = payload(token_exchange.identity_token(change, validator, Person(origin="p"), given, 1000))
    assert reported == {"iat": 1, "exp": 9, "iss": ISSUER, "aud": "other", "sub": "p"}


@pytest.mark.parametrize(("length", "known"), [(254, True), (255, False)])
def test_an_address_has_a_length(length, known):
    """254 characters; a longer one is no address, and the person comes without."""
    sim = Simulator(clock=START)
    address = "x" * (length - len("@example.com")) + "@example.com"
    assert exchange(sim, hs(CLAIMS, email=address)).ok
    assert (of_origin(sim, "person-1").email is not None) is known


@pytest.mark.parametrize(
    ("length", "problem"),
    [(1, "not base64url"), (5, "not base64url"), (2, "not that of the key"), (3, "not that"), (4, "not that")],
)
def test_a_signature_is_base64url_or_none_of_the_key(length, problem):
    """One character beyond whole groups of four stands for no bytes."""
    head = jws.sign({"a": 1}, SECRET.encode()).rpartition(".")[0]
    with pytest.raises(jws.NoToken if "base64url" in problem else jws.NotSigned, match=problem):
        jws.verify(f"{head}.{'A' * length}", "HS256", SECRET.encode())


@pytest.mark.parametrize(
    ("choice", "account"), [(None, Account.GUEST), ("handle", Account.GUEST), ("registers", Account.REGISTERED)]
)
def test_a_guest_with_a_reserved_handle(choice, account):
    """Has it then, and is registered where a profile says so (G265); who is registered stays so."""
    sim = Simulator(clock=START, profile=choices(**({} if choice is None else {"handles__guest_change": choice})))
    token = sim.call("create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus"}).body["token"]
    nonce = sim.call("reserve_handle", token, body={"handle": "Nova"}).body["reservationToken"]
    assert sim.call("change_handle_with_reservation", token, nonce=nonce).ok
    found = [each for each in USERS.seen(sim.service.world, CUSTOMER).all if each.handle == "Nova"]
    assert [each.account for each in found] == [account]
    assert not [each for each in USERS.seen(sim.service.world, CUSTOMER).all if each.handle == "Gus"]
