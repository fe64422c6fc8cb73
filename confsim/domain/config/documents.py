"""Configuration level by level: the JSON documents of clients, templates and channels, and how they are updated."""

from typing import Any

from confsim.assumptions import Reason, ask, config as assumed
from confsim.kernel import Change, Collection, Index, Record, Refusal, Table, replace

from . import json_documents

#: P2 Configuration: the theme of a call that names none.
LIGHT = "light"

#: The level of a document (the id of a client, template or channel), its theme and its language.
Place = tuple[str, str, str | None]


class ConfigDocument(Record):
    """The document of one level for one theme and one language, or for all languages. ``level`` is the id of what it
    belongs to: the client, a template, a channel.
    """

    level: str
    theme: str
    language: str | None
    values: dict[str, Any]
    client: str

    @property
    def key(self) -> Place:
        """The key of the document."""
        return self.level, self.theme, self.language


BY_LEVEL: Index[ConfigDocument] = Index("level", "level")
DOCUMENTS: Table[Place, ConfigDocument] = Table("configuration", ConfigDocument, "key", BY_LEVEL)


WRITTEN: Collection[ConfigDocument] = Collection(
    "configuration document",
    "The document of one level for one theme and one language (R436-R447); empty ones are not stored.",
    DOCUMENTS,
    refused=Reason.NOT_FOUND,
)
_CREATE = WRITTEN.added("create", source="P2 L255, R443, G394")
_EMPTY = WRITTEN.removed("empty", source="G394")
REMOVE = WRITTEN.removed("remove", source="G309, G413")


@WRITTEN.changed("update", source="P2 L255, R443, G394")
def _write(change: Change, document: ConfigDocument, values: dict[str, Any]) -> ConfigDocument:
    """The document is what the update makes of it."""
    return replace(document, values=values)


def update(
    change: Change, client: str, level: str, posted: dict[str, Any], theme: str = LIGHT, language: str | None = None
) -> None:
    """Update the configuration of a level with the posted document (R443, R445, G394).

    Refusals: INVALID_INPUT for a document of the wrong shape or too deep, THEME_UNKNOWN, LANGUAGE_MISSING for texts
    without a language.
    """
    json_documents.bounded(change, posted)
    _shaped(change, posted)
    require_theme(change, theme)
    key = ask(change, assumed.TEXTS_KEY)
    texts, rest = json_documents.split(posted, key, strings=key == assumed.EVERY_STRING)
    if texts and language is None:
        how = ask(change, assumed.TEXTS_WITHOUT_LANGUAGE)
        if how == "refuse":
            raise Refusal(Reason.LANGUAGE_MISSING)
        _update(change, client, (level, theme, None), rest)
        if how == "default-language":
            _update(change, client, (level, theme, ask(change, assumed.DEFAULT_LANGUAGE)), texts)
    elif language is not None and ask(change, assumed.LANGUAGE_SCOPE) == "texts":
        _update(change, client, (level, theme, None), rest)
        _update(change, client, (level, theme, language), texts)
    else:
        _update(change, client, (level, theme, language), posted)


def _update(change: Change, client: str, place: Place, posted: dict[str, Any]) -> None:
    document = DOCUMENTS.get(change, place, client)
    before = {} if document is None else document.values
    how = ask(change, assumed.UPDATE)
    if how == "replace":
        after = posted
    else:
        after = json_documents.patched(before, posted) if how == "patch" else json_documents.merged(before, posted)
    if document is None:
        if after:
            _CREATE(change, ConfigDocument(*place, after, client))
    elif after:
        _write(change, document, after)
    else:
        _EMPTY(change, document)


def _shaped(change: Change, posted: dict[str, Any]) -> None:
    if ask(change, assumed.STRUCTURE) == "contexts":
        for context, value in posted.items():
            inner = [value, *value.values()] if isinstance(value, dict) else [value]
            if not all(isinstance(each, dict) or each is None for each in inner):
                problem = "it is no object of categories that are objects"
                raise Refusal(Reason.INVALID_INPUT, where=f"body {context}", problem=problem)


def require_theme(change: Change, theme: str) -> None:
    """Raise Refusal THEME_UNKNOWN for an unknown theme (G404)."""
    themes = ask(change, assumed.THEMES)
    if themes and theme not in themes:
        raise Refusal(Reason.THEME_UNKNOWN, theme=theme, expected=", ".join(themes))
