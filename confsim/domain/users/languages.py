"""Languages of users: ordered codes of ISO 639-1 with an optional region."""

import re

from confsim.assumptions import Context, Reason, ask
from confsim.assumptions.users import users as assumed_users
from confsim.kernel import Change, Refusal

from . import users
from .users import User

#: The two-letter codes of ISO 639-1: the second letters by the first.
_LETTERS = {
    "a": "abefkmnrsvyz",
    "b": "aeghimnors",
    "c": "aehorsuvy",
    "d": "aevz",
    "e": "elnostu",
    "f": "afijory",
    "g": "adlnuv",
    "h": "aeiortuyz",
    "i": "adegikostu",
    "j": "av",
    "k": "agijklmnorsuvwy",
    "l": "abginotuv",
    "m": "ghiklnrsty",
    "n": "abdeglnorvy",
    "o": "cjmrs",
    "p": "ailst",
    "q": "u",
    "r": "mnouw",
    "s": "acdegiklmnoqrstuvw",
    "t": "aeghiklnorstwy",
    "u": "gkrz",
    "v": "eio",
    "w": "ao",
    "x": "h",
    "y": "io",
    "z": "ahu",
}
ISO_639_1 = frozenset(first + second for first, seconds in _LETTERS.items() for second in seconds)
_CODE = r"([a-z]{2})(?:-([A-Z]{2}))?\Z"


def put(change: Change, user: User, codes: list[str]) -> User:
    """Set the user's languages in this order, replacing the former ones. Refusal LANGUAGE_UNKNOWN."""
    return users.update(change, user, languages=tuple(dict.fromkeys(_checked(change, code) for code in codes)))


def header(context: Context, codes: tuple[str, ...]) -> str:
    """The codes as the value of an Accept-Language header; no weight falls below a tenth (G205)."""
    if ask(context, assumed_users.ACCEPT_LANGUAGE) == "plain":
        return ", ".join(codes)
    return ", ".join(code if place == 0 else f"{code};q=0.{max(10 - place, 1)}" for place, code in enumerate(codes))


def _checked(change: Change, code: str) -> str:
    form = ask(change, assumed_users.LANGUAGE_CODES)
    if form == "underscore":
        code = code.replace("_", "-", 1)
    match = re.match(_CODE, code)
    known = match is not None and match[1] in ISO_639_1
    if not known or (form == "supported" and code not in ask(change, assumed_users.SUPPORTED_LANGUAGES)):
        raise Refusal(Reason.LANGUAGE_UNKNOWN, language=code)
    return code
