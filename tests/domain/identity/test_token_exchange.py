"""Identity tokens: which are valid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import example, given, strategies as st

from confsim import Simulator
from confsim.domain.clients import clients
from confsim.domain.identity import validators
from kit import CUSTOMER, OTHER, START, START_S, code
from kit.budgets import quick
from kit.things.identity_tokens import AUDIENCE, CLAIMS, ISSUER, chosen, compact, exchange, hs, of_origin, part

ALGORITHMS = ("HS256", "RS256", "ES256")


class Keys:
    """For each algorithm the key that signs, the text that a validator has, and a stranger's key."""

    def __init__(self) -> None:
        rsa_key, rsa_other = (rsa.generate_private_key(65537, 2048) for _ in range(2))
        ec_key, ec_other = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        secret = "a secret that is long enough for everybody"
        self.signing: dict[str, Any] = {"HS256": secret.encode(), "RS256": rsa_key, "ES256": ec_key}
        self.stranger: dict[str, Any] = {"HS256": b"another secret, as long as that one", "RS256": rsa_other}
        self.stranger["ES256"] = ec_other
        self.text = {"HS256": secret, "RS256": pem(rsa_key), "ES256": pem(ec_key)}


def pem(key: Any) -> str:
    """The public half of a key."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture(scope="module")
def keys() -> Keys:
    """Keys made once."""
    return Keys()


def validated(algorithm: str, text: str, client: str = CUSTOMER) -> Simulator:
    """A world where one validator of the algorithm is active, with issuer and audience."""
    sim = Simulator(clock=START)
    change = sim.service.change()
    tenant = clients.get(change, client)
    added = validators.add(change, tenant, "v", algorithm, text, name="V", issuer=ISSUER, audience=AUDIENCE)
    validators.enable(change, added)
    sim.service.commit(change)
    return sim


@pytest.mark.rule("R140")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_valid_token_gives_a_service_token(keys: Keys, algorithm: str) -> None:
    """Each algorithm vouches for a person with the key that the validator has."""
    sim = validated(algorithm, keys.text[algorithm])
    answer = exchange(sim, compact(algorithm, keys.signing[algorithm], CLAIMS))
    assert answer.status == 200
    assert set(answer.body) == {"token", "expires"}
    assert of_origin(sim, "person-1") is not None


def _without(name: str) -> dict[str, Any]:
    return {claim: value for claim, value in CLAIMS.items() if claim != name}


#: What can be wrong with the claims of a token that is signed as it should be.
BAD_CLAIMS: dict[str, object] = {
    "expired": {**CLAIMS, "exp": START_S - 1},
    "expires at this instant": {**CLAIMS, "exp": START_S},
    "never expires": _without("exp"),
    "exp is text": {**CLAIMS, "exp": str(START_S + 60)},
    "exp is a boolean": {**CLAIMS, "exp": True},
    "exp is null": {**CLAIMS, "exp": None},
    "not valid yet": {**CLAIMS, "nbf": START_S + 1},
    "nbf is a list": {**CLAIMS, "nbf": [START_S]},
    "issued in the future": {**CLAIMS, "iat": START_S + 1},
    "iat is text": {**CLAIMS, "iat": "now"},
    "another issuer": {**CLAIMS, "iss": "https://other.example"},
    "no issuer": _without("iss"),
    "issuer is a list": {**CLAIMS, "iss": [ISSUER]},
    "another audience": {**CLAIMS, "aud": "other"},
    "other audiences": {**CLAIMS, "aud": ["other", 1, None]},
    "no audience": _without("aud"),
    "audience is an object": {**CLAIMS, "aud": {AUDIENCE: 1}},
    "nobody": _without("sub"),
    "a blank subject": {**CLAIMS, "sub": " "},
    "a number as subject": {**CLAIMS, "sub": 7},
    "control characters in the subject": {**CLAIMS, "sub": "a\x00b"},
    "a huge subject": {**CLAIMS, "sub": "x" * 256},
    "a list": [CLAIMS],
    "text": "claims",
    "null": None,
    "no JSON": b"{",
    "not UTF-8": b'{"sub": "\xff"}',
    "NaN": b'{"sub": "person-1", "exp": NaN}',
    "infinite": b'{"sub": "person-1", "exp": Infinity}',
    "nested": b'{"a":' * 4000 + b"1" + b"}" * 4000,
    "half a surrogate pair": b'{"sub": "\\ud800", "exp": 9999999999}',
}


@pytest.mark.rule("R141")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("fault", BAD_CLAIMS)
def test_bad_claims_give_no_token(keys: Keys, algorithm: str, fault: str) -> None:
    """A good signature does not help claims that are wrong."""
    sim = validated(algorithm, keys.text[algorithm])
    before = sim.service.world
    answer = exchange(sim, compact(algorithm, keys.signing[algorithm], BAD_CLAIMS[fault]))
    assert answer.status == 401
    assert sim.service.world is before
    assert sim.service.bugs == []


def _none(keys: Keys, algorithm: str) -> str:
    return f"{part({'alg': 'none'})}.{part(CLAIMS)}."


def _confused(keys: Keys, algorithm: str) -> str:
    """The public key, which everybody knows, taken as a secret."""
    return compact("HS256", keys.text[algorithm].encode(), CLAIMS, alg="HS256" if algorithm != "HS256" else "RS256")


def _own_jwk(keys: Keys, algorithm: str) -> str:
    known = {"kty": "oct", "k": part(b"mine"), "alg": algorithm}
    return compact(algorithm, keys.stranger[algorithm], CLAIMS, jwk=known, jku="https://evil.example", x5u="https://e")


def _tampered(keys: Keys, algorithm: str) -> str:
    head, _, tail = compact(algorithm, keys.signing[algorithm], CLAIMS).split(".")
    return f"{head}.{part({**CLAIMS, 'sub': 'person-2'})}.{tail}"


#: What can be wrong with the signature or the header of a token whose claims are right.
FORGERIES: dict[str, Callable[[Keys, str], str]] = {
    "a stranger's key": lambda keys, alg: compact(alg, keys.stranger[alg], CLAIMS),
    "alg none": _none,
    "alg none in capitals": lambda keys, alg: _none(keys, alg).replace(part({"alg": "none"}), part({"alg": "NONE"})),
    "alg none with a good signature": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS, alg="none"),
    "no alg": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS, alg=None),
    "alg is a list": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS, alg=[alg]),
    "a sister algorithm": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS, alg=alg.replace("256", "512")),
    "the public key as secret": _confused,
    "its own key in the header": _own_jwk,
    "other claims": _tampered,
    "critical extensions": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS, crit=["b64"], b64=False),
    "a payload that is not encoded": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS, b64=False),
    "a key id that is no text": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS, kid=7),
    "no signature": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS).rpartition(".")[0] + ".",
    "half a signature": lambda keys, alg: compact(alg, keys.signing[alg], CLAIMS)[:-20],
    "a header that is a list": lambda keys, alg: f"{part([alg])}.{part(CLAIMS)}.{part(b'x')}",
    "a nested header": lambda keys, alg: f"{part(b'[' * 5000)}.{part(CLAIMS)}.{part(b'x')}",
}


@pytest.mark.rule("R141")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_gives_no_token(keys: Keys, algorithm: str, forgery: str) -> None:
    """The algorithm and the key are the validator's, whatever the header says."""
    sim = validated(algorithm, keys.text[algorithm])
    answer = exchange(sim, FORGERIES[forgery](keys, algorithm))
    assert answer.status == 401
    assert answer.body["code"] in {"identity_token_invalid", "identity_token_malformed"}
    assert of_origin(sim, "person-1") is None
    assert sim.service.bugs == []


@pytest.fixture(scope="module")
def demo() -> Simulator:
    """The demo world for many refused tokens."""
    return Simulator(clock=START)


@quick(50)
@given(text=st.one_of(st.text(), st.from_regex(r"[A-Za-z0-9_=-]{0,9}(\.[A-Za-z0-9_=-]{0,9}){0,4}\Z")))
@example("..")
@example("e30.e30.")
@example("é.é.é")
@example("e30.e30.e30\n")
@example("a" * 100_000)
def test_no_text_breaks_the_exchange(demo: Simulator, text: str) -> None:
    """Whatever is sent as a token is refused, never a failure of the simulator."""
    assert exchange(demo, text).status == 401
    assert demo.service.bugs == []


def test_a_token_of_a_whole_megabyte_is_refused_unread(demo: Simulator) -> None:
    """Tokens have a most size, whatever they hold."""
    answer = exchange(demo, hs({**CLAIMS, "name": "x" * 20_000}))
    assert code(answer) == (401, "identity_token_malformed")


@pytest.mark.parametrize("body", [{}, {"idToken": None}, {"idToken": 7}, {"idToken": ["a"]}, []])
def test_something_else_than_a_text_is_bad_input(demo: Simulator, body: object) -> None:
    """A missing idToken, or one that is no text, is 400 and not 401 (G196)."""
    assert demo.call("exchange_identity_token", clientId=CUSTOMER, body=body).status == 400


@pytest.mark.parametrize("year", ["1990", "2026", "2100"])
def test_times_are_judged_by_the_world_s_clock(year: str) -> None:
    """The machine's own time plays no part."""
    sim = Simulator(clock=f"{year}-02-01T00:00:00Z")
    now = sim.service.clock.now() // 1000
    times = {"iat": now, "nbf": now, "exp": now + 60}
    token = hs(CLAIMS, **times)
    assert exchange(sim, token).status == 200
    sim.service.clock.move((now + 59) * 1000)
    assert exchange(sim, token).status == 200
    sim.service.clock.move((now + 60) * 1000)
    assert exchange(sim, token).status == 401


@pytest.mark.parametrize("exp", [START_S + 0.001, 1e300, 10**300, 2**63])
def test_exp_may_be_any_number(sim: Simulator, exp: float) -> None:
    """Fractions of a second and a far future are numbers too."""
    assert exchange(sim, hs(CLAIMS, exp=exp)).status == 200


def test_one_audience_of_several_suffices(keys: Keys) -> None:
    """A token may be for others beside."""
    sim = validated("HS256", keys.text["HS256"])
    token = compact("HS256", keys.signing["HS256"], {**CLAIMS, "aud": ["other", AUDIENCE]})
    assert exchange(sim, token).status == 200


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_keys_in_the_header_of_a_good_token_play_no_part(keys: Keys, algorithm: str) -> None:
    """They are not looked at, so they do no harm either."""
    sim = validated(algorithm, keys.text[algorithm])
    token = compact(algorithm, keys.signing[algorithm], CLAIMS, jku="https://nowhere.invalid/keys", kid="7")
    assert exchange(sim, token).status == 200


@pytest.mark.rule("R142")
def test_a_token_is_validated_against_the_client_of_the_path(keys: Keys) -> None:
    """The validator of one client does not vouch in another."""
    sim = validated("HS256", keys.text["HS256"], client=OTHER)
    token = compact("HS256", keys.signing["HS256"], CLAIMS)
    assert exchange(sim, token, CUSTOMER).status == 401
    assert exchange(sim, token, OTHER).status == 200
    assert of_origin(sim, "person-1", OTHER) is not None


def test_a_validator_may_have_claims_of_its_own(sim: Simulator) -> None:
    """Its mapping wins over the usual names, claim by claim (G200)."""
    change = sim.service.change()
    client = clients.get(change, CUSTOMER)
    secret = "demo-validator-secret-of-32-bytes"
    added = validators.add(change, client, "mapped", "HS256", secret, claims=(("originId", "oid"), ("name", "full")))
    validators.enable(change, added)
    sim.service.commit(change)
    assert exchange(sim, hs(CLAIMS)).status == 401
    assert exchange(sim, hs(CLAIMS, oid="employee-9", full="Mapped")).status == 200
    user = of_origin(sim, "employee-9")
    assert user is not None
    assert (user.full_name, user.image) == ("Mapped", CLAIMS["picture"])


def test_skew_is_allowed_by_choice() -> None:
    """Times may be off by so much, and no more."""
    sim = chosen(identity__skew=60_000)
    assert exchange(sim, hs(CLAIMS, exp=START_S - 59, nbf=START_S + 60, iat=START_S + 60)).status == 200
    assert exchange(sim, hs(CLAIMS, exp=START_S - 60)).status == 401
    assert exchange(sim, hs(CLAIMS, nbf=START_S + 61)).status == 401


def test_exp_can_be_left_out_by_choice() -> None:
    """A token without exp is then good for ever."""
    assert exchange(chosen(identity__exp_required=False), hs(CLAIMS, exp=None)).status == 200


def test_larger_tokens_by_choice() -> None:
    """The most size is a choice."""
    assert exchange(chosen(size__identity_token=65_536), hs(CLAIMS, more="x" * 20_000)).status == 200


def test_fewer_algorithms_by_choice() -> None:
    """A validator of an algorithm that is not accepted vouches for nothing."""
    assert exchange(chosen(validators__algorithms=["RS256"]), hs(CLAIMS)).status == 401


@pytest.mark.parametrize(("length", "status"), [(255, 200), (256, 401)])
def test_an_origin_has_up_to_255_characters(length: int, status: int) -> None:
    """One of more names nobody."""
    sim = Simulator(clock=START)
    assert exchange(sim, hs(CLAIMS, sub="p" * length)).status == status
    assert (of_origin(sim, "p" * length) is not None) is (status == 200)
