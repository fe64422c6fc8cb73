"""Texts that have a form of their own: how they are read, and their patterns under a profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from confsim.contract.types import TextForm
from confsim.domain.telephony import e164

Profile = Mapping[str, Any]


def _phone_keywords(profile: Profile) -> dict[str, Any]:
    return {"pattern": rf"^\+?[1-9][0-9]{{0,{e164.DIGITS_MOST - 1}}}$"}


def _quoted(context: Any, text: str) -> str:
    e164.priced(context, text)
    return text


def _quoted_keywords(profile: Profile) -> dict[str, Any]:
    return {"pattern": rf"^\+?[1-9][0-9]{{0,{e164.DIGITS_MOST - 1}}}([,#*][0-9#*,]*)?$"}


#: A phone number, read as +E164; the leading plus is optional (P2 L299).
PhoneNumber = Annotated[str, TextForm(e164.canonical, _phone_keywords)]
#: A phone number whose price is asked, with a DTMF part or without one (P2 L303).
QuotedNumber = Annotated[str, TextForm(_quoted, _quoted_keywords)]
