"""A secret is not an object: no refusal tells callers whether a secret or another input that they send exists."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.assumptions.protocol.transport import CHECKS_ORDER
from confsim.contract.annotations import mark_of
from confsim.contract.gates import Grant
from confsim.contract.types import Names
from confsim.testing.samples import IdPool
from kit import ADMIN, CUSTOMER, DAY, OWNER, START, START_S, choices, ok
from kit.each import each
from kit.proofs.tenants import collected
from kit.things.identity_tokens import CLAIMS, hs
from kit.things.recordings import read, recorded

ORDERS = (CHECKS_ORDER.default, *CHECKS_ORDER.alternatives)
#: Secrets and other inputs in paths, by operation.
INPUTS = [(operation.name, parameter.name) for operation in API for parameter in operation.path_parameters
          if parameter.is_input]  # fmt: skip
#: Refusals of who calls.
ROLE = ("role_missing", "no_user_context", "guest_elsewhere")
REFUSED = (*ROLE, "credential_missing", "credential_invalid")
#: Ids that the service makes: of users, and of everything else.
MADE = re.compile(r"[0-9]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
#: A text of the same form that names nothing: other digits, other letters.
OTHER_FORM = str.maketrans("0123456789", "9876543201")


@pytest.fixture(scope="module")
def cases():
    """A call of each operation that succeeds, with the world in which it does."""
    return collected()


def callers(sim):
    """Tokens of everybody there is in a world: of the demo, and somebody new of each kind."""
    yield from (None, "nobody")
    yield from (f"demo-{role}" for role in ("owner", "operator", "user", "guest", "customer-admin", "api-token"))
    yield from ("demo-partner-admin", "demo-other-admin")
    yield sim.make_user(CUSTOMER, "Somebody registered", registered=True).token
    for room in IdPool(sim.service.world, CUSTOMER).list_ids("channels")[:2]:
        yield sim.make_user(CUSTOMER, f"Somebody in {room}", registered=False, channel=room).token


def missing(text):
    """A text of the same form that is not there."""
    changed = "".join(reversed(text)).translate(OTHER_FORM) if text.isdecimal() else text.translate(OTHER_FORM)
    return changed if changed != text else f"{text[:-1]}{'x' if text[-1] != 'x' else 'y'}"


def seen(answer):
    """All that a caller sees, except what differs from call to call."""
    headers = [(name, value) for name, value in answer.headers.items() if name not in {"Date", "X-Confsim-Request-Id"}]
    return answer.status, headers, answer.content


def changed(case):
    """The arguments with another value in each place that takes one: an input of the path, the query, the body."""
    operation, arguments = case.operation, case.arguments
    for parameter in operation.path_parameters:
        if parameter.is_input:
            text = arguments.path[parameter.name]
            yield parameter.name, replace(arguments, path={**arguments.path, parameter.name: missing(text)})
    for parameter in operation.query_parameters:
        text = arguments.query.get(parameter.name)
        if text and parameter.wire is str:
            yield parameter.name, replace(arguments, query={**arguments.query, parameter.name: missing(text)})
    if isinstance(arguments.body, dict):
        for name, value in arguments.body.items():
            if value and isinstance(value, str) and name not in {"kind", "destination", "imageUrl", "url"}:
                yield name, replace(arguments, body={**arguments.body, name: missing(value)})


@each("order", ORDERS)
def test_refused_callers_see_the_same_bytes(cases, order):
    """Whoever the gate refuses gets one answer, whatever the secrets and inputs of the call are."""
    differing, tried = [], set()
    for case in cases.values():
        places = [*changed(case)]
        if not places or case.operation.public:
            continue
        sim = case.begin(profile={CHECKS_ORDER.id: order})
        for token in [*callers(sim)]:
            there = sim.fork().call(case.operation.name, token, **case.arguments.keywords)
            if there.ok or there.body["code"] not in REFUSED:
                continue
            for name, arguments in places:
                if there.body["code"] in ROLE:
                    tried.add((case.operation.name, name))
                found = sim.fork().call(case.operation.name, token, **arguments.keywords)
                if seen(found) != seen(there):
                    differing.append((case.operation.name, name, token, there, found))
    assert differing == []
    assert tried.issuperset(place for place in INPUTS if Grant.SIGNED_IN not in API[place[0]].gate.grants)


@each("name,parameter", INPUTS)
def test_admitted_callers_are_told_what_is_missing(cases, name, parameter):
    """Whoever may call hears that an input leads to nothing; the kinds of data channels aside, of which any may be."""
    case = cases[name]
    ((_, arguments),) = [found for found in changed(case) if found[0] == parameter]
    statuses = [case.ask(case.caller, each)[0] for each in (case.arguments, arguments)]
    assert statuses == [200, 200 if name == "get_data_channel" else 404]


@each("name", API.operations)
def test_objects_have_ids_that_the_service_made(cases, name):
    """A parameter that is looked up before the role takes an id that nobody chose, or it has to be an input."""
    case = cases[name]
    for parameter in case.operation.path_parameters:
        if parameter.resolve is not None and not parameter.is_input:
            assert all(map(MADE.fullmatch, case.arguments.path[parameter.name].split(","))) or (
                case.arguments.path[parameter.name] == "me"
            )


def test_secrets_in_paths_are_inputs_or_open_public_calls():
    """A parameter that is declared as a secret is looked up after the role, or by a public call."""
    named = [
        (operation, parameter)
        for operation in API
        for parameter in operation.path_parameters
        if (mark := mark_of(parameter.annotation, Names)) is not None and mark.secret
    ]
    assert named
    assert all(parameter.is_input or operation.public for operation, parameter in named)


# Public calls that take a secret


def invited(sim, **query):
    """The code of a new predefined user's invitation, and the user."""
    user = ok(sim, "create_predefined_user", body={"name": "Invited"})["id"]
    return ok(sim, "create_invitation", userId=user, **query)["code"], user


def forged(text):
    """A text of the same form whose end, such as its signature, is another."""
    return text[:-4] + "AAAA"


def exchanged(sim, code, client=CUSTOMER):
    """What the exchange answers to a token or a code."""
    return seen(sim.call("exchange_identity_token", clientId=client, body={"idToken": code}))


def fetched(sim, url):
    """What the address of a file answers."""
    answer = sim.client().get(url)
    return answer.status_code, dict(answer.headers) | {"X-Confsim-Request-Id": "", "Date": ""}, answer.data


def replaced_codes(sim):
    """Codes of invitations: one that is made up, and a replaced and an expired one."""
    first, user = invited(sim)
    second = ok(sim, "create_invitation", userId=user)["code"]
    sim.clock.advance(8 * DAY)
    return forged(first), (first, second)


@pytest.mark.parametrize("kind", ["never", "always"])
@pytest.mark.parametrize("form", ["jwt", "opaque"])
@pytest.mark.parametrize("active", [True, False])
def test_exchange_answers_alike_to_every_code_that_is_over(kind, form, active):
    """Whether a code is unknown, replaced, expired, used or a Nonce, the exchange answers the same bytes."""
    sim = Simulator(clock=START, profile=choices(invitations__kind=kind, invitations__persistent_code=form))
    if not active:
        ok(sim, "disable_validator", validatorId="demo-validator")
    unknown, over = replaced_codes(sim)
    if kind == "never":
        over = (*over, invited(sim)[0])
    assert {exchanged(sim, code) == exchanged(sim, unknown) for code in over} == {True}
    assert exchanged(sim, unknown)[0] == 401


def test_used_codes_are_refused_as_unknown_ones():
    """A code that serves once is, when it is used, like any other text to the exchange; so is it to a login."""
    sim = Simulator(clock=START, profile=choices(invitations__kind="always", invitations__persistent_exchange="once"))
    code, _ = invited(sim)
    unknown = exchanged(sim, forged(code))
    assert (exchanged(sim, code)[0], exchanged(sim, code)) == (200, unknown)


def test_logins_answer_alike_to_every_code_that_they_do_not_take(sim):
    """The control plane's login has one refusal for a code that is unknown, replaced, expired, used or Persistent."""
    used, _ = invited(sim)
    sim.redeem(used)
    replaced, user = invited(sim)
    expired = ok(sim, "create_invitation", userId=user)["code"]
    sim.clock.advance(8 * DAY)
    linked = ok(sim, "create_linked_user", OWNER, uuid=ok(sim, "list_channels", OWNER)["results"][0]["channelUuid"],
                body={"handle": "Linked"})["id"]  # fmt: skip
    persistent = ok(sim, "create_invitation", userId=linked)["code"]
    client = sim.client()
    answers = [client.post("/_confsim/invitations/redeem", json={"code": code})
               for code in ("unknown", used, replaced, expired, persistent)]  # fmt: skip
    assert {(answer.status_code, answer.data) for answer in answers} == {(401, answers[0].data)}


def test_identity_tokens_are_refused_alike(sim):
    """A forged identity token, an expired one and one for somebody else get one answer."""
    never = forged(hs(CLAIMS))
    over = (hs(CLAIMS, exp=START_S - 9), hs(CLAIMS, nbf=START_S + 999), hs(CLAIMS, sub=None))
    assert {exchanged(sim, token) == exchanged(sim, never) for token in over} == {True}


def test_download_tokens_and_links_are_refused_alike(sim):
    """A token for assets, a download URL or a link to a file that has expired is refused as one never issued."""
    sim.presence.join("aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", "demo-user")
    id = recorded(sim)
    token = read(sim, "get_recording_credentials", id).body["jwt"]
    download = urlsplit(read(sim, "get_recording_download", id, OWNER).body["url"]).path
    media = ok(sim, "upload_client_media", ADMIN, name="one", body=b"x")["id"]
    link = ok(sim, "get_client_media_link", ADMIN, mediaId=media)["url"].partition("/files/")
    link = f"/files/{link[2]}"
    assert [fetched(sim, url)[0] for url in (download, link)] == [200, 200]
    sim.clock.advance("1h")
    for name, more in (("list_downloadable_assets", {}), ("download_recording_asset", {"assetId": "x"})):
        over = seen(sim.call(name, jwtToken=token, **more))
        assert over == seen(sim.call(name, jwtToken=forged(token), **more)), name
    for url in (download, link):
        assert fetched(sim, url) == fetched(sim, url[:-4] + "aaaa"), url


def test_profile_tells_used_and_expired_secrets_apart():
    """Under errors.spent-secrets = told, a replaced invitation code is refused for its own reason."""
    sim = Simulator(clock=START, profile=choices(invitations__kind="always", errors__spent_secrets="told"))
    unknown, (replaced, _) = replaced_codes(sim)
    codes = [sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": code}).body["code"]
             for code in (unknown, replaced)]  # fmt: skip
    assert codes == ["identity_token_invalid", "invitation_code_invalid"]
