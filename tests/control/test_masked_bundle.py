"""Bundles whose secrets are masked: none of them is in the file, and a replay gives the same bytes all the same."""

from __future__ import annotations

import json
from base64 import b64encode

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from confsim import Simulator, demo
from confsim.arazzo import library
from confsim.control.bundle import masking
from confsim.control.bundle.document import decoded
from confsim.control.bundle.replay import replay
from confsim.control.scenarios import compile_scenario, run_scenario

ROOM, ADMIN = demo.ROOM, demo.CUSTOMER_ADMIN


def pem(curve=None):
    """A private key: of a curve, or for RSA."""
    key = ec.generate_private_key(curve) if curve else rsa.generate_private_key(65537, 2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def exchanged(sim, token):
    """The answer of the exchange of an identity token."""
    return sim.call("exchange_identity_token", clientId=demo.CLIENT, body={"idToken": token})


def masked(sim, *hidden, not_repeated=()):
    """The masked bundle, in which nothing of what is hidden stands, and of which a replay gives the same bytes."""
    plain, document = (sim.control("get_bundle", mask=mask).data for mask in (False, True))
    assert [each for each in hidden if each.encode() not in plain] == [], "it was in none"
    assert [each for each in hidden if each.encode() in document] == []
    found = replay(decoded(document))
    assert found.parting is None, found.parting
    assert [each.partition(": ")[0] for each in found.not_repeated] == list(not_repeated)
    return json.loads(document)


def secrets_of(sim):
    """The secrets in the world as it is now that are long enough to be distinguished from other texts."""
    return {each for each in masking.in_document(sim.state) if len(each) >= 12}


@pytest.mark.parametrize("name", library.SHIPPED)
def test_every_shipped_scenario(name):
    """Every call is repeated, and no token, code, key or password stands in the file."""
    sim = Simulator()
    secrets = secrets_of(sim)
    assert run_scenario(compile_scenario(name, {}), sim.control.context).failure is None
    document = sim.control("get_bundle", mask=True).data.decode()
    secrets |= secrets_of(sim)
    assert [each for each in sorted(secrets) if each in document] == []
    found = replay(decoded(document.encode()))
    assert found.parting is None, found.parting
    assert found.not_repeated == []


def test_answers_that_hold_a_part_of_a_token():
    """A list of API tokens shows their last characters: those of the stand-ins."""
    sim = Simulator()
    made = sim.call("create_api_token", ADMIN, body={"label": "x"}, expect=200).body["token"]
    sim.call("list_api_tokens", ADMIN, expect=200)
    sim.call("get_channel", made, uuid=ROOM, expect=200)
    document = masked(sim, "demo-api-token", made)
    assert len(document["stand_ins"]) == 1


def test_secrets_in_a_body_that_is_cut_off():
    """It is no JSON, and says by its names all the same what is a secret."""
    sim = Simulator()
    sim.client("demo-owner").post(f"/channels/{ROOM}/dial/pins", data=b'{"pin": "77712345",')
    masked(sim, "77712345")


def test_answers_that_hold_signed_tokens():
    """Of persistent invitations, and their exchange later."""
    sim = Simulator(profile={"invitations.kind": "always"})
    user = sim.call("create_predefined_user", ADMIN, body={"name": "Pia"}, expect=200).body["id"]
    code = sim.call("create_invitation", ADMIN, userId=user, expect=200).body["code"]
    assert code.startswith("eyJ")
    assert exchanged(sim, code).ok
    masked(sim, code)


def test_identity_tokens_are_signed_by_the_stand_in_of_the_key():
    """So a login by one is made again; one that nobody has signed is refused again."""
    sim = Simulator()
    token, wrong = sim.identity_token("Vera"), "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
    answers = [exchanged(sim, each) for each in (token, wrong)]
    assert [each.ok for each in answers] == [True, False]
    signature = token.rpartition(".")[2]
    masked(sim, token, signature, "c2lnbmF0dXJl", demo.VALIDATOR_SECRET, answers[0].body["token"])


@pytest.mark.parametrize(
    ("algorithm", "key", "secret"),
    [
        ("HS256", "a-secret-of-somebody-of-32-bytes", "a-secret-of-somebody-of-32-bytes"),
        ("HS256", {"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA"}, "c2VjcmV0LXNlY3JldC1zZWNyZXQ"),
        ("ES256", pem(ec.SECP256R1()), "PRIVATE KEY"),
        ("RS256", pem(), "PRIVATE KEY"),
    ],
    ids=["secret", "JWK", "EC", "RSA"],
)
def test_keys_of_validators(algorithm, key, secret):
    """A secret is masked, of a private key the public part is left."""
    sim = Simulator()
    sim.make_validator(demo.CLIENT, "mine", algorithm, key, active=True)
    token = sim.identity_token("Vera")
    assert exchanged(sim, token).ok
    masked(sim, secret, token.rpartition(".")[2], not_repeated=() if algorithm == "HS256" else ["c2", "r1"])


def test_secrets_of_a_loaded_state():
    """PINs, passwords of endpoints, stream keys, codes in mails; and of what clients send."""
    sim = Simulator()
    sim.call("set_events_state", ADMIN, state="enable", expect=200)
    sim.call("add_events_endpoint", ADMIN, body={"url": "https://user:pass-word@hooks.example/in"}, expect=200)
    sim.call("add_dial_pin", "demo-owner", uuid=ROOM, body={"pin": "471138"}, expect=200)
    loaded = Simulator()
    loaded.state = sim.state
    loaded.call("list_dial_pins", "demo-owner", uuid=ROOM, expect=200)
    loaded.call("add_dial_pin", "demo-owner", uuid=ROOM, body={"pin": "815342"}, expect=200)
    loaded.call("delete_dial_pin", "demo-owner", uuid=ROOM, pin="471138", expect=200)
    loaded.client("demo-owner").delete(f"/channels/{ROOM}/dial/pins/815342")
    loaded.call("list_events_endpoints", ADMIN, expect=200)
    secret = loaded.call("get_events_secret", ADMIN, expect=200).body["secret"]
    assert secret.startswith("whsec_")
    masked(loaded, "471138", "pass-word", "815342", secret)


WEBHOOK = "https://hooks.example/services/T0123/aB3dE5fG7hI9jK1lM3nO5pQ7"


@pytest.mark.parametrize(
    ("url", "hidden"),
    [
        ("https://hooks.example/in?key=s3cr3t-of-mine&room=planning-room", "s3cr3t-of-mine"),
        ("https://hooks.example/in?room=x&api_key=s3cr3t%2Fof%2Bmine", "s3cr3t%2Fof%2Bmine"),
        ("https://hooks.example/in?v=2;sig=0123456789#top", "0123456789"),
        ("https://hooks.example/in?state=A1b2C3d4E5f6G7h8I9j0", "A1b2C3d4E5f6G7h8I9j0"),
        (WEBHOOK, WEBHOOK.rpartition("/")[2]),
    ],
)
def test_secrets_in_the_urls_of_webhooks(url, hidden):
    """In what is stored, in what is sent, also in vain, and in what is answered; the rest of the URL stays."""
    sim = Simulator()
    sim.call("set_events_state", ADMIN, state="enable", expect=200)
    sim.call("add_events_endpoint", ADMIN, body={"url": url}, expect=200)
    sim.call("list_events_endpoints", ADMIN, expect=200)
    sim.call("upload_client_media", ADMIN, name="one", body=b"x", expect=200)
    document = masked(sim, hidden)
    assert "https://hooks.example/" in json.dumps(document)
    assert "room=planning-room" not in url or "room=planning-room" in json.dumps(document)
    in_vain = Simulator()
    in_vain.call("add_events_endpoint", demo.USER, body={"url": url}, expect=403)
    masked(in_vain, hidden)
    again = Simulator()
    again.state = sim.state
    again.call("list_events_endpoints", ADMIN, expect=200)
    masked(again, hidden)


@pytest.mark.parametrize("url", [f"https://a.example/hooks/{ROOM}?v=2&key=short", "https://a.example/an-address-2026"])
def test_what_stays_in_a_url(url):
    """Ids, words, and what is too short to be distinguished from other texts."""
    sim = Simulator()
    sim.call("add_events_endpoint", ADMIN, body={"url": url}, expect=200)
    assert url in json.dumps(masked(sim))


def test_tokens_in_headers_queries_and_forms():
    """As a client may present them, also in Base64."""
    sim = Simulator(profile={"auth.presentation": ["Authorization: Basic {token}", "?access_token={token}"]})
    basic = b64encode(b":demo-owner").decode()
    client = sim.client()
    assert client.get("/users/me", headers={"Authorization": f"Basic {basic}"}).status_code == 200
    assert client.get("/users/me?access_token=demo-user").status_code == 200
    client.get("/users/me?access_token=un%2Fknown%20token")
    masked(sim, basic, "demo-user", "un%2Fknown")


def test_requests_that_depend_on_an_answer():
    """A validator of an answer with a secret in it is that of the answer with the stand-in."""
    sim = Simulator(profile={"http.caching": "etag"})
    sim.call("add_dial_pin", "demo-owner", uuid=ROOM, body={"pin": "815342"}, expect=200)
    client = sim.client("demo-owner")
    path = f"/channels/{ROOM}/dial/pins"
    first = client.get(path)
    assert client.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    masked(sim, "815342")


def test_a_code_that_only_a_mail_has():
    """The world makes it again: a replay finds it there."""
    sim = Simulator()
    user = sim.demo.user.id
    sim.call("set_user_email", "demo-user", userId=user, body={"email": "uma@new.example"}, expect=200)
    code = sim.mail[-1].code
    sim.client("demo-user").post(f"/users/{user}/email/verify/{code}")
    assert sim.call("get_user_email", "demo-user", userId=user).body["verified"]
    masked(sim, f"/{code}")


def test_what_the_stand_ins_change_is_not_repeated():
    """A name that was cut to size had the secret in it; the world after the call is set."""
    sim = Simulator()
    sim.call("create_channel", "demo-owner", body={"name": "x" * 250 + "demo-owner"})
    sim.call("list_channels", "demo-owner")
    masked(sim, "demo-owner")


def test_a_journal_that_parts_says_so_masked():
    """Where the whole bundle parts, the masked one does."""
    sim = Simulator()
    sim.call("get_me", "demo-owner")
    sim.service.journal.last().response.body = b'{"odd": true}'
    found = replay(decoded(sim.control("get_bundle", mask=True).data))
    assert found.parting.id == "r1"


@pytest.mark.parametrize("secret", ["1234", "12", "abcdefg", "a" * 9, "whsec_" + "A" * 44])
def test_stand_ins_are_different_and_of_the_same_length(secret):
    """And of such characters."""
    made = masking.StandIns(lambda text: False)
    found = [made.of(secret) for _ in range(30)]
    assert len(set(found)) == 30
    assert {len(each) for each in found} == {len(secret)}
    assert all(each.isdigit() for each in found) == secret.isdigit()


def test_bytes_and_text_survive(sim):
    """A body that is no text is as it was."""
    sim.client("demo-owner").post("/users/handle/reserve", data=b"\xff demo-owner", content_type="application/json")
    document = masked(sim, "demo-owner")
    body = document["calls"][0]["request"]["body"]
    assert msgspec.json.encode(body).startswith(b'{"base64":')
