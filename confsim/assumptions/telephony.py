"""Phone numbers and their assignment, PINs, calls in both directions and quotes."""

from __future__ import annotations

import re

from .register import assumption, text

_DIAL = "dial_registered_user dial_unregistered_user"
_NUMBERS = "assign_dial_number assign_exclusive_dial_number list_dial_number_assignments"
_LISTS = "list_available_dial_numbers list_inbound_numbers"
PIN_FORMS = {"1-16 digits": r"[0-9]{1,16}\Z", "4-8 digits": r"[0-9]{4,8}\Z", "any text": r".{1,255}\Z"}

# numbers.*
VALID = assumption(
    "numbers.valid",
    "G454",
    "What a number is: 1 to 15 digits, the first not 0; a length that its country has; or a range in use there.",
    "e164",
    ("possible", "in-use"),
    f"{_DIAL} get_dial_quote {_NUMBERS}",
)
FORM = assumption(
    "numbers.form",
    "G059",
    "Form in which numbers are stored and answered: +E164, whether or not the plus was given, or the digits alone.",
    "plus",
    ("digits",),
    f"{_NUMBERS} {_LISTS} get_dial_quote",
)
CODE = assumption(
    "numbers.code",
    "G471",
    "code of an inbound number, and countryCode which filters by it without case: the country as ISO alpha-2 in upper "
    "case, or the dialling code (1, 49).",
    "iso",
    ("dialling",),
    f"{_LISTS} {_NUMBERS}",
)
LIST_CONTAINER = assumption(
    "numbers.container",
    "G094",
    "Available numbers and assignments of a channel are pages {total, results}, or bare arrays as the inbound numbers.",
    "page",
    ("array",),
    "list_available_dial_numbers list_dial_number_assignments",
)
AVAILABLE = assumption(
    "numbers.available",
    "G469",
    "Available numbers: the enabled ones that lead to no channel exclusively, or all enabled ones of the client.",
    "not-exclusive",
    ("enabled",),
    "list_available_dial_numbers",
)
INBOUND = assumption(
    "numbers.inbound",
    "G470",
    "Inbound numbers that are listed: the enabled ones of the client, or the disabled ones too.",
    "enabled",
    ("all",),
    "list_inbound_numbers",
)
INVENTORY = assumption(
    "numbers.inventory",
    "G468",
    "Where inbound numbers come from: the world file and the control plane, each belonging to one client.",
    "outside",
    (),
    _LISTS,
)
DEFAULTS = assumption(
    "numbers.defaults",
    "G479",
    "The default list of a client: a flag of its numbers, or new channels get its enabled numbers assigned.",
    "flag",
    ("assigned",),
    "add_default_dial_number remove_default_dial_number create_channel list_dial_number_assignments",
)
ASSIGNED_AGAIN = assumption(
    "numbers.assigned-again",
    "G473",
    "Assigning a number that leads to the channel already: the same assignment with the same code, which changes "
    "between shared and exclusive where nobody else has it; or refused.",
    "same",
    ("refuse",),
    "assign_dial_number assign_exclusive_dial_number",
    refuses={"NUMBER_ASSIGNED": ("refuse",)},
)
TAKEN = assumption(
    "numbers.exclusive-taken",
    "G474",
    "Exclusive for a number that leads to other channels: refused, or their assignments go. A number that is another "
    "channel's exclusively is always refused.",
    "refuse",
    ("take",),
    "assign_exclusive_dial_number",
    refuses={"NUMBER_SHARED": ("refuse",)},
)
ROUTING_CODE = assumption(
    "numbers.routing-code",
    "G475",
    "code of a shared assignment: 6 digits unique for the number, or the meeting id; an exclusive one has none.",
    "digits",
    ("meeting-id",),
    _NUMBERS,
)
PHONE = assumption(
    "numbers.phone",
    "G476",
    "phone of an assignment: {number, code} as an available number, or the number alone.",
    "object",
    ("text",),
    _NUMBERS,
)

# pins.*
PIN_FORM = assumption(
    "pins.form",
    "G461",
    "What a PIN is: 1 to 16 digits, leading zeros counting, 4 to 8 digits, or any text.",
    "1-16 digits",
    ("4-8 digits", "any text"),
    "add_dial_pin",
)
PIN_AGAIN = assumption(
    "pins.several",
    "G462",
    "A channel has any number of PINs, and the same PIN again updates whether it is for organizers, or is refused; or "
    "a channel has a single PIN, which the next one replaces.",
    "update",
    ("refuse", "single"),
    "add_dial_pin",
    refuses={"PIN_TAKEN": ("refuse",)},
)
HIDDEN = assumption(
    "pins.hidden",
    "G464",
    "PINs for users who are no hosts while publicPIN is false: refused, none, or all but those of organizers. Hosts "
    "and API tokens see all.",
    "refuse",
    ("none", "plain"),
    "list_dial_pins",
    refuses={"PINS_HIDDEN": ("refuse",)},
)
PUBLIC = assumption(
    "pins.public",
    "G465",
    "PINs for users who are no hosts while publicPIN is true: all but those of organizers, or all.",
    "plain",
    ("all",),
    "list_dial_pins",
)
PIN_CONTAINER = assumption(
    "pins.container",
    "G095",
    "The PINs of a channel are a bare array, or an object {total, results}.",
    "array",
    ("page",),
    "list_dial_pins",
)

# dial.*
DTMF_BEGINS = assumption(
    "dial.dtmf-begins",
    "G455",
    "Where the DTMF part of a number begins, whose first character counts as part of it: at the first of , # *, or "
    "after 15 digits at the latest.",
    "separator",
    ("fifteenth-digit",),
    f"{_DIAL} get_dial_quote",
)
LETTERS = assumption(
    "dial.letters",
    "G457",
    "Letters in the number of an unregistered call: digits as on a keypad, or dropped. Punctuation is always dropped, "
    "also , # * before the first digit and words before a plus; no country is guessed.",
    "keypad",
    ("dropped",),
    "dial_unregistered_user",
)
NO_SESSION = assumption(
    "dial.no-session",
    "G450",
    "Dialling out while no session of the channel is active: the call starts it when it is answered, or is refused.",
    "starts",
    ("refuse",),
    _DIAL,
    refuses={"CHANNEL_IDLE": ("refuse",)},
)
SIP_USER = assumption(
    "dial.sip-user",
    "G451",
    "sipUserId: the id of a registered or predefined user of the client, or of any user of it.",
    "registered",
    ("any",),
    "dial_registered_user",
    refuses={"NOT_REGISTERED": ("registered",)},
)
INSIDE = assumption(
    "dial.inside",
    "G451",
    "Calling a registered user who is in the channel already, or whose phone rings or is answered: refused; or the "
    "call is placed, and the user has two.",
    "refuse",
    ("call",),
    "dial_registered_user",
    refuses={"ALREADY_INSIDE": ("refuse",)},
)
CALLERS_STAY = assumption(
    "dial.users-after-call",
    "G452 G250",
    "The user as whom an unregistered phone appears, when its call is over: stays readable under its id; or is "
    "removed, and past sessions keep the handle.",
    "stays",
    ("removed",),
    "dial_unregistered_user",
)
WHISPER = assumption(
    "dial.whisper", "G453", "whisper is noted with the call and has no effect that can be seen.", "noted", (), _DIAL
)
CALLEES_PASS = assumption(
    "dial.callees-pass",
    "G330",
    "Whether a callee passes a closed door, as one whom a host invited; else the callee waits in the lobby.",
    True,
    (False,),
    _DIAL,
)

CALLEES_TERMS = assumption(
    "dial.callees-terms",
    "G176",
    "Whether a registered user whose phone the channel calls must have accepted the terms to be admitted. Users who "
    "exist only by phone are never bound.",
    False,
    (True,),
    "dial_registered_user",
    refuses={"TERMS_NOT_ACCEPTED": (True,)},
)

# quote.*
LONG_DTMF_QUOTE = assumption(
    "quote.long-dtmf",
    "G456",
    "The DTMF part in a quote: ignored, whatever it is; or held to the characters and the length of that in a call.",
    "ignored",
    ("held",),
    "get_dial_quote",
    refuses={"DTMF_MALFORMED": ("held",)},
)
QUOTE_NUMBER = assumption(
    "quote.number",
    "G458",
    "number of a quote: the number without its DTMF part, or the text as it was given.",
    "canonical",
    ("given",),
    "get_dial_quote",
)
QUOTE_COUNTRY = assumption(
    "quote.country",
    "G459",
    "country of a quote: ISO alpha-2 in upper case, or the name in English.",
    "iso",
    ("name",),
    "get_dial_quote",
)
QUOTE_UNKNOWN = assumption(
    "quote.unknown",
    "G459",
    "A quote for a number of no country, or of one without a price: refused, or a cost of 0 (country ZZ where none).",
    "refuse",
    ("free",),
    "get_dial_quote",
    refuses={"DESTINATION_UNKNOWN": ("refuse",)},
)
QUOTE_OFF = assumption(
    "quote.while-off",
    "G460",
    "Whether a quote is given while dial-out is off for the channel.",
    True,
    (False,),
    "get_dial_quote",
    refuses={"DIAL_OUT_OFF": (False,)},
)


def _prices(value: object) -> dict[str, float]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is no table from countries to prices")
    for country, price in value.items():
        if not isinstance(country, str) or not re.fullmatch(r"[A-Z]{2}|\*", country):
            raise ValueError(f"{country!r} is neither a country as ISO alpha-2 nor *")
        if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < 1e6:
            raise ValueError(f"{price!r} is no price")
    return {country: float(price) for country, price in value.items()}


PRICES = assumption(
    "quote.prices",
    "G459",
    "Price in USD per minute of calls to a country as ISO alpha-2; * is that of every country without its own.",
    {
        "*": 0.25,
        "AT": 0.04,
        "AU": 0.03,
        "BE": 0.04,
        "BR": 0.06,
        "CA": 0.01,
        "CH": 0.05,
        "CN": 0.03,
        "CZ": 0.04,
        "DE": 0.02,
        "DK": 0.03,
        "ES": 0.02,
        "FI": 0.06,
        "FR": 0.02,
        "GB": 0.02,
        "IE": 0.03,
        "IN": 0.04,
        "IT": 0.03,
        "JP": 0.06,
        "MX": 0.03,
        "NL": 0.03,
        "NO": 0.03,
        "NZ": 0.03,
        "PL": 0.03,
        "PT": 0.03,
        "SE": 0.02,
        "SG": 0.03,
        "US": 0.01,
        "ZA": 0.09,
    },
    ("any table from countries to prices",),
    "get_dial_quote",
    check=_prices,
    samples=({"*": 1.5},),
)

# dial-in.*
DIAL_IN_OFF = assumption(
    "dial-in.while-off",
    "G467 G478",
    "What a channel with dial-in off refuses: callers alone, or assigning numbers and changing PINs too.",
    "callers",
    ("everything",),
    "assign_dial_number assign_exclusive_dial_number add_dial_pin delete_dial_pin",
    refuses={"DIAL_IN_OFF": ("everything",)},
)


def _handle(value: object) -> str:
    given = text(value)
    if not given.strip():
        raise ValueError("a handle is not blank")
    return given


CALLER_HANDLE = assumption(
    "dial-in.handle",
    "G466 G203",
    "Handle of the unregistered user that each call to an inbound number makes; {number} is the caller's number.",
    "{number}",
    ("Caller {number}", "Phone user", "any text"),
    check=_handle,
    decides="users",
)
ANONYMOUS = assumption(
    "dial-in.anonymous",
    "G466",
    "What stands for the number of a caller who sends none.",
    "anonymous",
    ("any text",),
    check=text,
    decides="users",
    samples=("nobody",),
)
AS_GUESTS = assumption(
    "dial-in.guest-access",
    "G227 G466",
    "Whether a channel without guest access refuses phones that dial in. By default only the PINs and the dial-in "
    "switch restrict them. A private channel admits phones as it admits its guests.",
    False,
    (True,),
)
ORGANIZER = assumption(
    "dial-in.organizer",
    "G466 G330",
    "How an organizer PIN starts the meeting: the caller passes a closed door, and so starts the session; or opens the "
    "door to those who wait as well.",
    "passes",
    ("opens-door",),
)
