"""The OpenAPI document: complete, valid, true to the profile."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from confsim.api.catalogue import API
from confsim.api.files import FILES, api_document
from confsim.assumptions.protocol.refusals import Reason
from confsim.contract.openapi import document
from confsim.control.catalogue import CONTROL
from confsim.control.operations.info import control_document
from confsim.service.conformance import Conformance
from confsim.service.files.profile import read_profile
from confsim.service.incoming import Incoming
from confsim.service.messages import Request, Response
from confsim.testing.samples import Pool, valid
from kit import CUSTOMER

PROFILES = {
    "defaults": {},
    "204": {"encode.empty": "204", "errors.body": "nested", "encode.absent": "null"},
    "{}": {"encode.empty": "200 {}", "errors.body": "problem", "parse.unknown-fields": "refuse"},
    "cookie": {"auth.presentation": ["Cookie: session={token}", "?token={token}"], "errors.body": "empty"},
    "header": {"auth.presentation": ["X-Auth-Token: {token}"], "status.role-missing": 404, "errors.body": "text"},
}


def described(chosen: dict[str, object]) -> dict:
    """The API's document under a profile."""
    return json.loads(api_document(read_profile(chosen)))


def operations(described: dict) -> dict[str, dict]:
    """The operations of a document by id, variants included."""
    listed = {}
    for item in described["paths"].values():
        for each in item.values():
            for one in (each, *each.get("x-confsim-variants", ())):
                assert one["operationId"] not in listed
                listed[one["operationId"]] = one
    return listed


@pytest.mark.parametrize("name", PROFILES)
def test_it_is_a_valid_document(name):
    """openapi-spec-validator accepts the document of every profile."""
    validate(described(PROFILES[name]))


def test_the_control_plane_has_one_too():
    """Its document is valid, says where it stands beside its own address, and has problem documents for refusals."""
    made = json.loads(control_document())
    validate(made)
    assert set(operations(made)) == {operation.name for operation in CONTROL}
    assert made["servers"] == [{"url": "../_confsim"}]
    assert set(made["components"]["responses"]["Errordefault"]["content"]) == {"application/problem+json"}


def test_a_variant_is_part_of_the_operation_whose_route_it_shares():
    """A path item holds one GET: the parameter and the response of the variant are alternatives in it."""
    one = described({})["paths"]["/channels"]["get"]
    (variant,) = one["x-confsim-variants"]
    assert (one["operationId"], variant["operationId"]) == ("list_channels", "find_channel_by_meeting_id")
    assert variant["parameters"] == ["meetingId"]
    assert "meetingId" in {each["name"] for each in one["parameters"] if not each.get("required")}
    schemas = one["responses"]["200"]["content"]["application/json"]["schema"]["anyOf"]
    assert variant["responses"]["200"]["content"]["application/json"]["schema"] in schemas


def test_every_operation_is_in_it_once():
    """The document has every name of the catalogue, and no other."""
    assert set(operations(described({}))) == {operation.name for operation in API}


def test_extensions_show_the_declaration():
    """Rules, gaps, source and summary of each operation are those of its declaration."""
    found = operations(described({}))
    for operation in API:
        one = found[operation.name]
        assert one["x-confsim-rules"] == list(operation.rules)
        assert one["x-confsim-gaps"] == list(operation.gaps)
        assert one["x-confsim-source"] == operation.source
        assert one["summary"] == operation.summary


def test_parameters_are_those_of_the_declarations():
    """Query parameters have their names on the wire; for_client is listed where the operation takes it."""
    found = operations(described({}))
    for operation in API:
        if operation.variant_of or "x-confsim-variants" in found[operation.name]:
            continue
        names = [each["name"] for each in found[operation.name].get("parameters", ()) if each["in"] == "query"]
        expected = [each.name for each in operation.query_parameters]
        assert names == expected + ["for_client"] * operation.for_client


@pytest.mark.rule("R029", "R030")
def test_image_sizes_are_described_in_pixels():
    """Every imgSize parameter lists its six words, with their pixels."""
    found = operations(described({}))
    sized = [each for each in API if any(parameter.name == "imgSize" for parameter in each.query_parameters)]
    assert len(sized) >= 10
    for operation in sized:
        if operation.variant_of:
            continue
        (schema,) = (each["schema"] for each in found[operation.name]["parameters"] if each["name"] == "imgSize")
        assert schema["enum"] == ["small", "medium", "large", "xlarge", "xxlarge", "unfurl"]
        assert schema["description"].split(", ") == [
            "small is 40x40 pixels",
            "medium is 80x80 pixels",
            "large is 100x100 pixels",
            "xlarge is 130x130 pixels",
            "xxlarge is 175x175 pixels",
            "unfurl is 600x600 pixels",
        ]


@pytest.mark.rule("R256", "R264", "R295", "R305")
def test_enumerations_list_the_words_of_the_documents():
    """All of them and no others."""
    schemas = described({})["components"]["schemas"]
    words = {
        ("ChannelDetails", "serviceMode"): {"conference", "panel"},
        ("ChannelDetails", "audioQuality"): {"toll", "broadcast"},
        ("RecordingAsset", "kind"): {"audio", "video", "other"},
        ("DownloadableAsset", "kind"): {"archive", "combined_video", "captions", "other"},
    }
    for (struct, field), expected in words.items():
        (reference,) = schemas[struct]["properties"][field].values()
        assert set(schemas[reference.rpartition("/")[2]]["enum"]) == expected


def test_documents_are_cached_by_profile():
    """Equal profiles share one document, byte for byte; others do not."""
    assert api_document(read_profile(PROFILES["204"])) is api_document(read_profile(PROFILES["204"]))
    assert api_document({}) != api_document(read_profile(PROFILES["204"]))


def test_the_document_is_deterministic():
    """It depends neither on the order of a set nor on an earlier document."""
    first, second = (document(API, title="t", version="1", prefix="v1_0") for _ in range(2))
    assert json.dumps(first) == json.dumps(second)


@pytest.mark.parametrize(
    ("presentation", "scheme"),
    [
        ("Authorization: Bearer {token}", {"type": "http", "scheme": "bearer"}),
        ("Authorization: Token {token}", {"type": "http", "scheme": "token"}),
        ("X-Api-Key: {token}", {"type": "apiKey", "in": "header", "name": "X-Api-Key"}),
        ("?token={token}", {"type": "apiKey", "in": "query", "name": "token"}),
        ("Cookie: session={token}", {"type": "apiKey", "in": "cookie", "name": "session"}),
    ],
)
def test_security_schemes_follow_the_profile(presentation, scheme):
    """Each presentation of a token is a security scheme."""
    made = described({"auth.presentation": [presentation]})
    assert made["components"]["securitySchemes"]["token"] == scheme


@pytest.mark.rule("R242")
def test_public_calls_need_no_token():
    """The terms of a client need no token, those of the caller do."""
    found = operations(described({}))
    assert found["get_client_terms"]["security"] == []
    assert found["get_user_terms"]["security"] == [{"token": []}]


@pytest.mark.parametrize(
    ("chosen", "code", "content"),
    [("200", "200", None), ("200 {}", "200", "application/json"), ("204", "204", None)],
)
def test_the_empty_response_follows_the_profile(chosen, code, content):
    """An operation whose response is '-' has the status and the body that the profile chooses."""
    answer = operations(described({"encode.empty": chosen}))["update_terms_url"]["responses"][code]
    assert content in answer.get("content", {None: None})


def test_statuses_of_refusals_follow_the_profile():
    """A profile that answers missing roles with 404 moves the code there."""
    responses = described({"status.role-missing": 404})["components"]["responses"]
    assert "role_missing" in responses["Error404"]["x-confsim-codes"]
    assert "role_missing" not in responses["Error403"]["x-confsim-codes"]


def test_a_gate_follows_the_profile():
    """The grants are those of the profile, and the assumption is listed."""
    one = operations(described({"gate.update_terms_url": ["partner-admin"]}))["update_terms_url"]
    assert one["x-confsim-gate"] == ["partner-admin"]
    assert "gate.update_terms_url" in one["x-confsim-assumptions"]
    assert operations(described({"gate.update_terms_url": ["public"]}))["update_terms_url"]["security"] == []


def test_assumptions_are_those_of_the_operation_and_of_its_gaps():
    """Assumptions that affect many operations are listed too: what a search finds, the status of a refusal."""
    listed = operations(described({}))
    assert {"users.listed", "lists.search", "gate.list_users"} <= set(listed["list_users"]["x-confsim-assumptions"])
    assert {"emails.malformed", "status.email-malformed"} <= set(listed["set_user_email"]["x-confsim-assumptions"])
    assert "lists.search" not in listed["get_me"]["x-confsim-assumptions"]


def test_a_route_follows_the_profile():
    """An operation that the documents only name has the route that the profile chooses."""
    made = described({"route.list_clients": "GET /tenants", "route.prefix": "/acme/v1_0"})
    assert made["paths"]["/tenants"]["get"]["operationId"] == "list_clients"
    assert made["servers"] == [{"url": "acme/v1_0"}]


def test_limits_of_texts_follow_the_profile():
    """The maximum length of a URL in the profile is that of the schema."""
    schema = described({"size.url": 99})["components"]["schemas"]["TermsUrl"]["properties"]["url"]
    assert schema["maxLength"] == 99
    assert schema["format"] == "uri"


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("caller", [None, "nobody"])
def test_the_error_body_follows_the_profile(name, caller):
    """A refusal under each error template fits the schema of the document."""
    from confsim import Simulator

    sim = Simulator(profile=PROFILES[name])
    assert sim.call("get_user_terms", caller).status == 401
    assert list(Conformance(sim.service.profile).violations(next(iter(sim.service.journal)))) == []


@pytest.mark.parametrize("number", [0, 1])
def test_sample_bodies_fit_their_schemas(sim, number):
    """A body that decodes is valid by its schema."""
    made = described({})
    pool = Pool(sim.service.world, CUSTOMER)
    for name, one in operations(made).items():
        schema = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if schema is not None:
            complete = {**schema, "components": made["components"]}
            Draft202012Validator(complete).validate(valid(API[name], pool, number).body)


def test_it_is_served_beside_the_api(sim):
    """GET /openapi.json at the mount returns the document of the world's profile, without a token."""
    response = sim.service.perform(Incoming(FILES["get_openapi"], (), {}, None, Request("GET", "/openapi.json")))
    assert response.status == 200
    assert json.loads(response.body) == described({})


@pytest.mark.parametrize(
    ("status", "body", "problem"),
    [(200, b'{"isCurrent": 1}', "breaks its schema"), (200, b"", "no body"), (201, b"{}", "no documented status")],
)
def test_the_judge_finds_invalid_responses(sim, status, body, problem):
    """A wrong status, type or body is a problem that names the request."""
    sim.call("get_user_terms", "demo-owner")
    entry = next(iter(sim.service.journal))
    entry.response = Response(status, [("Content-Type", "application/json")], body)
    problems = [str(each) for each in Conformance({}).violations(entry)]
    assert any(problem in each for each in problems)
    assert all("GET /v1_0/users/me/terms" in each for each in problems)


def test_every_reason_is_listed_under_its_status():
    """The error responses list the code of every reason."""
    responses = described({})["components"]["responses"].values()
    found = {code for each in responses for code in each.get("x-confsim-codes", ())}
    used = {reason.name.lower() for reason in Reason if reason.value.status in {400, 401, 403, 404, 409, 413}}
    assert found >= used
