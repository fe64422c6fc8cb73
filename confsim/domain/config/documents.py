"""Configuration level by level: the JSON documents of clients, templates and channels, and how they are updated."""

from __future__ import annotations

from enum import Enum
from typing import Any

from confsim.assumptions import config as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.channels.channels import Channel
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

from . import json_documents

#: P2 Configuration: the theme of a call that names none.
LIGHT = "light"

#: What a document belongs to (the id of a client, template or channel), its theme and its language.
Place = tuple[str, str, str | None]


class Document(Record):
    """The document of one level for one theme and one language, or for all languages. ``level`` is the id of what it
    belongs to: the client, a template, a channel.
    """

    level: str
    theme: str
    language: str | None
    values: dict[str, Any]

    @property
    def place(self) -> Place:
        """The key of the document."""
        return self.level, self.theme, self.language


BY_LEVEL: Index[Document] = Index("level", lambda document: (document.level,))
DOCUMENTS: Table[Place, Document] = Table("configuration", Document, "place", BY_LEVEL)


class Content(Enum):
    """Whether anything is configured at a place."""

    EMPTY = "empty"
    WRITTEN = "written"


class Slot(Record):
    """One place for a document, with or without one: what the machine moves."""

    client: str
    place: Place
    values: dict[str, Any]


def _write(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The document is what the update makes of it."""
    DOCUMENTS.of(change, slot.client).put(Document(*slot.place, facts["after"]))
    return Slot(slot.client, slot.place, facts["after"])


def _clear(change: Change, slot: Slot, facts: Facts) -> Slot:
    """Nothing is left, so there is no document."""
    if slot.values:
        DOCUMENTS.of(change, slot.client).remove(slot.place)
    return Slot(slot.client, slot.place, {})


_LEAVES_SOMETHING = Guard("the update leaves something", lambda slot, facts: bool(facts["after"]))
_ANY = (Content.EMPTY, Content.WRITTEN)

MACHINE: Machine[Content, Slot] = Machine(
    "configuration document",
    "The document of one level for one theme and one language (R436-R447).",
    Content,
    (
        Row("update", _ANY, Content.WRITTEN, only_if=_LEAVES_SOMETHING, effect=_write, source="P2 L255, R443, G394"),
        Row("update", _ANY, Content.EMPTY, only_if=~_LEAVES_SOMETHING, effect=_clear, source="G394"),
    ),
    read=lambda slot, facts: Content.WRITTEN if slot.values else Content.EMPTY,
    refusals={None: Reason.INVALID_INPUT},
    initial=Content.EMPTY,
)


def update(
    change: Change, client: str, level: str, posted: dict[str, Any], theme: str = LIGHT, language: str | None = None
) -> None:
    """Update the configuration of a level by what is posted (R443, R445, G394).

    Refusals: INVALID_INPUT for a document of the wrong shape or too deep, THEME_UNKNOWN, LANGUAGE_MISSING for texts
    without a language.
    """
    json_documents.bounded(change, posted)
    _shaped(change, posted)
    known(change, theme)
    key = ask(change, assumed.TEXTS_KEY)
    texts, rest = json_documents.split(posted, key, strings=key == assumed.EVERY_STRING)
    if texts and language is None:
        how = ask(change, assumed.TEXTS_WITHOUT_LANGUAGE)
        if how == "refuse":
            raise Refusal(Reason.LANGUAGE_MISSING)
        _fire(change, client, (level, theme, None), rest)
        if how == "default-language":
            _fire(change, client, (level, theme, ask(change, assumed.DEFAULT_LANGUAGE)), texts)
    elif language is not None and ask(change, assumed.LANGUAGE_SCOPE) == "texts":
        _fire(change, client, (level, theme, None), rest)
        _fire(change, client, (level, theme, language), texts)
    else:
        _fire(change, client, (level, theme, language), posted)


def _fire(change: Change, client: str, place: Place, posted: dict[str, Any]) -> None:
    document = DOCUMENTS.of(change, client).get(place)
    before = {} if document is None else document.values
    how = ask(change, assumed.UPDATE)
    if how == "replace":
        after = posted
    else:
        after = json_documents.patched(before, posted) if how == "patch" else json_documents.merged(before, posted)
    MACHINE.fire(change, Slot(client, place, before), "update", after=after)


def _shaped(change: Change, posted: dict[str, Any]) -> None:
    if ask(change, assumed.STRUCTURE) == "contexts":
        for context, value in posted.items():
            inner = [value, *value.values()] if isinstance(value, dict) else [value]
            if not all(isinstance(each, dict) or each is None for each in inner):
                problem = "it is no object of categories that are objects"
                raise Refusal(Reason.INVALID_INPUT, where=f"body {context}", problem=problem)


def known(change: Change, theme: str) -> None:
    """Refusal THEME_UNKNOWN for a theme that there is not (G404)."""
    themes = ask(change, assumed.THEMES)
    if themes and theme not in themes:
        raise Refusal(Reason.THEME_UNKNOWN, theme=theme, expected=", ".join(themes))


def forget(change: Change, client: str, level: str) -> None:
    """Remove every document of a level."""
    rows = DOCUMENTS.of(change, client)
    for document in rows.find(BY_LEVEL, level):
        rows.remove(document.place)


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The configuration of a channel goes with it (G309)."""
    forget(change, channel.client, channel.id)
