"""Updates of configuration documents: themes, and texts with and without a language."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.config import documents
from confsim.domain.config.documents import DOCUMENTS
from confsim.kernel.world import World
from kit import CUSTOMER, refused

TEXTS = {"customTexts": {"hello": "Hello"}}


def stored(change):
    """The documents of the level, by theme and language."""
    return {(each.theme, each.language): each.values for each in DOCUMENTS.of(change, CUSTOMER).all}


def begin(**profile):
    """A change of an empty world."""
    return World(seed=1).change(0, ProfileContext(profile))


@pytest.mark.rule("R445")
@pytest.mark.parametrize("posted", [TEXTS, {"a": 1, "ui": {"deep": TEXTS}}, {"customTexts": None}])
def test_texts_need_a_language(posted):
    """Without one, texts at any level are refused and nothing is stored; with one all is stored for it."""
    change = begin()
    assert refused(documents.update, change, CUSTOMER, "level", posted) is Reason.LANGUAGE_MISSING
    assert stored(change) == {}
    documents.update(change, CUSTOMER, "level", TEXTS | {"a": 1}, language="de")
    assert stored(change) == {("light", "de"): TEXTS | {"a": 1}}


@pytest.mark.parametrize(("choice", "texts"), [("default-language", {("light", "en"): TEXTS}), ("ignore", {})])
def test_texts_without_a_language_may_be_admitted(choice, texts):
    """They are stored for the default language, or nowhere (G402); the rest is stored for all languages."""
    change = begin(**{"config.texts-without-language": choice})
    documents.update(change, CUSTOMER, "level", TEXTS | {"a": 1})
    assert stored(change) == {("light", None): {"a": 1}} | texts


@pytest.mark.parametrize("language", [None, "de"])
@pytest.mark.parametrize("choice", ["document", "texts"])
def test_what_is_stored_for_the_language_of_an_update(choice, language):
    """Everything posted, or its texts alone (G401), the rest then holding in all languages; nothing without one."""
    change = begin(**{"config.language-scope": choice})
    posted = {"a": 1} if language is None else TEXTS | {"a": 1}
    documents.update(change, CUSTOMER, "level", posted, language=language)
    if choice == "document" or language is None:
        assert stored(change) == {("light", language): posted}
    else:
        assert stored(change) == {("light", None): {"a": 1}, ("light", "de"): TEXTS}


@pytest.mark.parametrize("themes", [(), ("light", "dark")])
def test_themes_may_be_a_closed_list(themes):
    """Any word is a theme, or one of a list; another is then refused and nothing stored (G404)."""
    change = begin(**{"config.themes": themes})
    documents.update(change, CUSTOMER, "level", {"a": 1})
    documents.update(change, CUSTOMER, "level", {"b": 2}, theme="dark")
    expected = {("light", None): {"a": 1}, ("dark", None): {"b": 2}}
    if themes:
        assert refused(documents.update, change, CUSTOMER, "level", {"c": 3}, "sepia") is Reason.THEME_UNKNOWN
    else:
        documents.update(change, CUSTOMER, "level", {"c": 3}, theme="sepia")
        expected |= {("sepia", None): {"c": 3}}
    assert stored(change) == expected
