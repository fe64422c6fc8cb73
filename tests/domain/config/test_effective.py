from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.config import documents, effective, json_documents, template_choice, templates
from confsim.domain.config.documents import DOCUMENTS, LIGHT
from confsim.domain.config.effective import ConfigQuery
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World

KEYS = st.sampled_from("abc")
LEAVES = st.integers(0, 9) | st.text("xy", max_size=2) | st.booleans() | st.lists(st.integers(0, 3), max_size=2)
VALUES = st.recursive(LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=12)
DOCUMENT = st.dictionaries(KEYS, VALUES, max_size=3)
PATCH = st.dictionaries(KEYS, st.none() | VALUES | st.dictionaries(KEYS, st.none() | VALUES, max_size=2), max_size=3)


def leaves(document, path=()):
    """Every leaf of a document by its path; an empty object counts as one."""
    if not isinstance(document, dict) or (not document and path):
        return {path: document}
    return {place: leaf for key, value in document.items() for place, leaf in leaves(value, (*path, key)).items()}


def laid(base, over):
    """The plain oracle of merging: write every leaf of ``over`` into a copy of ``base``, making objects on the way."""
    result = dict(base)
    for path, leaf in leaves(over).items():
        place = result
        for key in path[:-1]:
            place[key] = dict(place[key]) if isinstance(place.get(key), dict) else {}
            place = place[key]
        if not (leaf == {} and isinstance(place.get(path[-1]), dict)):
            place[path[-1]] = leaf
    return result


def without_nulls(value):
    """The value without keys that hold null, at any depth of its objects."""
    if not isinstance(value, dict):
        return value
    return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}


@pytest.mark.rule("R437")
@given(st.lists(DOCUMENT, max_size=4))
def test_merging_levels_agrees_with_writing_leaves(several):
    """Laying any levels over one another gives what writing their leaves in that order gives."""
    result, expected = {}, {}
    for document in several:
        result, expected = json_documents.merged(result, document), laid(expected, document)
    assert result == expected


@pytest.mark.rule("R437")
@given(DOCUMENT, DOCUMENT)
def test_the_narrower_level_always_shows(base, over):
    """Every value of the narrower level is in the result, and laying it over again changes nothing."""
    result = json_documents.merged(base, over)
    assert json_documents.merged(result, over) == result
    shown = leaves(result)
    assert all(shown[path] == leaf for path, leaf in leaves(over).items() if leaf != {})


@given(DOCUMENT, DOCUMENT)
def test_documents_are_never_written_to(base, over):
    """Merging and patching answer new documents and leave those they were given alone."""
    before = repr((base, over))
    for how in ("deep", "top", "concatenate"):
        json_documents.merged(base, over, how)
    json_documents.patched(base, over)
    json_documents.split(base, "a")
    assert repr((base, over)) == before


@given(DOCUMENT, PATCH)
def test_a_patch_sets_what_it_names_and_removes_its_nulls(base, patch):
    """What a patch holds beside nulls is there afterwards, what it nulls is not, other first-level keys stay."""
    result = json_documents.patched(base, patch)
    assert result == without_nulls(result)
    assert all(result[key] == base[key] for key in base.keys() - patch.keys())
    assert result.keys() == (base.keys() | patch.keys()) - {key for key, value in patch.items() if value is None}
    assert json_documents.patched(result, patch) == result


@given(DOCUMENT, st.booleans())
def test_the_parts_of_a_split_make_the_whole(document, strings):
    """Texts and rest together are the document; no text is left in the rest."""
    under, rest = json_documents.split(document, "a", strings=strings)
    assert json_documents.merged(under, rest) == document
    assert not any("a" in path for path in leaves(rest))
    assert not strings or not any(isinstance(leaf, str) for leaf in leaves(rest).values())


@pytest.fixture
def change():
    """A change of an empty world."""
    return World(seed=1).change(0)


@pytest.mark.rule("R441")
@given(st.tuples(*[DOCUMENT] * 3))
def test_the_levels_of_clients_count_from_the_root(several):
    """With parents as levels, a client's configuration is the merged documents of its ancestors, from the root down."""
    change = World(seed=1).change(0, ProfileContext({"config.parent-level": True}))
    parent, client = None, None
    for document in several:
        client = clients.create(change, "C", parent)
        documents.update(change, client.id, client.id, json_documents.patched({}, document), LIGHT, "en")
        parent = client.id
    expected = json_documents.merged(json_documents.merged(several[0], several[1]), several[2])
    assert effective.of_client(change, client, ConfigQuery(language="en")) == expected


@pytest.mark.rule("R444", "R445")
@pytest.mark.parametrize("written", list(product([LIGHT, "dark"], [None, "en", "de", "de-CH"])))
def test_a_document_shows_exactly_where_its_theme_and_language_reach(change, written):
    """Light reaches every theme, no language and the default one every language, a language its regions."""
    client = clients.create(change, "C", None)
    theme, language = written
    documents.update(change, client.id, client.id, {"here": 1}, theme, language)
    for asked_theme, asked in product([LIGHT, "dark", "sepia"], [None, "en", "de", "de-CH", "de-AT", "fr"]):
        shown = effective.of_client(change, client, ConfigQuery(theme=asked_theme, language=asked))
        reaches = theme in (LIGHT, asked_theme) and language in (None, "en", asked, (asked or "").split("-")[0])
        assert (shown == {"here": 1}) is reaches, (asked_theme, asked)


def test_a_document_that_is_emptied_is_not_there(change):
    """An update that leaves nothing removes it; one of nothing makes none."""
    documents.update(change, "c", "l", {"a": {}})
    assert [document.values for document in DOCUMENTS.of(change, "c").all] == [{"a": {}}]
    documents.update(change, "c", "l", {"a": None})
    assert len(DOCUMENTS.of(change, "c")) == 0
    documents.update(change, "c", "l", {})
    assert len(DOCUMENTS.of(change, "c")) == 0


@pytest.mark.parametrize(("depth", "holds"), [(1, True), (20, True), (21, False)])
def test_the_bound_of_depth_counts_arrays_and_objects(depth, holds):
    """A value of as many levels as allowed is taken, one of more refused."""
    change = World().change(0, ProfileContext({"size.json-depth": 20}))
    value = []
    for level in range(depth - 1):
        value = [value] if level % 2 else {"a": value}
    if holds:
        assert json_documents.bounded(change, value) is value
    else:
        with pytest.raises(Refusal):
            json_documents.bounded(change, value)


#: Two contexts of categories, and a value that is none.
LAYOUT = {"ui": {"colors": {"a": 1}, "sounds": {"b": 2}}, "console": {"colors": {"c": 3}}, "loose": 4}


@pytest.mark.rule("R436", "R438")
@pytest.mark.parametrize(("choice", "winner"), [("over-client", "template"), ("under-client", "client")])
def test_the_rank_of_a_template_decides_who_wins(choice, winner):
    """Template or client (G396); what only one of them says shows, and the channel wins over both."""
    change = World(seed=1).change(0, ProfileContext({"config.template-rank": choice}))
    client = clients.create(change, "C", None)
    room = channels.create(change, client, "Room", None, None)
    template = templates.create(change, client, "T")
    for level, values in [
        (client.id, {"both": "client", "client": 1, "all": 1}),
        (template.id, {"both": "template", "template": 1, "all": 2}),
        (room.id, {"all": 3}),
    ]:
        documents.update(change, client.id, level, values)
    without = effective.of_channel(change, client, room, ConfigQuery())
    assert without == {"both": "client", "client": 1, "all": 3}
    template_choice.select(change, room, template.id, enabled=True)
    shown = effective.of_channel(change, client, room, ConfigQuery())
    assert shown == {"both": winner, "client": 1, "template": 1, "all": 3}


@pytest.mark.rule("R442")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (ConfigQuery(), LAYOUT),
        (ConfigQuery(context="ui"), {"ui": LAYOUT["ui"]}),
        (ConfigQuery(context="nowhere"), {}),
        (ConfigQuery(categories=["colors"]), {"ui": {"colors": {"a": 1}}, "console": {"colors": {"c": 3}}}),
        (ConfigQuery(categories=["sounds"]), {"ui": {"sounds": {"b": 2}}}),
        (ConfigQuery(categories=["nothing"]), {}),
    ],
)
def test_context_and_categories_narrow_what_is_read(change, query, expected):
    """The context keeps a key of the first level (G399), categories keep keys of the second alone (G400)."""
    client = clients.create(change, "C", None)
    documents.update(change, client.id, client.id, LAYOUT)
    assert effective.of_client(change, client, query) == expected


@pytest.mark.parametrize(
    ("choice", "asked", "expected"),
    [
        ("chain", None, {"none", "en"}),
        ("chain", "fr", {"none", "en", "fr"}),
        ("user", None, {"none", "en", "de"}),
        ("user", "fr", {"none", "en", "fr"}),
        ("exact", None, {"none", "en"}),
        ("exact", "fr", {"none", "fr"}),
    ],
)
def test_the_callers_languages_count_where_none_is_asked_for(choice, asked, expected):
    """By choice alone, over the default one (G401)."""
    change = World(seed=1).change(0, ProfileContext({"config.languages": choice}))
    client = clients.create(change, "C", None)
    for language in (None, "en", "de", "fr"):
        documents.update(change, client.id, client.id, {language or "none": 1}, LIGHT, language)
    query = ConfigQuery(language=asked, user_languages=("de-DE",))
    assert effective.of_client(change, client, query).keys() == expected
