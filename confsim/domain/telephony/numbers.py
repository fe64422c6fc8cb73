"""Inbound numbers of a client: the inventory, what is enabled in it, its default list."""

from __future__ import annotations

import re
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import telephony as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.domain import repeats
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

from . import e164

_COUNTRY = re.compile(r"[A-Za-z]{2}\Z", re.ASCII)


class Standing(Enum):
    """Whether an inbound number may be used."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class Listing(Enum):
    """Whether an inbound number is in the default list of its client."""

    PLAIN = "plain"
    DEFAULT = "default"


class Number(Record, kw_only=True):
    """An inbound number of a client. ``number`` as +E164, ``country`` as ISO alpha-2."""

    number: str
    client: str
    country: str
    standing: Standing = Standing.ENABLED
    listing: Listing = Listing.PLAIN


DEFAULTS: Index[Number] = Index("default", lambda number: (True,) if number.listing is Listing.DEFAULT else ())
NUMBERS: Table[str, Number] = Table("inbound numbers", Number, "number", DEFAULTS)


def _put(change: Change, number: Number) -> Number:
    return NUMBERS.of(change, number.client).put(number)


def _enable(change: Change, number: Number, facts: Facts) -> Number:
    """It can be assigned again; assignments that were removed do not come back."""
    return _put(change, replace(number, standing=Standing.ENABLED))


def _disable(change: Change, number: Number, facts: Facts) -> Number:
    """Nobody can be reached by it any more."""
    return _put(change, replace(number, standing=Standing.DISABLED))


_ANY = (Standing.ENABLED, Standing.DISABLED)

STANDING: Machine[Standing, Number] = Machine(
    "inbound number",
    "Whether an inbound number may be assigned; disabling it removes its assignments (R366, R367).",
    Standing,
    (
        Row("enable", _ANY, Standing.ENABLED, effect=_enable, source="P2 L299, G580, G537"),
        Row("disable", _ANY, Standing.DISABLED, effect=_disable, source="P2 States L172, R366, G580, G537"),
    ),
    read=lambda number, facts: number.standing,
    refusals={None: Reason.INVALID_STATE},
    initial=Standing.ENABLED,
)


def _add(change: Change, number: Number, facts: Facts) -> Number:
    """It is default for the client."""
    return _put(change, replace(number, listing=Listing.DEFAULT))


def _drop(change: Change, number: Number, facts: Facts) -> Number:
    """It is a number like any other."""
    return _put(change, replace(number, listing=Listing.PLAIN))


_EITHER = (Listing.PLAIN, Listing.DEFAULT)

LISTING: Machine[Listing, Number] = Machine(
    "default number",
    "The default list of a client (R325, G479, G578).",
    Listing,
    (
        Row("add", _EITHER, Listing.DEFAULT, effect=_add, source="P2 L125, L354, G578, G537"),
        Row("remove", _EITHER, Listing.PLAIN, effect=_drop, source="P2 L354, G578, G536"),
    ),
    read=lambda number, facts: number.listing,
    refusals={None: Reason.INVALID_STATE},
    initial=Listing.PLAIN,
)


def add(change: Change, client: Client, text: str, country: str | None = None, *, default: bool = False) -> Number:
    """A number of the carrier for the client (G468). Its country is worked out when it is not given.

    Refusal NUMBER_MALFORMED. Misuse when any client has it (409), for what is no country, and for a number of no
    country without one.
    """
    number = e164.canonical(change, text)
    if owner(change, number) is not None:
        raise Misuse(f"there is an inbound number {number} already", status=409)
    if country is not None and not _COUNTRY.match(country):
        raise Misuse(f"code: {country[:40]!r} is no country as ISO alpha-2")
    found = country or e164.country(number)
    if found is None:
        raise Misuse(f"code: {number} is a number of no country; say which it is to have")
    made = NUMBERS.of(change, client.id).put(Number(number=number, client=client.id, country=found.upper()))
    return LISTING.fire(change, made, "add") if default else made


def owner(change: Change, number: str) -> Client | None:
    """The client that has the inbound number (+E164), enabled or not."""
    return next((each for each in CLIENTS.of(change) if number in NUMBERS.of(change, each.id)), None)


def get(change: Change, client: Client, text: str) -> Number:
    """The inbound number of the client, enabled or not. Refusals NUMBER_MALFORMED, NOT_FOUND."""
    number = e164.canonical(change, text)
    found = NUMBERS.of(change, client.id).get(number)
    if found is None:
        raise Refusal(Reason.NOT_FOUND, what="inbound number", id=number)
    return found


def switch(change: Change, client: Client, text: str, event: str) -> Number:
    """Enable or disable the inbound number; disabled, it leads nowhere (R366)."""
    number = get(change, client, text)
    standing = Standing.ENABLED if event == "enable" else Standing.DISABLED
    repeats.allow(change, event, holds=number.standing is standing)
    return STANDING.fire(change, number, event)


def list_default(change: Change, client: Client, text: str) -> Number:
    """Put the number on the default list of the client (G578)."""
    number = get(change, client, text)
    repeats.allow(change, Listing.DEFAULT.value, holds=number.listing is Listing.DEFAULT)
    return LISTING.fire(change, number, "add")


def unlist_default(change: Change, client: Client, text: str) -> Number:
    """Take the number off the default list of the client (G578)."""
    number = get(change, client, text)
    repeats.allow_empty(change, "default number", number.number, empty=number.listing is Listing.PLAIN)
    return LISTING.fire(change, number, "remove")


def code(change: Change, number: Number) -> str:
    """The country of the number as lists show it (G471)."""
    if ask(change, assumed.CODE) == "iso":
        return number.country
    return e164.dialling_code(number.country)


def inbound(change: Change, client: Client, country: str | None) -> list[Number]:
    """The inbound numbers of the client, oldest first; those of one country where it is given (R481, G470)."""
    note(change, assumed.INVENTORY)
    found = NUMBERS.of(change, client.id).oldest()
    if ask(change, assumed.INBOUND) == "enabled":
        found = enabled(found)
    return of_country(change, found, country)


def enabled(found: list[Number]) -> list[Number]:
    """Those that are enabled."""
    return [number for number in found if number.standing is Standing.ENABLED]


def of_country(change: Change, found: list[Number], country: str | None) -> list[Number]:
    """Those of a country, told by its code in any case (G471)."""
    if country is None:
        return found
    wanted = country.strip().removeprefix("+").upper()
    return [number for number in found if code(change, number) == wanted]
