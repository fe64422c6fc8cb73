"""Languages of users."""

from __future__ import annotations

from confsim.assumptions.register import Assumption, assumption

LANGUAGE_CODES = assumption(
    "languages.codes",
    "G206",
    "Codes that are taken: ISO 639-1 in lower case, alone or with a hyphen and a region of two capital letters; an "
    "underscore for the hyphen too; or those of the supported languages alone. A repeated code counts at its first "
    "place, an empty list clears.",
    "hyphen",
    ("underscore", "supported"),
    "set_user_languages",
)


def _codes(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(code, str) and code for code in value):
        raise ValueError(f"{value!r} is no list of codes")
    return tuple(value)


SUPPORTED_LANGUAGES: Assumption[tuple[str, ...]] = assumption(
    "languages.supported",
    "G558",
    "Languages that the service supports, in order.",
    ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "zh"),
    ("any list of codes",),
    "list_supported_languages",
    check=_codes,
    samples=(["en"],),
)
