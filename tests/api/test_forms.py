"""The forms of texts in the API: what they show as samples fits."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from jsonschema import validate

from confsim.api import forms
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
