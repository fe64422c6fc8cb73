"""What operations share that a profile decides: forms of texts, names in URLs, languages, pages, who runs, uploads."""

from __future__ import annotations

import pytest

from confsim.api import forms
from confsim.api.call import NOWHERE, Call
from confsim.api.catalogue import API
from confsim.api.events import webhooks
from confsim.assumptions.protocol.refusals import Reason
from confsim.contract.annotations import fields_of, peeled, undescribed
from confsim.service.files.profile import read_profile
from kit import ADMIN, OWNER, ROOM, USER, code, demo, ok, refused

_FRIENDLY = peeled(forms.FriendlyUrlWord)[1][0].keywords


@pytest.mark.parametrize(
    ("form", "profile", "keywords"),
    [
        (_FRIENDLY, {}, {"pattern": "^([A-Za-z0-9_-]{1,64})$"}),
        (_FRIENDLY, {"friendly-urls.form": "[a-z]+"}, {"pattern": "^([a-z]+)$"}),
        (forms._provider, {}, {"enum": ["google", "microsoft", "github", "facebook", "apple"]}),
        (forms._provider, {"providers.available": ["google"]}, {"enum": ["google"]}),
        (forms._provider, {"providers.unknown": "ignore"}, {}),
        (
            forms._language,
            {"languages.codes": "supported", "languages.supported": ["en", "de"]},
            {"enum": ["en", "de"]},
        ),
    ],
)
def test_forms_as_the_document_says_them(form, profile, keywords):
    """By the keywords of JSON Schema."""
    assert form(read_profile(profile)) == keywords


@pytest.mark.parametrize(("profile", "separator"), [({}, "-"), ({"languages.codes": "underscore"}, "[-_]")])
def test_the_form_of_codes_of_languages(profile, separator):
    """A language, and perhaps a region after it."""
    pattern = forms._language(read_profile(profile))["pattern"]
    assert pattern.startswith("^(aa|")
    assert pattern.endswith(f")({separator}[A-Z]{{2}})?$")


def test_a_public_call_without_a_client_has_none():
    """Anyone who asks for it needs a credential."""
    change = demo().service.change()
    call = Call(API["get_me"], change, NOWHERE, {})
    assert refused(lambda: call.client) is Reason.CREDENTIAL_MISSING


@pytest.mark.parametrize(
    ("operation", "unused"),
    [
        ("list_validators", "validators.inherited"),
        ("get_config", "config.parent-level"),
        ("list_inbound_numbers", "numbers.inventory"),
    ],
)
def test_a_call_that_is_refused_for_want_of_a_client_used_nothing_of_it(operation, unused):
    """The refusal comes before the first choice that a client would be asked about."""
    sim = demo(**{f"gate__{operation}": ["public"]})
    assert sim.call(operation).status == 401
    assert unused not in sim.service.journal.last().assumptions
    sim = demo()
    ok(sim, operation)
    assert unused in sim.service.journal.last().assumptions


@pytest.mark.parametrize(("choice", "greeting"), [("ignored", "hello"), ("configuration", "hallo")])
def test_the_language_of_a_configuration_that_is_not_asked_for(choice, greeting):
    """That of the client, or the first that the caller accepts."""
    sim = demo(**{"http__accept-language": choice})
    for language, text in (("en", "hello"), ("de", "hallo")):
        ok(sim, "set_config", body={"ui": {"customTexts": {"greeting": text}}}, language=language)
    answer = sim.client(ADMIN).get("/config", headers={"Accept-Language": "de, en;q=0.5"})
    assert greeting in answer.text
    assert sim.client(ADMIN).get("/config", headers={"Accept-Language": "en"}).text.count("hello") == 1


def test_endpoints_may_be_added_while_events_are_on_alone():
    """Where the profile does not leave that open."""
    sim = demo(**{"events__open-while-off": ["set_events_state"]})
    body = {"url": "https://hooks.example"}
    assert code(sim.call("add_events_endpoint", ADMIN, body=body)) == (403, "events_off")
    ok(sim, "set_events_state", state="enable")
    assert sim.call("add_events_endpoint", ADMIN, body=body).ok


@pytest.mark.parametrize("envelope", ["own", "standard-webhooks", "data-alone"])
def test_events_that_a_profile_emits(envelope):
    """Each with what it is about, in the envelope that the profile says; signed ones have three headers."""
    found = list(webhooks.events(read_profile({"webhooks.envelope": envelope})))
    assert [kind for kind, *_ in found] == [kind.value for kind in webhooks.DATA]
    for (_, text, type_, headers, _), (words, data) in zip(found, webhooks.DATA.values(), strict=True):
        assert text == words
        assert [each["name"] for each in headers] == list(webhooks._HEADERS)
        if envelope == "data-alone":
            assert type_ is data
        else:
            assert data in [undescribed(each.type) for each in fields_of(type_)]
    unsigned = webhooks.events(read_profile({"webhooks.signature": "none", "events.kinds": ["channel.created"]}))
    assert [(kind, headers) for kind, _, _, headers, _ in unsigned] == [("channel.created", [])]


@pytest.mark.parametrize("choice", ["session", "connected"])
def test_who_waits_makes_no_channel_active(choice):
    """Behind a closed door."""
    sim = demo(active__when=choice)
    ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    assert sim.presence.join(ROOM, 1004).state == "waiting"
    assert [each["channelUuid"] for each in ok(sim, "list_active_channels", USER)] == []
    sim.presence.join(ROOM, 1002)
    assert [each["channelUuid"] for each in ok(sim, "list_active_channels", USER)] == [ROOM]


@pytest.mark.parametrize(("choice", "found"), [("empty", 0), ("last-page", 1), ("refuse", None)])
def test_a_page_beyond_the_end(choice, found):
    """It is empty, the last that there is, or not found; of an empty list it is empty."""
    sim = demo(**{"lists__beyond-end": choice})
    for key in "abc":
        ok(sim, "create_template", body={"name": key})
    answer = sim.call("list_templates", ADMIN, offset="90", limit="2")
    if found is None:
        assert answer.status == 404
    else:
        assert (answer.body["total"], len(answer.body["results"])) == (3, found)
    if choice == "last-page":
        assert ok(sim, "list_recordings", OWNER, channelId=ROOM, offset="9", limit="2")["results"] == []


def test_a_form_that_cannot_be_read():
    """400, with what is wrong with it."""
    sim = demo(images__form="multipart")
    answer = sim.call(
        "set_user_image", USER, userId="me", body=b"--x\r\nbroken", content_type="multipart/form-data; boundary=x"
    )
    assert code(answer) == (400, "invalid_input")
    assert answer.body["details"][0]["where"] == "body"
