"""Handles, names, addresses and other texts, as the style cleans and checks them."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from services.conferencing.context import Context
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.ids import slug


def _blanks(text: str, rule: str, field: str) -> str:
    """The text with its outer (and inner) blanks as the rule wants them."""
    if rule == "reject" and text != text.strip():
        raise invalid(field, "blanks")
    if rule == "collapse":
        return " ".join(text.split())
    return text.strip() if rule == "trim" else text


def _length(text: str, least: int, most: int, field: str) -> None:
    if len(text) < least:
        raise invalid(field, "short")
    if len(text) > most:
        raise invalid(field, "long")


def handle(ctx: Context, text: str, field: str = "handle") -> str:
    """A handle, cleaned and checked."""
    rules = ctx.style.text
    rule = "keep" if ctx.bug("handle-blanks-kept") else rules.handle_blanks
    clean = _blanks(text, rule, field)
    if not clean.strip():
        raise invalid(field, "blank")
    _length(clean, rules.handle_least, rules.handle_most + (1 if ctx.bug("handle-one-longer") else 0), field)
    if not re.fullmatch(rules.handle_pattern, clean):
        raise invalid(field, "pattern")
    if clean.casefold() in rules.reserved_handles:
        raise Failure("handle_taken", field)
    return clean


def same_handle(ctx: Context, one: str, other: str) -> bool:
    """Whether two handles are the same one."""
    if ctx.style.text.handle_any_case and not ctx.bug("handle-minds-case"):
        return one.casefold() == other.casefold()
    return one == other


def url_handle(ctx: Context, text: str) -> str | None:
    """The handle made fit for a URL."""
    rule = ctx.style.text.url_handle
    if rule == "percent":
        return quote(text, safe="")
    return slug(text, "-" if rule == "slug" else "_") or None


def name(ctx: Context, text: str, field: str = "name", most: int | None = None) -> str:
    """A name of anything."""
    clean = _blanks(text, ctx.style.text.name_blanks, field)
    if not clean.strip() and not ctx.bug("blank-name-accepted"):
        raise invalid(field, "blank")
    _length(clean, 0, most or ctx.style.text.name_most, field)
    return clean


def description(ctx: Context, text: str | None, most: int = 200, field: str = "description") -> str | None:
    """A description; an empty one is none."""
    if text is None:
        return None
    clean = text.strip() if ctx.style.text.description_trim else text
    _length(clean, 0, most, field)
    return clean or None


def email(ctx: Context, text: str | None) -> str | None:
    """An email address, cleaned and checked."""
    if text is None or text == "":
        return None
    rules = ctx.style.text
    clean = _blanks(text, rules.email_blanks, "email")
    if not re.fullmatch(rules.email_pattern, clean) or len(clean) > 254:
        raise invalid("email", "email")
    return clean.lower() if rules.email_lower else clean


def url(text: str | None, schemes: tuple[str, ...], field: str = "url", kind: str = "invalid") -> str:
    """An absolute URL with one of the schemes."""
    try:
        parts = urlsplit(text or "")
        good = parts.scheme.lower() in schemes and bool(parts.hostname)
    except ValueError:
        good = False
    if not good or text is None or len(text) > 2048 or re.search(r"\s", text):
        raise invalid(field, "url", kind)
    return text


def friendly(ctx: Context, text: str, kind: str = "invalid") -> str:
    """A friendly URL, cleaned and checked."""
    rules = ctx.style.text
    clean = text.lower() if rules.friendly_lower else text
    if not 1 <= len(clean) <= rules.friendly_most or not re.fullmatch(rules.friendly_pattern, clean):
        raise invalid("url", "pattern", kind)
    if clean.lower() in rules.friendly_reserved:
        raise invalid("url", "reserved", kind)
    return clean


def property_key(ctx: Context) -> str:
    """The key of a property in the path."""
    word = ctx.path["key"]
    if not re.fullmatch(ctx.style.text.key_pattern, word):
        raise invalid("key", "pattern", "bad_path")
    return word
