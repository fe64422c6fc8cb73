"""A secret is not an object: callers whom the gate refuses learn nothing of the secrets and inputs that they send."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.assumptions.protocol.transport import CHECKS_ORDER
from confsim.contract.gates import Grant
from confsim.testing.samples import IdPool
from kit import CUSTOMER
from kit.each import each
from kit.proofs.tenants import collected

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
