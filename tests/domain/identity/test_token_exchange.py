"""Identity tokens: which are valid, whom they name, what they change."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jwt.algorithms import get_default_algorithms

from confsim import Simulator
from confsim.domain.clients import clients
from confsim.domain.identity import validators
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.domain.images import IMAGES
from confsim.domain.users import users
from confsim.domain.users.users import BY_ORIGIN, USERS, Account, AuthKind, Level, User
from kit import CUSTOMER, OTHER, START, START_S, choices, code

ALGORITHMS = ("HS256", "RS256", "ES256")
ISSUER, AUDIENCE = "https://issuer.example", "confsim"
CLAIMS: dict[str, Any] = {
    "sub": "person-1",
    "iss": ISSUER,
    "aud": AUDIENCE,
    "iat": START_S - 1,
    "nbf": START_S - 1,
    "exp": START_S + 60,
    "name": "Pia Person",
    "picture": "https://pictures.example/pia.png",
    "email": "pia@person.example",
    "email_verified": True,
}


class Keys:
    """For each algorithm the key that signs, the text that a validator has, and a stranger's key."""

    def __init__(self) -> None:
        rsa_key, rsa_other = (rsa.generate_private_key(65537, 2048) for _ in range(2))
        ec_key, ec_other = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        secret = "a secret that is long enough for everybody"
        self.signing: dict[str, Any] = {"HS256": secret.encode(), "RS256": rsa_key, "ES256": ec_key}
        self.stranger: dict[str, Any] = {"HS256": b"another secret, as long as that one", "RS256": rsa_other}
        self.stranger["ES256"] = ec_other
        self.text = {"HS256": secret, "RS256": _pem(rsa_key), "ES256": _pem(ec_key)}


def _pem(key: Any) -> str:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def _part(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def compact(algorithm: str, key: Any, payload: object, **header: object) -> str:
    """A token signed with the algorithm, whatever its header says."""
    signed = f"{_part({'alg': algorithm, 'typ': 'JWT'} | header)}.{_part(payload)}"
    return f"{signed}.{_part(get_default_algorithms()[algorithm].sign(signed.encode(), key))}"


@pytest.fixture(scope="module")
def keys() -> Keys:
    """Keys made once."""
    return Keys()


def validated(algorithm: str, text: str, client: str = CUSTOMER) -> Simulator:
    """A world where one validator of the algorithm is active, with issuer and audience."""
    sim = Simulator(clock=START)
    change = sim.service.change()
    tenant = clients.get(change, client)
    validators.add(change, tenant, "v", algorithm, text, name="V", issuer=ISSUER, audience=AUDIENCE)
    validators.enable(change, tenant, "v")
    sim.service.commit(change)
    return sim


def exchange(sim: Simulator, token: str, client: str = CUSTOMER) -> Any:
    """The answer of the exchange."""
    return sim.call("exchange_identity_token", clientId=client, body={"idToken": token})


def hs(claims: dict[str, Any], **changed: Any) -> str:
    """A token of the demo world's active validator; a claim that is changed to None is left out."""
    told = {name: value for name, value in {**claims, **changed}.items() if value is not None}
    return compact("HS256", b"demo-validator-secret-of-32-bytes", told)


def of_origin(sim: Simulator, origin: str, client: str = CUSTOMER) -> User | None:
    """The user of this origin id, or None."""
    return USERS.seen(sim.service.world, client).first(BY_ORIGIN, origin)


def predefined(sim: Simulator, **fields: Any) -> User:
    """A predefined user of the origin id person-1."""
    change = sim.service.change()
    user = users.create(change, CUSTOMER, "Stub", Account.PREDEFINED, origin_id="person-1", **fields)
    sim.service.commit(change)
    return user


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
    return f"{_part({'alg': 'none'})}.{_part(CLAIMS)}."


def _confused(keys: Keys, algorithm: str) -> str:
    """The public key, which everybody knows, taken as a secret."""
    return compact("HS256", keys.text[algorithm].encode(), CLAIMS, alg="HS256" if algorithm != "HS256" else "RS256")


def _own_jwk(keys: Keys, algorithm: str) -> str:
    known = {"kty": "oct", "k": _part(b"mine"), "alg": algorithm}
    return compact(algorithm, keys.stranger[algorithm], CLAIMS, jwk=known, jku="https://evil.example", x5u="https://e")


def _tampered(keys: Keys, algorithm: str) -> str:
    head, _, tail = compact(algorithm, keys.signing[algorithm], CLAIMS).split(".")
    return f"{head}.{_part({**CLAIMS, 'sub': 'person-2'})}.{tail}"


#: What can be wrong with the signature or the header of a token whose claims are right.
FORGERIES: dict[str, Callable[[Keys, str], str]] = {
    "a stranger's key": lambda keys, alg: compact(alg, keys.stranger[alg], CLAIMS),
    "alg none": _none,
    "alg none in capitals": lambda keys, alg: _none(keys, alg).replace(_part({"alg": "none"}), _part({"alg": "NONE"})),
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
    "a header that is a list": lambda keys, alg: f"{_part([alg])}.{_part(CLAIMS)}.{_part(b'x')}",
    "a nested header": lambda keys, alg: f"{_part(b'[' * 5000)}.{_part(CLAIMS)}.{_part(b'x')}",
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


@settings(max_examples=150, deadline=None)
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


@pytest.mark.rule("R145", "R239")
def test_somebody_unknown_becomes_a_registered_user(sim: Simulator) -> None:
    """One call suffices: the subject is the origin id, the name handle and full name (G199)."""
    token = exchange(sim, hs(CLAIMS)).body["token"]
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.account, user.handle, user.full_name) == (Account.REGISTERED, "Pia Person", "Pia Person")
    assert (user.image, user.email, user.auth_kind) == (CLAIMS["picture"], CLAIMS["email"], AuthKind.CUSTOM)
    credential = CREDENTIALS.seen(sim.service.world).get(token)
    assert credential is not None
    assert credential.user == user.id


def test_a_taken_name_does_not_fail_the_first_login(sim: Simulator) -> None:
    """The handle gets a number; the full name stays as told (G201)."""
    found = []
    for number in range(3):
        assert exchange(sim, hs(CLAIMS, sub=f"p{number}", name="Uma User")).status == 200
        found.append(of_origin(sim, f"p{number}"))
    assert [user.handle for user in found if user] == ["Uma User 2", "Uma User 3", "Uma User 4"]
    assert {user.full_name for user in found if user} == {"Uma User"}


def test_a_person_without_a_name_is_called_by_the_subject(sim: Simulator) -> None:
    """Some handle is needed, and nothing else is known."""
    exchange(sim, hs({"sub": "person-1", "exp": START_S + 1}))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.handle, user.full_name, user.image, user.email) == ("person-1", None, None, None)


@pytest.mark.rule("R061")
def test_a_predefined_user_is_connected_with_all_roles(sim: Simulator) -> None:
    """The origin id finds the account; id, levels and what is not told stay, the kind of authentication comes."""
    before = predefined(sim, levels=(Level.CUSTOMER_ADMIN,), description="kept")
    assert exchange(sim, hs(CLAIMS)).status == 200
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.id, user.levels, user.description) == (before.id, before.levels, "kept")
    assert (user.account, user.auth_kind, user.handle) == (Account.REGISTERED, AuthKind.CUSTOM, "Stub")


@pytest.mark.rule("R060")
def test_a_predefined_administrator_acts_after_the_connection(sim: Simulator) -> None:
    """Roles held by the stub open the gates to the person."""
    predefined(sim, levels=(Level.CUSTOMER_ADMIN,))
    token = exchange(sim, hs(CLAIMS)).body["token"]
    assert sim.call("accept_terms", token, version=1).status == 200
    assert sim.call("list_validators", token).status == 200


@pytest.mark.rule("R143")
def test_name_and_picture_in_the_token_update_the_user(sim: Simulator) -> None:
    """A later token changes the details; a registered handle stays (G201)."""
    exchange(sim, hs(CLAIMS))
    exchange(sim, hs(CLAIMS, name="Pia Newname", picture="http://p.example/2"))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.full_name, user.image, user.handle) == ("Pia Newname", "http://p.example/2", "Pia Person")


@pytest.mark.rule("R143")
def test_the_picture_in_the_token_replaces_an_image_that_was_uploaded(sim: Simulator) -> None:
    """The bytes of the one before are forgotten with it."""
    exchange(sim, hs(CLAIMS))
    user = of_origin(sim, "person-1")
    assert user is not None
    sim.call("set_user_image", "demo-api-token", userId=str(user.id), body=b"\x89PNG\r\n\x1a\n")
    assert len(IMAGES.seen(sim.service.world, CUSTOMER)) == 1
    exchange(sim, hs(CLAIMS, picture="http://p.example/2"))
    assert len(IMAGES.seen(sim.service.world, CUSTOMER)) == 0


@pytest.mark.rule("R144")
def test_what_the_token_does_not_tell_stays(sim: Simulator) -> None:
    """Absent claims leave name, picture, address and profile as they were."""
    exchange(sim, hs(CLAIMS))
    before = of_origin(sim, "person-1")
    exchange(sim, hs({"sub": "person-1", "exp": START_S + 60}))
    assert of_origin(sim, "person-1") == before


@pytest.mark.parametrize(
    "changed",
    [
        {"name": 7},
        {"name": ["Pia"]},
        {"name": "  "},
        {"picture": "javascript:alert(1)"},
        {"picture": "http://[::1"},
        {"picture": "/relative"},
        {"picture": {"url": "x"}},
        {"email": "no address"},
        {"email": 5},
        {"email_verified": "true", "email": "new@person.example"},
        {"email_verified": False, "email": "new@person.example"},
    ],
)
def test_details_that_make_no_sense_are_passed_over(sim: Simulator, changed: dict[str, Any]) -> None:
    """A login does not fail because of a bad detail, which changes nothing."""
    exchange(sim, hs(CLAIMS))
    before = of_origin(sim, "person-1")
    assert exchange(sim, hs(CLAIMS, **changed)).status == 200
    after = of_origin(sim, "person-1")
    assert before is not None
    assert after is not None
    shown = ("full_name", "image", "email", "handle")
    assert [getattr(after, field) for field in shown] == [getattr(before, field) for field in shown]


def test_a_long_name_with_line_breaks_is_cut_to_one_line(sim: Simulator) -> None:
    """Control characters become blanks, and sizes hold."""
    exchange(sim, hs(CLAIMS, name="a\r\nb" + "x" * 400))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert user.full_name == "a b" + "x" * 252
    assert user.handle == user.full_name


def test_the_origin_id_of_a_guest_connects_nobody(sim: Simulator) -> None:
    """Only predefined and registered users are found by a token."""
    change = sim.service.change()
    users.create(change, CUSTOMER, "Odd", Account.GUEST, origin_id="person-1")
    sim.service.commit(change)
    answer = exchange(sim, hs(CLAIMS))
    assert code(answer) == (401, "identity_token_invalid")


def test_a_validator_may_have_claims_of_its_own(sim: Simulator) -> None:
    """Its mapping wins over the usual names, claim by claim (G200)."""
    change = sim.service.change()
    client = clients.get(change, CUSTOMER)
    secret = "demo-validator-secret-of-32-bytes"
    validators.add(change, client, "mapped", "HS256", secret, claims=(("originId", "oid"), ("name", "full")))
    validators.enable(change, client, "mapped")
    sim.service.commit(change)
    assert exchange(sim, hs(CLAIMS)).status == 401
    assert exchange(sim, hs(CLAIMS, oid="employee-9", full="Mapped")).status == 200
    user = of_origin(sim, "employee-9")
    assert user is not None
    assert (user.full_name, user.image) == ("Mapped", CLAIMS["picture"])


def chosen(**profile: Any) -> Simulator:
    """The demo world with alternatives chosen."""
    return Simulator(clock=START, profile=choices(**profile))


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


def test_other_claims_by_choice() -> None:
    """The names of the claims are a choice for every validator."""
    sim = chosen(identity__claims={"originId": "oid", "picture": "avatar"})
    exchange(sim, hs(CLAIMS, oid="employee-9", avatar="https://a.example/9"))
    user = of_origin(sim, "employee-9")
    assert user is not None
    assert (user.image, user.full_name) == ("https://a.example/9", "Pia Person")


@pytest.mark.parametrize(
    ("when", "verified", "kept"),
    [
        ("when-verified", True, True),
        ("when-verified", False, False),
        ("always", False, True),
        ("never", True, False),
    ],
)
def test_when_the_address_counts_as_verified(when: str, verified: bool, kept: bool) -> None:
    """The address in a token becomes the user's by email_verified, always, or never (G200)."""
    sim = chosen(identity__email=when)
    exchange(sim, hs(CLAIMS, email_verified=verified))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.email == CLAIMS["email"]) is kept


def test_unknown_persons_are_refused_by_choice() -> None:
    """Then only predefined and known users come in (G199)."""
    sim = chosen(identity__unknown_subject="refuse")
    assert exchange(sim, hs(CLAIMS)).status == 401
    predefined(sim)
    assert exchange(sim, hs(CLAIMS)).status == 200


def test_the_name_changes_the_handle_too_by_choice() -> None:
    """With a number when it is taken, and none when it is the own one (G201)."""
    sim = chosen(identity__name="handle-too")
    handles = []
    for name in ("Pia Person", "Pia Newname", "PIA Newname", "Uma User"):
        exchange(sim, hs(CLAIMS, name=name))
        user = of_origin(sim, "person-1")
        assert user is not None
        handles.append(user.handle)
    assert handles == ["Pia Person", "Pia Newname", "PIA Newname", "Uma User 2"]


@pytest.mark.parametrize(
    ("name", "handle"),
    [
        ("Uma User", "Uma User 2"),
        ("uma user", "Uma User 2"),
        ("Uma", "Uma"),
        ("Uma User X", "Uma User X"),
        ("Olaf Owner", "Olaf Owner 2"),
    ],
)
def test_who_has_a_number_behind_the_name_keeps_it(name: str, handle: str) -> None:
    """Logging in again by the same name changes nothing; another name does (G201)."""
    sim = chosen(identity__name="handle-too")
    for told in ("Pia Person", "Uma User", name, name):
        exchange(sim, hs(CLAIMS, name=told))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert user.handle == handle


def test_a_name_that_is_too_long_for_a_handle_is_cut_each_time() -> None:
    """Who bears the beginning of the name as handle has no other of that name to step aside for (G201)."""
    sim = chosen(identity__name="handle-too", size__handle=8)
    for _ in range(2):
        exchange(sim, hs(CLAIMS, name="Pia Person the First"))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert user.handle == "Pia Pers"


def test_the_number_goes_where_unique_handles_are_no_longer_required() -> None:
    """The plain name is free to bear then (G201)."""
    sim = chosen(identity__name="handle-too")
    exchange(sim, hs(CLAIMS))
    exchange(sim, hs(CLAIMS, name="Uma User"))
    sim.call("set_handle_uniqueness", "demo-api-token", state="disable")
    exchange(sim, hs(CLAIMS, name="Uma User"))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert user.handle == "Uma User"


def test_the_service_token_lives_as_long_as_the_identity_token_by_choice() -> None:
    """Its end is then exp (G112)."""
    sim = chosen(identity__token_life="as-identity-token")
    assert exchange(sim, hs(CLAIMS)).body["expires"] == 60


def test_a_token_without_exp_gives_the_usual_life() -> None:
    """Where there is no exp to go by, the own life holds."""
    sim = chosen(identity__token_life="as-identity-token", identity__exp_required=False)
    assert exchange(sim, hs(CLAIMS, exp=None)).body["expires"] == 86_400
