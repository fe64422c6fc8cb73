"""Inbound numbers of a client: the inventory, which of them are enabled, the default list."""

import re
from collections.abc import Sequence
from enum import Enum

from confsim.assumptions import Reason, ask, not_found, note, telephony as assumed
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.domain.conventions import require_filled
from confsim.kernel import Change, Field, Index, Misuse, Record, Table, Toggle

from . import e164

_COUNTRY = r"(?a)[A-Za-z]{2}\Z"


class NumberState(Enum):
    """Whether an inbound number may be used."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class Listing(Enum):
    """Whether an inbound number is in the default list of its client."""

    DEFAULT = "default"
    PLAIN = "plain"


class Number(Record, kw_only=True):
    """An inbound number of a client. ``number`` as +E164, ``country`` as ISO alpha-2."""

    number: str
    client: str
    country: str
    standing: NumberState = NumberState.ENABLED
    listing: Listing = Listing.PLAIN


def _default(listing: Listing, standing: NumberState) -> tuple[bool, ...]:
    return (True,) if listing is Listing.DEFAULT and standing is NumberState.ENABLED else ()


#: The enabled numbers on the default list, under True.
DEFAULTS: Index[Number] = Index("default", "listing", "standing", of=_default)
#: The enabled numbers: all of them under None, and those of a country under its ISO code.
ENABLED: Index[Number] = Index(
    "enabled",
    "country",
    "standing",
    of=lambda country, standing: (None, country) if standing is NumberState.ENABLED else (),
)
NUMBERS: Table[str, Number] = Table("inbound numbers", Number, "number", DEFAULTS, ENABLED, located="number")


STANDING = Toggle(
    "inbound number",
    "Whether an inbound number may be assigned; disabling it removes its assignments (R366, R367).",
    NUMBERS,
    Field("standing"),
    NumberState,
    refused=Reason.NOT_FOUND,
    sources=("P2 L299, G580, G537", "P2 States L172, R366, G580, G537"),
)
_ADD = STANDING.added("add", into=NumberState.ENABLED, source="G468")
LISTING = Toggle(
    "default number",
    "The default list of a client (R325, G479, G578).",
    NUMBERS,
    Field("listing"),
    Listing,
    words=("add", "remove"),
    refused=Reason.INVALID_STATE,
    sources=("P2 L125, L354, G578, G537", "P2 L354, G578, G536"),
)


def add(change: Change, client: Client, text: str, country: str | None = None, *, default: bool = False) -> Number:
    """Add a number to the inventory of the client (G468). The country is derived from the number when not given.

    Refusal NUMBER_MALFORMED. Misuse when any client has it (409), for an unknown country, and when none is given for a
    number without one.
    """
    number = e164.canonical(change, text)
    if find_owner(change, number) is not None:
        raise Misuse(f"there is an inbound number {number} already", status=409)
    if country is not None and not re.match(_COUNTRY, country):
        raise Misuse(f"code: {country[:40]!r} is no country as ISO alpha-2")
    found = country or e164.country(number)
    if found is None:
        raise Misuse(f"code: {number} is a number of no country; say which it is to have")
    made = _ADD(change, Number(number=number, client=client.id, country=found.upper()))
    return LISTING.on(change, made) if default else made


def find_owner(change: Change, number: str) -> Client | None:
    """The client that has the inbound number (+E164), enabled or not, or None."""
    client = NUMBERS.find_client(change, number)
    return None if client is None else CLIENTS.of(change)[client]


def get(change: Change, client: Client, number: str) -> Number:
    """The inbound number (+E164) of the client, enabled or not. Refusal NOT_FOUND."""
    return NUMBERS.get(change, number, client.id) or not_found("inbound number", number)


def remove_from_defaults(change: Change, number: Number) -> Number:
    """Remove the number from the default list of the client (G578)."""
    require_filled(change, "default number", number.number, empty=number.listing is Listing.PLAIN)
    return LISTING.off(change, number)


def code(change: Change, number: Number) -> str:
    """The country of the number in the form of lists (G471)."""
    if ask(change, assumed.CODE) == "iso":
        return number.country
    return e164.dialling_code(number.country)


def list_inbound(change: Change, client: Client, country: str | None) -> Sequence[Number]:
    """The inbound numbers of the client, oldest first; of one country when given (R481, G470)."""
    note(change, assumed.INVENTORY)
    if ask(change, assumed.INBOUND) == "enabled":
        return list_enabled(change, client, country)
    every = NUMBERS.of(change, client.id).all
    return every if country is None else [number for number in every if is_of(change, number, country)]


def list_enabled(change: Change, client: Client, country: str | None) -> Sequence[Number]:
    """The enabled numbers of the client, oldest first; of one country when its code is given, without case (G471)."""
    rows = NUMBERS.of(change, client.id)
    found = rows.where(ENABLED, None)
    if country is None or not found:
        return found
    if ask(change, assumed.CODE) == "iso":
        return rows.where(ENABLED, _code(country))
    return [number for number in found if is_of(change, number, country)]


def is_of(change: Change, number: Number, country: str) -> bool:
    """Whether the number is of the country of this code."""
    return code(change, number) == _code(country)


def _code(country: str) -> str:
    return country.strip().removeprefix("+").upper()
