"""The OpenAPI document: complete, valid, true to the profile."""

from __future__ import annotations

import json

import msgspec
import pytest
from jsonschema import Draft202012Validator

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.contract.openapi.document import Subject, document
from confsim.control.catalogue import CONTROL
from confsim.control.operations.info import control_document
from confsim.service.conformance import Conformance
from confsim.service.document import FILES, SERVER, api_document
from confsim.service.files.profile import read_profile
from confsim.service.incoming import Incoming
from confsim.service.messages import Request, Response
from confsim.testing.samples import IdPool, valid
from kit import ADMIN, CUSTOMER, OWNER, ROOM, START
from kit.openapi import MANY, PROFILES, described, operations, parameters, plain


def test_a_variant_is_part_of_the_operation_whose_route_it_shares():
    """A path item holds one GET: the parameter and the response of the variant are alternatives in it."""
    one = plain()["paths"]["/channels"]["get"]
    (variant,) = one["x-confsim-variants"]
    assert (one["operationId"], variant["operationId"]) == ("list_channels", "find_channel_by_meeting_id")
    assert variant["parameters"] == ["meetingId"]
    assert "meetingId" in {each["name"] for each in parameters(one) if not each.get("required")}
    schemas = one["responses"]["200"]["content"]["application/json"]["schema"]["anyOf"]
    assert variant["responses"]["200"]["content"]["application/json"]["schema"] in schemas


def test_every_operation_is_in_it_once():
    """The document has every name of the catalogue, and no other."""
    assert set(operations(plain())) == {operation.name for operation in API}


def test_extensions_show_the_declaration():
    """Rules, gaps, source and summary of each operation are those of its declaration."""
    found = operations(plain())
    for operation in API:
        one = found[operation.name]
        assert one["x-confsim-rules"] == list(operation.rules)
        assert one["x-confsim-gaps"] == list(operation.gaps)
        assert one["x-confsim-source"] == operation.source
        assert one["summary"] == operation.summary


def test_parameters_are_those_of_the_declarations():
    """Query parameters have their names on the wire; for_client is listed where the operation takes it."""
    found = operations(plain())
    for operation in API:
        if operation.variant_of or "x-confsim-variants" in found[operation.name]:
            continue
        names = [each["name"] for each in parameters(found[operation.name]) if each["in"] == "query"]
        expected = [each.name for each in operation.query_parameters]
        assert names == expected + ["for_client"] * operation.for_client


@pytest.mark.rule("R030")
def test_image_sizes_are_described_in_pixels():
    """Every imgSize parameter lists its six words, with their pixels."""
    fresh = {"size.url": 77}  # a document that no other test asks for
    found = operations(described(fresh))
    sized = [each for each in API if any(parameter.name == "imgSize" for parameter in each.query_parameters)]
    assert len(sized) >= 10
    for operation in sized:
        if operation.variant_of:
            continue
        assert {"$ref": "#/components/parameters/imgSize"} in found[operation.name]["parameters"]
    components = described(fresh)["components"]
    assert components["parameters"]["imgSize"]["schema"] == {"$ref": "#/components/schemas/ImageSize"}
    schema = components["schemas"]["ImageSize"]
    assert schema["enum"] == ["small", "medium", "large", "xlarge", "xxlarge", "unfurl"]
    sizes = "small is 40x40 pixels, medium is 80x80 pixels, large is 100x100 pixels, xlarge is 130x130 pixels, "
    assert schema["description"].endswith(f"{sizes}xxlarge is 175x175 pixels, unfurl is 600x600 pixels.")


def test_enumerations_list_the_words_of_the_documents():
    """All of them and no others."""
    schemas = plain()["components"]["schemas"]
    words = {
        ("Channel", "serviceMode"): {"conference", "panel"},
        ("Channel", "audioQuality"): {"toll", "broadcast"},
        ("RecordingAsset", "kind"): {"audio", "video", "other"},
        ("DownloadableAsset", "kind"): {"archive", "combined_video", "captions", "other"},
    }
    for (struct, field), expected in words.items():
        reference = schemas[struct]["properties"][field]["$ref"]
        assert set(schemas[reference.rpartition("/")[2]]["enum"]) == expected


def test_documents_are_cached_by_profile():
    """Equal profiles share one document, byte for byte; others do not."""
    assert api_document(read_profile(PROFILES["204"])) == api_document(read_profile(PROFILES["204"]))
    assert api_document({}) != api_document(read_profile(PROFILES["204"]))


def test_the_document_is_deterministic():
    """It depends neither on the order of a set nor on an earlier document."""
    first, second = (document(Subject(API, "t", "1", "d"), server="http://localhost/v1_0") for _ in range(2))
    assert json.dumps(first) == json.dumps(second)


def test_security_schemes_follow_the_profile():
    """Each presentation of a token is a security scheme."""
    expected = {
        "Authorization: Bearer {token}": {"type": "http", "scheme": "bearer"},
        "Authorization: Token {token}": {"type": "http", "scheme": "token"},
        "X-Api-Key: {token}": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
        "?token={token}": {"type": "apiKey", "in": "query", "name": "token"},
        "Cookie: session={token}": {"type": "apiKey", "in": "cookie", "name": "session"},
    }
    found = described({"auth.presentation": list(expected)})["components"]["securitySchemes"]
    without = [{name: value for name, value in each.items() if name != "description"} for each in found.values()]
    assert without == list(expected.values())


def test_public_calls_need_no_token():
    """The terms of a client need no token, those of the caller do."""
    found = operations(plain())
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
    before = codes(plain())
    for name, each in codes(described(MANY)).items():
        assert "role_missing" not in each.get("403", ())
        if "role_missing" in before[name].get("403", ()):
            assert "role_missing" in each["404"]


def test_a_gate_follows_the_profile():
    """The grants are those of the profile, and the assumption is listed."""
    one = operations(described(MANY))["update_terms_url"]
    assert one["x-confsim-gate"] == ["partner-admin"]
    assert "gate.update_terms_url" in one["x-confsim-assumptions"]
    assert operations(described({"gate.update_terms_url": ["public"]}))["update_terms_url"]["security"] == []


def test_assumptions_are_those_of_the_operation_and_of_its_gaps():
    """Assumptions that affect many operations are listed too: what a search finds, the status of a refusal."""
    listed = operations(plain())
    assert {"users.listed", "lists.search", "gate.list_users"} <= set(listed["list_users"]["x-confsim-assumptions"])
    assert {"emails.malformed", "status.email-malformed"} <= set(listed["set_user_email"]["x-confsim-assumptions"])
    assert "lists.search" not in listed["get_me"]["x-confsim-assumptions"]


def test_a_route_follows_the_profile():
    """An operation that the documents only name has the route that the profile chooses."""
    made = described(MANY)
    assert made["paths"]["/tenants"]["get"]["operationId"] == "list_clients"
    assert made["servers"] == [{"url": f"{SERVER}/acme/v1_0"}]


def test_limits_of_texts_follow_the_profile():
    """The maximum length of a URL in the profile is that of the schema."""
    schema = described(MANY)["components"]["schemas"]["TermsUrl"]["properties"]["url"]
    assert schema["maxLength"] == 99
    assert schema["pattern"].startswith("^https?://")
    assert "format" not in schema  # the pattern says all of it


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("caller", [None, "nobody"])
def test_the_error_body_follows_the_profile(name, caller):
    """A refusal under each error template fits the schema of the document."""
    sim = Simulator(profile=PROFILES[name])
    assert sim.call("get_user_terms", caller).status == 401
    entry = next(iter(sim.service.journal))
    given = entry.operation, entry.request, entry.response
    assert list(Conformance(sim.service.profile).violations(*given)) == []


@pytest.mark.parametrize("number", [0, 1])
def test_sample_bodies_fit_their_schemas(sim, number):
    """A body that decodes is valid by its schema."""
    made = plain()
    pool = IdPool(sim.service.world, CUSTOMER)
    for name, one in operations(made).items():
        schema = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if schema is not None:
            complete = {**schema, "components": made["components"]}
            Draft202012Validator(complete).validate(valid(API[name], pool, number).body)


def test_it_is_served_beside_the_api(sim):
    """GET /openapi.json at the mount returns the document of the world's profile, without a token."""
    response = sim.service.perform(Incoming(FILES["get_openapi"], (), {}, None, Request("GET", "/openapi.json")))
    assert response.status == 200
    here = {**json.loads(response.body), "servers": plain()["servers"]}
    assert here == plain()
    assert json.loads(response.body)["servers"] == [{"url": "http://confsim.test/v1_0"}]


@pytest.mark.parametrize(
    ("status", "body", "problem"),
    [(200, b'{"isCurrent": 1}', "breaks its schema"), (200, b"", "no body"), (201, b"{}", "no documented status")],
)
def test_the_judge_finds_invalid_responses(sim, status, body, problem):
    """A wrong status, type or body is a problem that names the request."""
    sim.call("get_user_terms", "demo-owner")
    entry = next(iter(sim.service.journal))
    response = Response(status, [("Content-Type", "application/json")], body)
    problems = [str(each) for each in Conformance({}).violations(entry.operation, entry.request, response)]
    assert any(problem in each for each in problems)
    assert all("GET /v1_0/users/me/terms" in each for each in problems)


@pytest.mark.parametrize(
    ("status", "code", "listed", "known"),
    [
        (409, "channel_name_taken", False, True),  # a reason that this operation is never refused for
        (401, "credential_invalid", True, True),
        (409, "no_such_code", False, False),
        (404, "channel_name_taken", False, False),
        (418, "channel_name_taken", False, False),
    ],
)
def test_a_refusal_that_is_not_listed_is_judged_as_one_of_the_register(sim, status, code, listed, known):
    """For users of the fixture a refusal is no violation because its operation lists it nowhere; a wrong one is."""
    sim.call("get_user_terms", "demo-owner")
    entry = next(iter(sim.service.journal))
    body = json.dumps({"status": status, "code": code, "message": "No."}).encode()
    given = entry.operation, entry.request, Response(status, [("Content-Type", "application/json")], body)
    assert (list(Conformance({}).violations(*given)) == []) == listed
    assert (list(Conformance({}, listed_refusals=False).violations(*given)) == []) == known


def codes(made: dict) -> dict[str, dict[str, list[str]]]:
    """The codes of the refusals of each operation, by status."""
    responses, schemas = made["components"]["responses"], made["components"]["schemas"]
    found: dict[str, dict[str, list[str]]] = {}
    for name, one in operations(made).items():
        for status, each in one["responses"].items():
            if "$ref" in each:
                error = responses[each["$ref"].rpartition("/")[2]]["content"]["application/json"]["schema"]["$ref"]
                found.setdefault(name, {})[status] = schemas[error.rpartition("/")[2]]["properties"]["code"]["enum"]
    return found


def test_every_operation_lists_the_codes_of_its_refusals():
    """Those that its calls give, and no others: a code is an enumeration for programs."""
    found = codes(plain())
    assert found["create_channel"]["409"] == ["channel_name_taken"]
    assert found["get_streaming_proxy"]["409"] == ["channel_being_created"]
    assert found["get_client_terms"] == {"400": ["invalid_input"], "404": ["not_found"]}
    assert "404" in found["find_user_by_handle"]
    assert "404" in found["find_user_by_email"]
    assert "409" in found["get_recording_download"]
    assert "401" in found["exchange_identity_token"]
    for each in found.values():
        assert all("internal_error" not in listed for listed in each.values())


def test_what_only_a_profile_gives_is_in_its_document_alone():
    """204 of a template and of metrics; a refusal for the repetition of what holds."""
    by_default = plain()
    assert "204" not in operations(by_default)["get_channel_template"]["responses"]
    other = described(MANY)
    assert "204" in operations(other)["get_channel_template"]["responses"]
    assert "204" in operations(other)["get_broadcast_metrics"]["responses"]
    repeated = described({"states.repeated": "refuse"})
    assert "state_holds" not in str(codes(by_default)["enable_validator"])
    assert "state_holds" in str(codes(repeated)["enable_validator"])


@pytest.mark.parametrize(
    ("chosen", "operation", "code"),
    [
        ({"config.themes": ["dark"]}, "get_channel_config", "theme_unknown"),
        ({"config.themes": ["dark"]}, "set_template_config", "theme_unknown"),
        ({"emails.without": "refused"}, "set_user_email", "email_missing"),
        ({"events.open-while-off": []}, "get_events_status", "events_off"),
        ({"recordings.token-in-path": "refuse"}, "list_downloadable_assets", "url_too_long"),
    ],
)
def test_a_refusal_that_a_profile_gives_is_in_its_document(chosen, operation, code):
    """Its code is among those of the operation, which has it under no other profile."""
    assert code in str(codes(described(chosen))[operation])
    assert code not in str(codes(plain())[operation])
    assert codes(described({"http.caching": "etag"})) == codes(plain())


def test_numbers_that_are_texts_are_texts_in_the_document():
    """Decimals; integers beyond 32 bits, so that a small one of 64 bits is a number still; none of events."""
    schemas = described({"encode.numbers": "texts"})["components"]["schemas"]
    created = Draft202012Validator(schemas["Session"]["properties"]["created"])
    assert [created.is_valid(each) for each in (7, "1769904000000", 1769904000000, "x")] == [True, True, False, False]
    cost = Draft202012Validator(schemas["CallQuote"]["properties"]["cost"])
    assert [cost.is_valid(each) for each in ("0.01", "-1e-05", 0.01, "")] == [True, True, False, False]
    assert schemas["ChannelList"]["properties"]["total"]["anyOf"][0]["type"] == "integer"
    assert schemas["CallEvent"] == plain()["components"]["schemas"]["CallEvent"]
    assert schemas["Session"]["properties"]["participantsCount"]["type"] == "integer"


@pytest.mark.parametrize(
    ("chosen", "operation", "schema"),
    [
        (MANY, "check_record_possible", {"type": "boolean"}),
        ({}, "check_record_possible", {"$ref": "#/components/schemas/Possible"}),
        (MANY, "get_populations", {"$ref": "#/components/schemas/PopulationList"}),
    ],
)
def test_an_answer_is_what_the_profile_chooses(chosen, operation, schema):
    """Not a union of what all profiles might choose."""
    responses = operations(described(chosen))[operation]["responses"]
    assert responses["200"]["content"]["application/json"]["schema"] == schema


@pytest.mark.parametrize(
    "make", [lambda: plain(), lambda: msgspec.json.decode(control_document())], ids=["api", "control"]
)
def test_everything_is_described(make):
    """Every operation, parameter, property, tag, response and header says what it is."""
    made = make()
    missing = [f"{name}.{field}" for name, field, each in properties(made) if not each.get("description")]
    for name, one in operations(made).items():
        missing += [f"{name}({each['name']})" for each in parameters(one, made) if not each.get("description")]
        missing += [name for key in ("summary", "description") if not one.get(key)]
    missing += [name for name, each in made["components"]["schemas"].items() if not each.get("description")]
    missing += [each["name"] for each in made["tags"] if not each.get("description")]
    assert missing == []


def properties(made: dict) -> list[tuple[str, str, dict]]:
    """Every property of a component: component, name, schema."""
    schemas = made["components"]["schemas"].items()
    return [(name, field, each) for name, one in schemas for field, each in one.get("properties", {}).items()]


@pytest.mark.parametrize(
    "make", [lambda: plain(), lambda: msgspec.json.decode(control_document())], ids=["api", "control"]
)
def test_nothing_in_it_stalls_generators(make):
    """No default of null, no look-ahead in a pattern, no list without elements, no component of a qualified name."""
    made = make()
    text = json.dumps(made)
    assert '"default": null' not in text
    assert "(?=" not in text
    assert "(?!" not in text
    for name, each in made["components"]["schemas"].items():
        assert name.isidentifier()
        assert "_" not in name
        assert each.get("title", "UserLanguages") in {"UserLanguages", "ClientView"}  # see test_generators
    assert all("items" in each for each in walked(made) if each.get("type") == "array" and "prefixItems" not in each)


def fits(content: dict, made: dict) -> None:
    """The example of a body or an answer is valid by its schema."""
    Draft202012Validator({**content["schema"], "components": made["components"]}).validate(content["example"])


def walked(value):
    """Every object in a JSON value."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walked(each)


#: Operations of the control plane that answer or take a document of their own, for which an example is too long.
DOCUMENTS = {"get_bundle", "get_control_openapi", "get_coverage", "get_state", "put_state"}


@pytest.mark.parametrize(
    ("make", "documents"),
    [(plain, set()), (lambda: msgspec.json.decode(control_document()), DOCUMENTS)],
    ids=["api", "control"],
)
def test_every_operation_has_an_example_that_fits(make, documents):
    """The body and the answer of a real call are valid by the schemas."""
    made = make()
    for name, one in operations(made).items():
        if name in documents:
            continue
        body = one.get("requestBody", {}).get("content", {}).get("application/json")
        if body is not None:
            fits(body, made)
        for status, each in one["responses"].items():
            content = each.get("content", {}).get("application/json")
            if status == "200" and content is not None and "$ref" not in each:
                assert "example" in content, name
                Draft202012Validator({**content["schema"], "components": made["components"]}).validate(
                    content["example"]
                )


def test_an_example_is_left_out_where_the_profile_changes_it():
    """The answer of another profile is not shown as that of this one."""
    shown = operations(plain())["list_recordings"]["responses"]["200"]["content"]["application/json"]
    other = operations(described(MANY))["list_recordings"]["responses"]["200"]
    assert "example" in shown
    assert "example" not in other["content"]["application/json"]


@pytest.mark.parametrize(
    ("chosen", "operation", "content", "required"),
    [
        ({}, "upload_client_media", {"application/octet-stream"}, True),
        (MANY, "upload_client_media", {"multipart/form-data"}, True),
        ({}, "set_user_image", {"application/octet-stream"}, False),
        (MANY, "set_channel_image", {"multipart/form-data"}, False),
    ],
)
def test_uploads_have_a_schema(chosen, operation, content, required):
    """The bytes of a file, or a form with a file in it; needed where no URL can stand for it."""
    body = operations(described(chosen))[operation]["requestBody"]
    assert set(body["content"]) == content
    assert body["required"] is required
    for each in body["content"].values():
        schema = each["schema"]
        assert (schema if schema["type"] == "string" else schema["properties"]["file"])["format"] == "binary"


def test_answers_list_their_headers():
    """Each has the id of the call; a refused token says how it is presented."""
    made = described(MANY)
    assert {"X-Confsim-Request-Id", "Date", "X-Request-Id", "WWW-Authenticate"} <= set(made["components"]["headers"])
    for one in operations(made).values():
        for each in one["responses"].values():
            each = made["components"]["responses"].get(each.get("$ref", "").rpartition("/")[2], each)
            assert "X-Confsim-Request-Id" in each["headers"]
    assert "WWW-Authenticate" in made["components"]["responses"]["Error401"]["headers"]


@pytest.mark.parametrize("envelope", ["own", "standard-webhooks", "data-alone"])
def test_webhooks_carry_what_the_document_says(envelope):
    """Every event that is delivered is valid by the schema of its kind."""
    chosen = {"webhooks.envelope": envelope, "events.recorded": "always"}
    made = described(chosen)
    sim = Simulator(clock=START, profile=chosen)
    sim.call("set_events_state", ADMIN, state="enable")
    sim.call("add_events_endpoint", ADMIN, body={"url": "https://hooks.example/"})
    sim.presence.join(ROOM, OWNER)
    sim.call("start_recording", OWNER, uuid=ROOM)
    sim.call("stop_recording", OWNER, uuid=ROOM)
    sim.clock.advance("1h")
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.call("upload_client_media", ADMIN, body=b"x", name="a")
    id = sim.call("create_channel", OWNER, body={"name": "New"}).body["channelUuid"]
    sim.call("delete_channel", OWNER, uuid=id)
    seen = set()
    for each in sim.control("list_deliveries"):
        schema = made["webhooks"][each.kind]["post"]["requestBody"]["content"]["application/json"]["schema"]
        Draft202012Validator({**schema, "components": made["components"]}).validate(each.payload)
        seen.add(each.kind)
    assert len(seen) >= 8


def test_texts_have_the_form_that_the_profile_says():
    """PINs, kinds of gateway endpoints, destinations, friendly URLs, times to live, descriptions of channels."""
    schemas = plain()["components"]["schemas"]
    assert schemas["NewPin"]["properties"]["pin"]["pattern"] == "^[0-9]{1,16}$"
    assert schemas["GatewayKind"]["properties"]["kind"]["enum"] == ["RTMP", "SRT"]
    assert schemas["NewChannel"]["properties"]["description"]["anyOf"][0]["maxLength"] == 200
    assert schemas["DialRegistered"]["properties"]["whisper"]["default"] is False
    other = described(MANY)
    assert other["components"]["schemas"]["NewPin"]["properties"]["pin"]["pattern"] == "^[0-9]{4,8}$"
    assert other["components"]["schemas"]["FriendlyUrl"]["properties"]["url"]["pattern"] == "^([a-z]+)$"
    assert "anyOf" not in other["components"]["schemas"]["NewChannel"]["properties"]["description"]
    (ttl,) = (each for each in parameters(operations(plain())["get_recording_download"]) if each["name"] == "ttl")
    assert ttl["schema"]["default"] == "5m"


@pytest.mark.parametrize("name", ["get_accounts", "get_control_openapi", "get_llms_text", "get_state_schema"])
def test_a_file_of_the_control_plane_is_of_the_media_type_that_the_document_says(name):
    """And of no other."""
    one = operations(msgspec.json.decode(control_document()))[name]
    request = Request("GET", f"/_confsim{CONTROL[name].path}", headers={"host": "localhost"})
    answer = Simulator(clock=START).app(request)
    assert [dict(answer.headers)["Content-Type"].partition(";")[0]] == [*one["responses"]["200"]["content"]]


def test_the_control_plane_is_described_in_words_of_http():
    """By problems, not by what Python raises; and no description repeats its summary behind another text."""
    document = msgspec.json.decode(control_document())
    assert "Misuse" not in json.dumps(document)
    for name, each in operations(document).items():
        assert each["description"] == each["summary"] or each["summary"] not in each["description"], name
    assert "Problem (404) for an unknown" in operations(document)["list_assumptions"]["description"]
