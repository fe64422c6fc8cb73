"""Types that many operations share. Names of fields and parameters are the names on the wire."""

from collections.abc import Callable, Container, Mapping
from enum import StrEnum
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from confsim.assumptions import Assumption, in_force
from confsim.assumptions.protocol import conventions, parsing, sizes

T = TypeVar("T")


class Wire(Struct, omit_defaults=True, kw_only=True):
    """A JSON object on the wire. A field with the default None is optional: left out when it has no value (G077)."""


class Page(Wire, Generic[T]):
    """A page of a list: ``total`` counts all matching elements, ``results`` are the page's (P1 Conventions 4)."""

    total: Annotated[int, "How many elements match, on all pages."]
    results: Annotated[list[T], "The elements of this page."]


class LimitedPage(Page[T]):
    """A page with its limit and offset (G078)."""

    limit: Annotated[int, "How many elements the page has at most."]
    offset: Annotated[int, "How many elements are skipped before the page."]


class Mark(Struct, frozen=True, eq=False):
    """Says in the ``Annotated`` of a parameter or a field what its type does not say; each mark is itself alone."""


class Sized(Mark, frozen=True):
    """Limits of a text: ``max_length`` in characters, by an assumption; no control characters (G072).

    ``trims`` is whether the text loses its outer blanks, where the profile says so.
    """

    max_length: Assumption[int]
    allow_blank: bool = False
    trims: bool = False


class SearchText(Sized, frozen=True):
    """A text that is sought in the names of what is listed."""


class AbsoluteUrl(Sized, frozen=True):
    """An absolute http or https URL; any text if the value of ``free``, an entry, is "any"."""

    free: Assumption[str] | None = None


#: JSON Schema keywords under a profile.
Keywords = Callable[[Mapping[str, Any]], dict[str, Any]]


class TextForm(Mark, frozen=True):
    """Marks a text with a form of its own, such as a phone number.

    ``read`` returns the value of a parameter from context and text, or raises a Refusal; a field of a body keeps its
    text. ``keywords`` are the JSON Schema keywords of the form under a profile.
    """

    read: Callable[[Any, str], Any]
    keywords: Keywords


class Pattern(Mark, frozen=True):
    """Marks a text whose form is checked by its operation: ``keywords`` are those of a ``TextForm``."""

    keywords: Keywords


class AtMost(Mark, frozen=True):
    """The largest integer of a parameter, or the most ``items`` of a list, by an assumption, which the decoder checks.

    With ``by``, an entry, more is refused only where its value is "refuse". A fixed limit is a ``Meta``.
    """

    entry: Assumption[int]
    items: str = ""
    by: Assumption[str] | None = None

    def under(self, profile: Mapping[str, Any]) -> int | None:
        """Return the limit beyond which a profile refuses, None for none."""
        refused = self.by is None or in_force(profile, self.by) == "refuse"
        return in_force(profile, self.entry) if refused else None

    def keywords(self, profile: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON Schema keywords of the limit under a profile."""
        most = self.under(profile)
        return {} if most is None else {"maxItems" if self.items else "maximum": most}


class ReadAs(Mark, frozen=True):
    """Marks a JSON value that its operation reads by itself, and whose schema is that of a ``type``."""

    type: Any


class Said(Mark, frozen=True):
    """Marks a parameter or a field of which a profile says more than a schema can: ``text`` returns it, "" for none."""

    text: Callable[[Mapping[str, Any]], str]


def _limit(profile: Mapping[str, Any]) -> str:
    """Return what a limit of 0, and one beyond the most, stand for (G080, G081)."""
    none = "0 counts as none." if in_force(profile, parsing.LIMIT_ZERO) == "absent" else "0 gives an empty page."
    cut = in_force(profile, parsing.LIMIT_LARGE) == "cut"
    return f"{none} One above {in_force(profile, sizes.PAGE_MOST)} is cut to it." if cut else none


def _offset(profile: Mapping[str, Any]) -> str:
    """Return what an offset beyond the last element stands for (G082)."""
    ways = {"empty": "the page is empty", "refuse": "there is no page (404)", "last-page": "it is the last page"}
    return f"Beyond the last element {ways[in_force(profile, conventions.BEYOND_END)]}."


class Samples:
    """Marks a value whose type does not say what it is like: ``values`` are some that fit, for those who try calls."""

    __slots__ = ("values",)

    def __init__(self, *values: Any) -> None:
        self.values = values


class AlwaysOmitted(Mark, frozen=True):
    """Marks an option that is left out of an answer when it has no value, under every profile (P2 Settings L116)."""


class InUnit(Mark, frozen=True):
    """Marks a time whose unit an assumption chooses; the description names the unit."""

    entry: Assumption[str]


class StatedUnit(Struct, frozen=True):
    """Marks an instant of an answer whose unit the documents state: ``unit`` in the words of ``InUnit``."""

    unit: str


class Numbering(Mark, frozen=True):
    """Marks a number that is the second of an instant, which each service has itself, by the value ``by`` of ``entry``.

    By other values it is counted.
    """

    entry: Assumption[str]
    by: str

    def unit_under(self, profile: Mapping[str, Any]) -> str:
        """Return the unit of the instant in the words of ``InUnit``, "" for a number that is none."""
        return "epoch-s" if in_force(profile, self.entry) == self.by else ""


class Names(Struct, frozen=True):
    """Marks what names a thing, a parameter or a field of a body or an answer: ``Annotated[str, Names("recordings")]``.

    ``kind`` is the word for the things that it can name, one for all operations; ``several`` is True for a text that
    can name several of them, separated by commas; ``secret`` is True for what gives access to anyone.
    """

    kind: str
    several: bool = False
    secret: bool = False


class Invented(StrEnum):
    """Marks a value of an answer that each service invents for itself, and that names no thing."""

    LINK = "link"  # an address of something that the service has
    TEXT = "text"  # anything


class Inside(Struct, frozen=True):
    """Marks a text of an answer, such as an address, of which the ids of things, or instants, are parts.

    ``kinds`` are those of ``Names``, or ``instants``.
    """

    kinds: tuple[str, ...]


class ShownOnce(Mark, frozen=True):
    """Marks a secret of an answer that is complete where a call has made it, and masked where it is only read."""


class Chosen(Mark, frozen=True):
    """Marks an answer, or a field of one, whose type depends on the value of ``entry``, by ``types``."""

    entry: Assumption[Any]
    types: Mapping[Any, Any]


class Present(Mark, frozen=True):
    """Marks an optional field, of an answer or of a body, that is always there by some values of ``entry``.

    A field that the documents call an option has no such mark in an answer: clients are to expect it or not.
    """

    entry: Assumption[Any]
    always: Container[object]

    def under(self, profile: Mapping[str, Any]) -> bool:
        """Return whether the field is always there under a profile."""
        return in_force(profile, self.entry) in self.always


class Shown(Mark, frozen=True):
    """Marks a parameter with its ``default`` as a client would send it, if that is not the text of the Python value."""

    default: str


#: Any JSON value.
Json = Any

Name = Annotated[str, Sized(sizes.NAME, trims=True)]
#: A name that another system gave, or that has a form of its own.
ExactName = Annotated[str, Sized(sizes.NAME)]
FullName = Annotated[str, Sized(sizes.NAME, allow_blank=True, trims=True)]
Handle = Annotated[str, Sized(sizes.HANDLE, trims=True)]
Label = Annotated[str, Sized(sizes.LABEL, allow_blank=True)]
FreeText = Annotated[str, Sized(sizes.TEXT, allow_blank=True)]
Word = Annotated[str, Sized(sizes.WORD)]
SoughtAddress = Annotated[str, Sized(sizes.TEXT)]
Key = Annotated[str, Sized(sizes.KEY), Samples("sample"), "The key of the property."]
Url = Annotated[str, AbsoluteUrl(sizes.URL)]
Link = Annotated[str, Invented.LINK]
ImageLink = Annotated[str, Invented.LINK, Inside(("images",))]
OwnText = Annotated[str, Invented.TEXT]
Search = Annotated[str, SearchText(sizes.TEXT, allow_blank=True), "What is sought in the names."]

#: 32-bit and 64-bit signed integers (P1 Conventions 3, G073).
Int = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Long = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]

#: A larger limit of a page is refused or cut (G080).
_PAGE = AtMost(sizes.PAGE_MOST, by=parsing.LIMIT_LARGE)
Count = Annotated[int, Meta(ge=0), "How many are listed at most."]
Limit = Annotated[int, Meta(ge=0), _PAGE, Said(_limit), "How many elements the page has at most."]
Offset = Annotated[int, Meta(ge=0), Said(_offset), "How many elements are skipped before the page."]


class Ttl(int):
    """A time to live in milliseconds, written as a number followed by a unit: 1m, 1d (P1 Conventions 8)."""


class ImageSize(StrEnum):
    """The size of the images whose addresses an answer has (P1 Conventions 6)."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    XLARGE = "xlarge"
    XXLARGE = "xxlarge"
    UNFURL = "unfurl"


#: Width and height in pixels of each size (P1 Conventions 6, R030).
PIXELS = {
    ImageSize.SMALL: 40,
    ImageSize.MEDIUM: 80,
    ImageSize.LARGE: 100,
    ImageSize.XLARGE: 130,
    ImageSize.XXLARGE: 175,
    ImageSize.UNFURL: 600,
}


class SortOrder(StrEnum):
    """Whether the list ascends or descends (P1 Conventions 5)."""

    ASC = "asc"
    DESC = "desc"


class Switch(StrEnum):
    """Whether it is to be on or off (P1 Conventions 10)."""

    ENABLE = "enable"
    DISABLE = "disable"


class Form(Struct):
    """The file in a multipart/form-data body: its type (None if not given) and bytes, or why there is no file."""

    content_type: str | None = None
    data: bytes = b""
    problem: str = ""
