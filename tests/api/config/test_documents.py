"""Configuration documents: levels, updates, context, themes, languages."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.config.documents import DOCUMENTS
from kit import ADMIN, CUSTOMER, EVENT_ROOM, ROOM, START
from kit.each import each

TEXTS = {"customTexts": {"hello": "Hello"}}


@pytest.fixture
def template(sim):
    """A template of the customer, selected for the demo room."""
    id = sim.call("create_template", ADMIN, body={"name": "Lecture"}).body["id"]
    assert sim.call("select_channel_template", "demo-owner", uuid=ROOM, templateId=id).ok
    return id


def read(sim, **query):
    """The configuration of the client."""
    return sim.call("get_config", "demo-user", **query).body


def read_room(sim, **query):
    """The effective configuration of the demo room."""
    return sim.call("get_channel_config", "demo-user", uuid=ROOM, **query).body


def write(sim, body, **query):
    """Update the configuration of the client and answer the status."""
    return sim.call("set_config", ADMIN, body=body, **query).status


# Documents and levels


@pytest.mark.rule("R338", "R443")
@pytest.mark.parametrize("document", [{}, {"a": None}, {"a": {"b": [1, 2.5, "x", None, True]}}, {"ä": {"": ""}}])
def test_a_document_is_any_json_object(sim, document):
    """What is posted comes back, nulls in objects apart, with the status and empty body of a call without response."""
    answer = sim.call("set_config", ADMIN, body=document)
    assert (answer.status, answer.content) == (200, b"")
    assert read(sim) == {key: value for key, value in document.items() if value is not None}


def test_a_fresh_client_has_an_empty_configuration(sim):
    """Without any level the configuration is the empty object of the service."""
    assert (read(sim), read_room(sim)) == ({}, {})


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"1", b"null"])
@pytest.mark.parametrize("operation", ["set_config", "set_channel_config", "set_template_config"])
def test_what_is_no_object_is_refused(sim, template, operation, body):
    """Levels are merged by key, so anything but an object is a 400."""
    path = {"set_channel_config": {"uuid": ROOM}, "set_template_config": {"templateId": template}}.get(operation, {})
    assert sim.call(operation, "demo-api-token", body=body, **path).status == 400


def test_a_document_that_is_too_deep_is_refused(sim):
    """A hundred levels are stored, one more is a 400 and nothing is stored."""
    assert sim.call("set_config", ADMIN, body=b'{"a":' * 101 + b"{}" + b"}" * 101).status == 400
    assert read(sim) == {}
    assert sim.call("set_config", ADMIN, body=b'{"a":' * 99 + b"{}" + b"}" * 99).ok


@pytest.mark.rule("R436", "R437", "R446")
def test_the_channel_wins_over_the_client_key_by_key(sim):
    """The effective configuration has the keys of both levels, and the channel's value where both have one."""
    write(sim, {"ui": {"color": "red", "size": 1}, "client": True})
    sim.call("set_channel_config", "demo-operator", uuid=ROOM, body={"ui": {"color": "blue"}, "channel": True})
    assert read_room(sim) == {"ui": {"color": "blue", "size": 1}, "client": True, "channel": True}


@pytest.mark.rule("R446")
def test_a_channel_keeps_its_configuration_to_itself(sim):
    """Neither the client nor another channel sees what is configured for a channel."""
    sim.call("set_channel_config", "demo-owner", uuid=ROOM, body={"a": 1})
    assert read(sim) == {}
    assert sim.call("get_channel_config", "demo-owner", uuid=EVENT_ROOM).body == {}


@pytest.mark.rule("R438")
def test_a_template_stands_between_the_client_and_the_channel(sim, template):
    """The template wins over the client, the channel over the template."""
    write(sim, {"a": "client", "b": "client", "c": "client"})
    sim.call("set_template_config", ADMIN, templateId=template, body={"b": "template", "c": "template"})
    sim.call("set_channel_config", "demo-owner", uuid=ROOM, body={"c": "channel"})
    assert read_room(sim) == {"a": "client", "b": "template", "c": "channel"}


@pytest.mark.rule("R439")
def test_a_change_to_a_template_shows_in_all_channels_that_use_it(sim, template):
    """Two channels use the template; both show the change with the next call, the client's own level does not."""
    sim.call("select_channel_template", "demo-owner", uuid=EVENT_ROOM, templateId=template)
    sim.call("set_template_config", ADMIN, templateId=template, body={"a": 1})
    shown = [sim.call("get_channel_config", "demo-owner", uuid=uuid).body for uuid in (ROOM, EVENT_ROOM)]
    assert (shown, read(sim)) == ([{"a": 1}, {"a": 1}], {})


@pytest.mark.rule("R447")
def test_a_template_has_a_document_of_its_own(sim, template):
    """Reading a template's configuration answers its own document without the client's."""
    write(sim, {"client": 1})
    sim.call("set_template_config", "demo-api-token", templateId=template, body={"template": 1})
    assert sim.call("get_template_config", "demo-user", templateId=template).body == {"template": 1}


def test_an_effective_template_holds_the_client_too():
    """Where all levels are effective, the template's reading has the client's keys below its own."""
    sim = Simulator(profile={"config.template-read": "effective", "config.service-default": {"service": 1, "a": 0}})
    id = sim.call("create_template", ADMIN, body={"name": "T"}).body["id"]
    sim.call("set_config", ADMIN, body={"a": 1, "b": 1})
    sim.call("set_template_config", ADMIN, templateId=id, body={"b": 2})
    assert sim.call("get_template_config", ADMIN, templateId=id).body == {"service": 1, "a": 1, "b": 2}


def test_a_template_may_rank_below_the_client():
    """Under the other rank the client's value wins over the template's."""
    sim = Simulator(profile={"config.template-rank": "under-client"})
    id = sim.call("create_template", ADMIN, body={"name": "T"}).body["id"]
    sim.call("select_channel_template", "demo-owner", uuid=ROOM, templateId=id)
    sim.call("set_config", ADMIN, body={"a": "client"})
    sim.call("set_template_config", ADMIN, templateId=id, body={"a": "template", "b": "template"})
    assert read_room(sim) == {"a": "client", "b": "template"}


@pytest.mark.rule("R436", "R438", "R440")
@pytest.mark.parametrize(
    ("choice", "unused", "used"),
    [
        ("used", {"level": "client"}, {"level": "own", "client": 1, "own": 1}),
        ("enabled", {"level": "parent", "parent": 1}, {"level": "own", "client": 1, "parent": 1, "own": 1}),
    ],
)
def test_an_inherited_template_may_stand_between_the_client_and_the_template(choice, unused, used):
    """It counts where it is used, or, once the sub-client has enabled it, in all of its channels as a level."""
    sim = Simulator(clock=START, profile={"config.inherited-templates": choice})
    made = {
        caller: sim.call("create_template", caller, body={"name": caller}).body["id"]
        for caller in ("demo-partner-admin", "demo-customer-admin")
    }
    theirs, own = made.values()
    for caller, level in (("demo-partner-admin", "parent"), ("demo-customer-admin", "own")):
        document = {"level": level, level: 1}
        sim.call("set_template_config", caller, templateId=made[caller], body=document)
    sim.call("set_template_inheritance", "demo-partner-admin", templateId=theirs, state="allow")
    write(sim, {"level": "client"})
    assert read_room(sim) == {"level": "client"}
    sim.call("set_template_state", "demo-customer-admin", templateId=theirs, state="enable")
    assert read_room(sim) == unused
    write(sim, {"client": 1})
    sim.call("select_channel_template", "demo-owner", uuid=ROOM, templateId=own)
    assert read_room(sim) == used
    sim.call("select_channel_template", "demo-owner", uuid=ROOM, templateId=theirs)
    assert read_room(sim) == {"level": "parent", "client": 1, "parent": 1}


@pytest.mark.rule("R441")
@pytest.mark.parametrize(
    ("levels", "expected"), [(True, {"a": "partner", "b": "customer"}), (False, {"b": "customer"})]
)
def test_a_parent_level_is_broader_than_the_clients_own(levels, expected):
    """Where the parent client is a level its keys show, but the client's own value wins."""
    sim = Simulator(profile={"config.parent-level": levels})
    sim.call("set_config", "demo-partner-admin", body={"a": "partner", "b": "partner"})
    write(sim, {"b": "customer"})
    assert read(sim) == expected


def test_clients_do_not_see_each_others_configuration(sim):
    """An unrelated client's configuration is its own."""
    sim.call("set_config", "demo-other-admin", body={"a": 1})
    assert read(sim) == {}


# Updates


@pytest.mark.rule("R443")
def test_an_update_sets_keys_and_null_removes_them(sim):
    """Keys that are not posted stay; a null removes its key, at any depth."""
    write(sim, {"a": {"x": 1, "y": 2}, "b": 1})
    write(sim, {"a": {"x": None, "z": 3}, "c": 4})
    write(sim, {"b": None, "nothing": None})
    assert read(sim) == {"a": {"y": 2, "z": 3}, "c": 4}


@pytest.mark.parametrize(("how", "expected"), [("replace", {"b": None}), ("keep", {"a": 1, "b": None})])
def test_updates_of_other_kinds(how, expected):
    """An update may replace the whole document, or set keys alone with null as a value."""
    sim = Simulator(profile={"config.update": how})
    write(sim, {"a": 1})
    write(sim, {"b": None})
    assert read(sim) == expected


@pytest.mark.parametrize(
    ("how", "expected"),
    [("deep", {"a": {"x": [2], "y": 1}}), ("top", {"a": {"x": [2]}}), ("concatenate", {"a": {"x": [1, 2], "y": 1}})],
)
def test_how_levels_are_laid_over_one_another(how, expected):
    """Objects merge at every depth with arrays replaced; or top keys alone; or arrays are put behind arrays."""
    sim = Simulator(profile={"config.merge": how})
    write(sim, {"a": {"x": [1], "y": 1}})
    sim.call("set_channel_config", "demo-owner", uuid=ROOM, body={"a": {"x": [2]}})
    assert read_room(sim) == expected


@pytest.mark.parametrize(("body", "status"), [({"ui": {"x": {}}}, 200), ({"ui": 1}, 400), ({"ui": {"x": 1}}, 400)])
def test_a_strict_structure_takes_contexts_of_categories(body, status):
    """Where documents must be contexts of categories, anything else is a 400; a null still removes."""
    sim = Simulator(profile={"config.structure": "contexts"})
    assert write(sim, body) == status
    assert write(sim, {"ui": {"x": None}, "other": None}) == 200


# Context and categories


LAYOUT = {"ui": {"colors": {"a": 1}, "sounds": {"b": 2}}, "console": {"colors": {"c": 3}}, "loose": 4}


@pytest.mark.rule("R442")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, LAYOUT),
        ({"context": "ui"}, {"ui": LAYOUT["ui"]}),
        ({"context": "nowhere"}, {}),
        ({"categories": "colors"}, {"ui": {"colors": {"a": 1}}, "console": {"colors": {"c": 3}}}),
        ({"categories": "colors, sounds", "context": "ui"}, {"ui": LAYOUT["ui"]}),
        ({"categories": "nothing"}, {}),
    ],
)
def test_context_and_categories_narrow_a_reading(sim, query, expected):
    """The context keeps a key of the first level, categories keep keys of the second."""
    write(sim, LAYOUT)
    assert read(sim, **query) == expected


@each(
    "profile, query, expected",
    [
        ({"config.context": "inner"}, {"context": "console"}, {"colors": {"c": 3}}),
        ({"config.context": "inner"}, {"context": "loose"}, {}),
        ({"config.context": "ignore"}, {"context": "nowhere"}, LAYOUT),
        ({"config.categories": "first-level"}, {"categories": "loose,ui"}, {"ui": LAYOUT["ui"], "loose": 4}),
        ({"config.categories": "ignore"}, {"categories": "nothing"}, LAYOUT),
    ],
)
def test_other_meanings_of_context_and_categories(profile, query, expected):
    """Each alternative of the register narrows as it says."""
    sim = Simulator(profile=profile)
    write(sim, LAYOUT)
    assert read(sim, **query) == expected


@pytest.mark.rule("R442", "R447")
@pytest.mark.parametrize("query", [{"theme": ""}, {"language": " "}, {"context": "\x01"}, {"categories": "a\x7f"}])
def test_a_blank_word_is_refused(sim, template, query):
    """An empty or broken word in the query of any of the readings is a 400."""
    for operation, path in readings(template):
        assert sim.call(operation, "demo-owner", **path, **query).status == 400


def readings(template):
    """The three readings with their paths."""
    return [
        ("get_config", {}),
        ("get_channel_config", {"uuid": ROOM}),
        ("get_template_config", {"templateId": template}),
    ]


# Themes


@pytest.mark.rule("R442", "R444")
def test_a_theme_is_laid_over_light_which_is_the_default(sim):
    """The theme's values win over those of light; without theme the light ones are read and written."""
    write(sim, {"bg": "white", "font": 1})
    write(sim, {"bg": "black"}, theme="dark")
    assert read(sim) == read(sim, theme="light") == {"bg": "white", "font": 1}
    assert read(sim, theme="dark") == {"bg": "black", "font": 1}


@pytest.mark.rule("R444")
def test_a_theme_of_a_broader_level_gives_way_to_light_of_a_narrower_one(sim, template):
    """Levels come first: what the channel says for light wins over the client's and the template's dark."""
    write(sim, {"a": "client", "b": "client"}, theme="dark")
    sim.call("set_template_config", ADMIN, templateId=template, body={"b": "template"}, theme="dark")
    sim.call("set_channel_config", "demo-owner", uuid=ROOM, body={"a": "channel"})
    assert read_room(sim, theme="dark") == {"a": "channel", "b": "template"}
    assert read_room(sim) == {"a": "channel"}
    assert sim.call("get_template_config", ADMIN, templateId=template, theme="dark").body == {"b": "template"}


def test_themes_may_stand_for_themselves():
    """Where themes are apart, dark shows nothing of light."""
    sim = Simulator(profile={"config.theme-over-light": False})
    write(sim, {"a": 1})
    write(sim, {"b": 1}, theme="dark")
    assert read(sim, theme="dark") == {"b": 1}


def test_themes_may_be_a_closed_list():
    """Where the themes are known, another word is a 400 in reading and writing."""
    sim = Simulator(profile={"config.themes": ["light", "dark"]})
    assert write(sim, {"a": 1}, theme="dark") == 200
    assert write(sim, {"a": 1}, theme="sepia") == 400
    answer = sim.call("get_config", ADMIN, theme="sepia")
    assert (answer.status, answer.body["code"]) == (400, "theme_unknown")


# Languages and texts


@pytest.mark.rule("R445")
@pytest.mark.parametrize("document", [TEXTS, {"ui": {"deep": TEXTS}}, {"customTexts": None}])
def test_texts_need_a_language(sim, template, document):
    """An update that holds custom texts at any level is refused without language, at every level."""
    calls = [
        ("set_config", ADMIN, {}),
        ("set_channel_config", "demo-owner", {"uuid": ROOM}),
        ("set_template_config", ADMIN, {"templateId": template}),
    ]
    for operation, caller, path in calls:
        answer = sim.call(operation, caller, body=document, **path)
        assert (answer.status, answer.body["code"]) == (400, "language_missing")
        assert sim.call(operation, caller, body=document, language="de", **path).ok


@pytest.mark.rule("R445")
def test_each_language_has_its_own_texts(sim):
    """Texts of one language leave those of another alone."""
    write(sim, {"customTexts": {"hello": "Hello"}}, language="en")
    write(sim, {"customTexts": {"hello": "Hallo"}}, language="de")
    assert read(sim, language="en") == {"customTexts": {"hello": "Hello"}}
    assert read(sim, language="de") == {"customTexts": {"hello": "Hallo"}}


@pytest.mark.parametrize(
    ("language", "expected"),
    [(None, "Hello"), ("en", "Hello"), ("fr", "Hello"), ("de", "Hallo"), ("de-CH", "Grüezi"), ("de-AT", "Hallo")],
)
def test_a_language_falls_back_to_less_of_it_and_to_the_default(sim, language, expected):
    """A region falls back to its language, a language to the default one."""
    for code, hello in [("en", "Hello"), ("de", "Hallo"), ("de-CH", "Grüezi")]:
        write(sim, {"customTexts": {"hello": hello}}, language=code)
    assert read(sim, language=language)["customTexts"]["hello"] == expected


def test_what_has_no_language_shows_in_all(sim):
    """Values posted without language stay below those of any language."""
    write(sim, {"a": 1, "b": 1})
    write(sim, {"b": 2}, language="de")
    assert (read(sim, language="de"), read(sim)) == ({"a": 1, "b": 2}, {"a": 1, "b": 1})


@each(
    "profile, language, expected",
    [
        ({"config.languages": "exact"}, "de-CH", {"none": 1}),
        ({"config.languages": "exact"}, "de", {"none": 1, "de": 1}),
        ({"config.languages": "exact"}, None, {"none": 1, "en": 1}),
        ({"config.languages": "user"}, None, {"none": 1, "en": 1, "de": 1}),
        ({"config.languages": "user"}, "fr", {"none": 1, "en": 1}),
        ({"config.default-language": "de"}, None, {"none": 1, "de": 1}),
    ],
)
def test_other_ways_to_find_the_language(profile, language, expected):
    """Languages may count exactly, be the caller's own, or have another default."""
    sim = Simulator(profile=profile)
    assert sim.call("set_user_languages", "demo-user", userId="me", body={"languages": ["de-DE"]}).ok
    write(sim, {"none": 1})
    for code in ("en", "de"):
        write(sim, {code: 1}, language=code)
    assert read(sim, language=language) == expected


@pytest.mark.parametrize(("how", "german", "english"), [("default-language", {}, TEXTS), ("ignore", {}, {})])
def test_texts_without_language_may_be_stored_or_dropped(how, german, english):
    """They go to the default language or nowhere; the rest of the update is stored."""
    sim = Simulator(profile={"config.texts-without-language": how, "config.languages": "exact"})
    assert write(sim, {**TEXTS, "a": 1}) == 200
    assert read(sim, language="de") == {"a": 1, **german}
    assert read(sim, language="en") == {"a": 1, **english}


def test_a_language_may_count_for_texts_alone():
    """What is posted beside texts then holds in every language."""
    sim = Simulator(profile={"config.language-scope": "texts"})
    write(sim, {"a": 1, "customTexts": {"hello": "Hallo"}}, language="de")
    assert read(sim) == {"a": 1}
    assert read(sim, language="de") == {"a": 1, "customTexts": {"hello": "Hallo"}}


@pytest.mark.parametrize(
    ("key", "document", "status"),
    [
        ("texts", {"texts": {}}, 400),
        ("texts", TEXTS, 200),
        ("*", {"a": {"b": "any"}}, 400),
        ("*", {"a": {"b": 1}}, 200),
    ],
)
def test_other_marks_of_texts(key, document, status):
    """Texts may stand under another key, or be every string."""
    assert write(Simulator(profile={"config.texts-key": key}), document) == status


# Who


@pytest.mark.parametrize(
    ("operation", "admitted"),
    [
        (
            "get_config",
            {"demo-customer-admin", "demo-owner", "demo-operator", "demo-user", "demo-guest", "demo-api-token"},
        ),
        ("set_config", {"demo-customer-admin", "demo-api-token"}),
        (
            "get_channel_config",
            {"demo-customer-admin", "demo-owner", "demo-operator", "demo-user", "demo-guest", "demo-api-token"},
        ),
        ("set_channel_config", {"demo-owner", "demo-operator", "demo-api-token"}),
        (
            "get_template_config",
            {"demo-customer-admin", "demo-owner", "demo-operator", "demo-user", "demo-guest", "demo-api-token"},
        ),
        ("set_template_config", {"demo-customer-admin", "demo-api-token"}),
    ],
)
def test_who_reads_and_writes_each_level(sim, template, operation, admitted):
    """Everybody of the client reads; administrators write the client and templates, hosts their channel."""
    path = {"uuid": ROOM} if "channel" in operation else {"templateId": template} if "template" in operation else {}
    body = {"a": 1} if operation.startswith("set") else None
    callers = ["demo-customer-admin", "demo-owner", "demo-operator", "demo-user", "demo-guest", "demo-api-token"]
    statuses = {caller: sim.call(operation, caller, body=body, **path).status for caller in callers}
    assert statuses == {caller: 200 if caller in admitted else 403 for caller in callers}


@pytest.mark.parametrize("operation", ["get_channel_config", "set_channel_config"])
def test_the_configuration_of_a_channel_that_is_not_there(sim, operation):
    """A channel of nobody or of another client is a 404."""
    body = {} if operation.startswith("set") else None
    assert sim.call(operation, "demo-owner", uuid=CUSTOMER, body=body).status == 404
    assert sim.call(operation, "demo-other-admin", uuid=ROOM, body=body).status == 404


@pytest.mark.rule("R447")
@pytest.mark.parametrize("operation", ["get_template_config", "set_template_config"])
def test_the_configuration_of_a_template_that_is_not_there(sim, template, operation):
    """A template of nobody or of another client is a 404."""
    body = {} if operation.startswith("set") else None
    assert sim.call(operation, ADMIN, templateId=ROOM, body=body).status == 404
    assert sim.call(operation, "demo-other-admin", templateId=template, body=body).status == 404


def test_an_inherited_template_is_not_configured_from_below(sim):
    """The sub-client reads the configuration of an inherited template and may not write it."""
    id = sim.call("create_template", "demo-partner-admin", body={"name": "T"}).body["id"]
    sim.call("set_template_inheritance", "demo-partner-admin", templateId=id, state="allow")
    sim.call("set_template_config", "demo-partner-admin", templateId=id, body={"a": 1})
    assert sim.call("get_template_config", "demo-user", templateId=id).body == {"a": 1}
    answer = sim.call("set_template_config", ADMIN, templateId=id, body={"a": 2})
    assert (answer.status, answer.body["code"]) == (403, "template_inherited")


def test_the_configuration_goes_with_the_channel(sim):
    """After a channel is deleted nothing of its configuration is left in the world."""
    sim.call("set_channel_config", "demo-owner", uuid=ROOM, body={"a": 1})
    assert sim.call("delete_channel", "demo-owner", uuid=ROOM).ok
    assert len(DOCUMENTS.seen(sim.service.world, CUSTOMER)) == 0
