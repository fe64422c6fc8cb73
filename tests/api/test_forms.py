"""The forms of texts in the API: what they show as samples fits."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator, validate

from confsim.api import forms
from confsim.api.config.documents import ConfigValues
from confsim.api.events.endpoints import HookUrl
from confsim.api.recordings.shapes import _words
from confsim.assumptions.recordings import KINDS
from confsim.contract.types import Pattern, Samples, TextForm


def _sampled(declared: Any) -> list[tuple[Samples, Pattern | TextForm]]:
    """The samples in a type, each with the form of the same text."""
    marks = getattr(declared, "__metadata__", ())
    samples = [each for each in marks if isinstance(each, Samples)]
    found = [(each, form) for each in samples for form in marks if isinstance(form, (Pattern, TextForm))]
    return found + [each for part in get_args(declared) if not isinstance(part, str) for each in _sampled(part)]


FORMS = {name: _sampled(declared) for name, declared in vars(forms).items() if _sampled(declared)}


@pytest.mark.parametrize("name", FORMS)
def test_every_sample_fits_its_form(name: str) -> None:
    """Under the defaults, so that anyone who tries calls with samples sees them succeed."""
    for samples, form in FORMS[name]:
        for value in samples.values:
            validate(value, form.keywords({}))
    assert {"ProviderNames", "PhoneNumber", "LanguageCode", "Email"} <= FORMS.keys()


#: One of the names of ``ProviderNames``.
PROVIDER = get_args(get_args(forms.ProviderNames)[0])[0]
#: The type of a value, an assumption with two of its values, and a value that is valid under the second alone.
CHOSEN = [
    (ConfigValues, "config.structure", "contexts", "object", {"theme": 1}),
    (ConfigValues, "config.structure", "contexts", "object", {"theme": {"colours": 1}}),
    (HookUrl, "events.schemes", "https", "http-and-https", "http://hook.example/events"),
    (PROVIDER, "providers.unknown", "store", "ignore", ""),
    (PROVIDER, "providers.unknown", "store", "ignore", "\t"),
    (PROVIDER, "providers.unknown", "refuse", "store", "nobody"),
]


@pytest.mark.parametrize(("declared", "id", "narrow", "wide", "value"), CHOSEN)
def test_a_form_is_that_of_a_profile(declared: Any, id: str, narrow: str, wide: str, value: Any) -> None:
    """A value that it refuses by one choice, and takes by another."""
    forms_of = {choice: [each.keywords({id: choice}) for each in _patterns(declared)] for choice in (narrow, wide)}
    validators = {choice: [Draft202012Validator(each) for each in found] for choice, found in forms_of.items()}
    assert not all(each.is_valid(value) for each in validators[narrow])
    assert all(each.is_valid(value) for each in validators[wide])


def test_a_name_of_one_letter_is_a_name() -> None:
    """Where any name is stored."""
    (form,) = _patterns(PROVIDER)
    assert Draft202012Validator(form.keywords({"providers.unknown": "store"})).is_valid("x")


def _patterns(declared: Any) -> list[Pattern]:
    return [each for each in getattr(declared, "__metadata__", ()) if isinstance(each, Pattern)]


def test_words_of_the_documents_are_no_choice() -> None:
    """An enumeration says them itself; another table replaces them."""
    assert _words(KINDS, {}) == {}
    table = {"archive": "video", "combined": "audio", "captions": "audio", "individual": "audio"}
    assert _words(KINDS, {KINDS.id: table}) == {"enum": ["audio", "video"]}
