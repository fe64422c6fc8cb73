"""The document of a small catalogue, whole: every kind of parameter, body, answer and refusal, under two profiles."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pytest

from confsim.assumptions.protocol import images, sizes, units
from confsim.assumptions.protocol.transport import SESSION_WITHOUT_ID
from confsim.assumptions.telephony import LIST_CONTAINER
from confsim.contract import gates
from confsim.contract.decode import resolves
from confsim.contract.encode import NoContent, Raw
from confsim.contract.openapi.document import Subject, document
from confsim.contract.operation import Catalogue
from confsim.contract.types import (
    ImageSize,
    Int,
    InUnit,
    Limit,
    Long,
    Name,
    Names,
    Offset,
    Page,
    Search,
    Shown,
    Sized,
    SortOrder,
    Switch,
    Ttl,
    Url,
    Wire,
)
from kit.openapi import judge

DATA = Path(__file__).parents[2] / "data" / "openapi"
#: The choices of the second document.
OTHER = {
    "encode.empty": "204",
    "encode.absent": "null",
    "errors.body": {"error": "$code", "all": ["$status", "$details"], "v": 1},
    "parse.unknown-fields": "refuse",
    "parse.null": "refuse",
    "parse.ttl-number": "whole",
    "size.name": 40,
    "status.created": 201,
    "status.role-missing": 404,
    "auth.presentation": ["X-Token: {token}", "?token={token}"],
    "units.recording": "iso-8601",
    "images.form": "multipart",
    "numbers.container": "page",
    "http.rate-limit": 5,
    "states.repeated": "refuse",
    "route.session-without-id": "current",
}


class Colour(StrEnum):
    """The colour of a cover."""

    RED = "red"
    BLUE = "blue"


class Author(Wire):
    """Who wrote a book."""

    name: Annotated[str, "The name."]
    born: Annotated[int | None, "The year."] = None


class NewBook(Wire):
    """A book to be added."""

    title: Annotated[Name, "What stands on the cover."]
    blurb: Annotated[str, Sized(sizes.TEXT, allow_blank=True), "A few words."] = ""
    pages: Annotated[Int | None, "How many pages it has."] = None
    shelf: Annotated[Long | None, Names("shelves"), "Where it stands."] = None
    link: Annotated[Url | None, "Where to read more."] = None
    colour: Annotated[Colour, "The colour."] = Colour.RED
    tags: Annotated[list[str] | None, "Words about it."] = None
    more: Annotated[dict[str, Any] | None, "Anything else."] = None


class Book(Wire):
    """A book."""

    id: Annotated[int, "The id."]
    title: Annotated[str, "What stands on the cover."]
    authors: Annotated[list[Author], "Who wrote it."]
    lent: Annotated[int | None, InUnit(units.RECORDING), "When it was lent."] = None
    price: Annotated[float | None, "What it costs."] = None
    words: Annotated[dict[str, int] | None, "How often words occur."] = None
    notes: Annotated[list | None, "Anything."] = None


class Shelf:
    """What a path names by its id."""


@resolves(Shelf, str, "channels", gates=True, about="The id of the shelf.")
def _shelf(call, text):
    """Find a shelf."""


class BookListItem(Wire):
    """A book in a list."""

    id: Annotated[int, "The id."]


LIBRARY = Catalogue("library")
operation = LIBRARY.operation


@operation("GET /books", gate=gates.SIGNED_IN, rules="R001 R002", line="P1 Books", for_client=True)
def list_books(
    call,
    *,
    limit: Limit = 50,
    offset: Offset = 0,
    search: Search | None = None,
    order: SortOrder = SortOrder.ASC,
    ids: Annotated[list[int] | None, "Which ones."] = None,
) -> Annotated[Page[BookListItem], "A page of books."]:
    """List the books.

    Newest first.
    """


@operation("GET /books", gate=gates.SIGNED_IN, rules="R003", variant_of="list_books")
def find_book(call, *, isbn: Annotated[str, "The number."]) -> Book:
    """Find a book by its number."""


@operation("POST /books", gate=gates.OWNER_OR_ADMIN, rules="R004", identifies={"id": "books"})
def create_book(call, body: NewBook) -> Book:
    """Add a book."""


@operation("GET /books/{id}", gate=gates.PUBLIC)
def get_book(call, id: Annotated[int, "The id of the book."], *, imgSize: ImageSize | None = None) -> Book | NoContent:
    """Read a book."""


@operation("POST /books/{id}/lending/{state}", gate=gates.USER)
def set_lending(
    call, id: int, state: Switch, *, ttl: Annotated[Ttl | None, Shown("5m"), "For how long."] = None
) -> None:
    """Lend a book."""


@operation("GET /books/{id}/text", gate=gates.SIGNED_IN)
def read_book(call, id: int, *, all_: Annotated[bool, "Whether all of it."] = False) -> Raw:
    """Read the text of a book."""


@operation("POST /books/{id}/cover", gate=gates.SIGNED_IN, upload=images.FORM)
def add_cover(call, id: int, body: bytes, *, url: Annotated[Url | None, "Where it is."] = None) -> None:
    """Put an image on the cover."""


@operation("GET /shelves/{shelf}/books", gate=gates.ACCESS, container=LIST_CONTAINER, slash=SESSION_WITHOUT_ID)
def list_shelf(call, shelf: Shelf, *, by: Annotated[str, "Who wrote them."]) -> list[Book]:
    """List the books of a shelf."""


for each in LIBRARY:
    each.function.__module__ = "library.books"
sys.modules["library.books"] = ModuleType("library.books", "What stands on the shelves.\n\nMore.")
LIBRARY.arrange("library", {"Books": "books"})


def made(profile, problems):
    """The document under a profile; with ``problems`` refusals are problem documents."""
    observed = {
        "create_book": {
            "refusals": ["CHANNEL_NAME_TAKEN"],
            "example": {"body": {"title": "It"}, "answer": {"id": 1, "title": "It", "authors": []}, "assumptions": []},
        },
        "get_book": {
            "refusals": ["NOT_FOUND"],
            "example": {"parameters": {"id": 7}, "answer": {"id": 7}, "assumptions": ["encode.absent"]},
        },
        "list_shelf": {"refusals": ["NOT_FOUND"]},
        "set_lending": {"refusals": ["STATE_HOLDS"]},
    }
    events = [
        (
            *("book.added", "A book was added.", Book),
            *([{"name": "X-Id", "in": "header", "schema": {"type": "string"}}], {"id": 7}),
        )
    ]
    subject = Subject(
        LIBRARY, "Library", "1.0", "Books.", LIBRARY.areas, problems, None if problems else lambda _: events, observed
    )
    return json.loads(json.dumps(document(subject, server="http://x", profile=profile)))


#: Choices of how requests are read, and of what surrounds answers.
READING = {
    "encode.numbers": "texts",
    "http.caching": "etag",
    "http.idempotency-key": "Idempotency-Key",
    "images.unknown-size": "default",
    "lists.page-fields": "with-limits",
    "parse.accept": "refuse",
    "parse.bad-sort": "absent",
    "parse.booleans": {"yes": True, "no": False},
    "parse.content-type": "ignore",
    "parse.empty-query": "absent",
    "parse.limit-large": "refuse",
    "parse.list-separator": ";",
    "parse.numbers": "coerce",
    "parse.places": "query too",
    "parse.state-case": "ignore",
    "size.whole-number": 2**53 - 1,
}

#: Subjects and profiles of the documents, by their names.
DOCUMENTS = {
    "library": ({}, False),
    "library-other": (OTHER, False),
    "library-reading": (READING, False),
    "library-problems": ({"encode.empty": "200 {}", "http.request-id": "X-Request-Id"}, True),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_document_is_the_one_that_was_written(name):
    """To the last word, and valid."""
    found = made(*DOCUMENTS[name])
    judge(found)
    assert found == json.loads((DATA / f"{name}.json").read_text())
