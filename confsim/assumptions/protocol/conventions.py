"""Conventions that many families share: search, order, repeated states, deletions of missing things."""

from __future__ import annotations

from confsim.assumptions.register import assumption

# lists.*
SEARCH = assumption(
    "lists.search",
    "G092",
    "How search and query match a text, always without case, without wildcards and as it is coded in Unicode: "
    "anywhere in it, at its beginning, or at the beginning of one of its words.",
    "anywhere",
    ("beginning", "word"),
)
SEARCHED = assumption(
    "lists.searched",
    "G092",
    "What search and query look at: the name of a channel, a session or a client, the handle of a participant, handle "
    "and full name of a user; or also the description of a channel or a user.",
    "names",
    ("descriptions",),
    "list_channels list_users",
)
TEXT_ORDER = assumption(
    "lists.text-order",
    "G087",
    "Order of texts: without case by Unicode code point, or by code point alone.",
    "caseless",
    ("binary",),
)
TIES = assumption(
    "lists.ties",
    "G086",
    "Elements that are equal in the sorted column stand in the order of their creation, in the direction of the column "
    "or always the oldest first.",
    "direction",
    ("oldest-first",),
)

# states.*
REPEATED_STATE = assumption(
    "states.repeated",
    "G537",
    "Setting a state that holds already: succeeds and changes nothing, or is refused.",
    "succeed",
    ("refuse",),
    refuses={"STATE_HOLDS": ("refuse",)},
)

# delete.*
EMPTY_SLOT = assumption(
    "delete.empty-slot",
    "G536",
    "Deleting what a thing has at most one of (an image, a friendly URL, a limit) when there is none: succeeds, or is "
    "refused as not found. A thing with an id that names nothing is always not found.",
    "succeed",
    ("refuse",),
)
BEYOND_END = assumption(
    "lists.beyond-end",
    "G082",
    "A page whose offset is beyond the last element: empty with the total, refused (404), or the last page.",
    "empty",
    ("refuse", "last-page"),
)
PAGE_FIELDS = assumption(
    "lists.page-fields",
    "G078",
    "Fields of a page: total and results, or limit and offset too.",
    "total-and-results",
    ("with-limits",),
)
ARRAY_ORDER = assumption(
    "lists.array-order",
    "G136",
    "Order of the people in arrays that cannot be sorted: in which they were appointed, by id, or by handle.",
    "appointment",
    ("id", "handle"),
    "list_operators list_owners",
)
