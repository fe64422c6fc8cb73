"""Addressing: the request of an operation, made from its route under a profile and its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import cache, lru_cache
from math import isfinite
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec
from msgspec import Struct

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import in_force
from confsim.contract.operation import Operation
from confsim.kernel.refusal import Misuse, suggest_near
from confsim.service.checks.credentials import present
from confsim.service.messages import Request
from confsim.values.plain import shown


def _plain(value: object) -> object:
    """The plain int of an instance of a subclass, such as a user of the demo world. Raises TypeError for others."""
    if isinstance(value, int):
        return int(value)
    raise TypeError(f"{value!r} is no JSON value")


_encoded = msgspec.json.Encoder(enc_hook=_plain).encode
#: Types of path parameters whose path is remembered by the values given: equal values of one type are one text. To
#: remember paths saves a quarter of get_channel (``python tests/benchmarks operations``).
_REMEMBERED = frozenset({str, int})


class OperationRequest(Struct, frozen=True, gc=False):
    """A request of an operation.

    ``path`` has the decoded path parameters in their order, ``query`` the texts of the query by name. ``request`` is
    the same in the form sent over the wire: its target is below the mount of a world, percent-encoded; header names are
    in lower case.
    """

    operation: Operation
    path: tuple[str, ...]
    query: dict[str, str]
    request: Request


def address(
    operation: Operation,
    arguments: Mapping[str, object],
    profile: Mapping[str, Any],
    *,
    body: object = None,
    content_type: str | None = None,
    token: str | None = None,
) -> OperationRequest:
    """Return the request of an operation under a profile.

    ``arguments`` are path and query parameters by their names on the wire; a query parameter that is None is left out,
    and so is one underscore at the end of a name (``as_`` for ``as``). ``body`` is plain JSON values, or bytes;
    ``token`` is presented as the profile says. Raises Misuse for a missing path parameter and for values that cannot be
    sent.
    """
    path, query = places(operation, arguments)
    headers = {} if content_type is None else {"content-type": content_type}
    if token is not None:
        lines, more = present(in_force(profile, wire.PRESENTATION), token)
        headers |= {name.lower(): value for name, value in lines.items()}
        query |= more
    return request_of(operation, path.texts, query, profile, headers, b"" if body is None else encoded(body))


def request_of(
    operation: Operation,
    path: tuple[str, ...],
    query: dict[str, str],
    profile: Mapping[str, Any],
    headers: dict[str, str],
    body: bytes,
) -> OperationRequest:
    """Return the request of an operation under a profile, from parameters as texts and a body as bytes."""
    method, target = route(operation, path, profile)
    request = Request(method, target, query_string(query) if query else "", headers, body)
    if headers:
        from confsim.http.inputs import parse_cookies, parse_form

        parse_cookies(request)
        parse_form(request, operation)
    return OperationRequest(operation, path, query, request)


def route(operation: Operation, path: tuple[str, ...], profile: Mapping[str, Any]) -> tuple[str, str]:
    """Return the method and the target below the mount, with these texts for the path parameters in their order."""
    method, target = operation.route(profile)
    for name, text in zip(operation.placeholders, path, strict=True):
        target = target.replace(f"{{{name}}}", quote(text, safe=""), 1)
    return method, operation.catalogue.prefix_under(profile) + target


def query_string(query: Mapping[str, str]) -> str:
    """Return query parameters as a form-encoded query string."""
    return "&".join([f"{_form_encoded(name)}={_form_encoded(text)}" for name, text in query.items()])


#: With a cache, which saves a fifth of find_user_by_email (``python tests/benchmarks operations``).
_form_encoded = lru_cache(maxsize=256)(quote_plus)


class Path(Struct, frozen=True, gc=False):
    """The path parameters of a call in their order, as texts; ``route`` is its method and target without a profile."""

    texts: tuple[str, ...]
    route: tuple[str, str]


def places(operation: Operation, arguments: Mapping[str, object]) -> tuple[Path, dict[str, str]]:
    """Return the path parameters, and query parameters by name, as texts.

    Raises Misuse for a missing path parameter and for a text that cannot be sent.
    """
    names = operation.placeholders
    if not names:
        return _path(operation, ()), in_query(arguments) if arguments else {}
    try:
        given: Any = operation.path_values(arguments)
    except KeyError as missing:
        unknown = sorted(arguments.keys() - {*names, *operation.query_names})
        unlike = f" and has no {', '.join(map(repr, unknown))}" if unknown else ""
        meant = suggest_near(unknown[0], [each for each in names if each not in arguments]) if unknown else ""
        raise Misuse(f"{operation.name} needs the path parameter {missing}{unlike}{meant}") from None
    if type(given) not in _REMEMBERED and (len(names) == 1 or not _REMEMBERED.issuperset(map(type, given))):
        given = _text(given) if len(names) == 1 else tuple(map(_text, given))
    return _path(operation, given), in_query(arguments, names) if len(arguments) > len(names) else {}


@lru_cache(maxsize=1024)
def _path(operation: Operation, given: str | int | tuple[str | int, ...]) -> Path:
    """Return the path with these values, or this one. Raises Misuse if it is that of another operation."""
    texts = tuple(map(_text, given if isinstance(given, tuple) else (given,)))
    reserved = _reserved(operation)
    for name, text in zip(operation.placeholders, texts, strict=True):
        if text in reserved:
            raise Misuse(f"{operation.name} with {name} {text!r} is {reserved[text]}, by its path: call that")
    return Path(texts, route(operation, texts, {}))


@cache
def _reserved(operation: Operation) -> dict[str, str]:
    """Return the texts for a placeholder with which a path is that of another operation, each with its name."""
    mine = operation.path.split("/")
    found: dict[str, str] = {}
    for other in operation.catalogue:
        its = other.path.split("/")
        if other.method == operation.method and len(its) == len(mine):
            differ = [(one, two) for one, two in zip(mine, its, strict=True) if one != two]
            if len(differ) == 1 and differ[0][0].startswith("{") and not differ[0][1].startswith("{"):
                found[differ[0][1]] = other.name
    return found


def in_query(arguments: Mapping[str, object], but: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the arguments except some as query parameters: texts by their names on the wire, None left out."""
    return {
        name.removesuffix("_"): _text(value)
        for name, value in arguments.items()
        if value is not None and name not in but
    }


def encoded(body: object) -> bytes:
    """Return plain values as a JSON body, bytes unchanged. Raises Misuse for values that JSON lacks, such as NaN."""
    if isinstance(body, bytes):
        return body
    try:
        raw = _encoded(body)
        if raw.count(b"null"):  # NaN and infinity are encoded as null too
            _check_finite(msgspec.to_builtins(body, str_keys=True, enc_hook=_plain), "body")
    except (TypeError, ValueError, RecursionError) as error:
        raise Misuse(f"body: {error}") from None
    return raw


def _check_finite(value: object, place: str) -> None:
    if isinstance(value, float) and not isfinite(value):
        raise Misuse(f"{place}: {value} is no number of JSON")
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, item in items:
        _check_finite(item, f"{place}.{key}" if isinstance(value, dict) else f"{place}[{key}]")


def _text(value: object) -> str:
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
            raise Misuse(f"{value!r} holds half a surrogate pair, which cannot be sent")
        return str.__str__(value)  # of a subclass the text alone: paths are remembered
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int):
        if isinstance(value, timedelta):
            return str(msgspec.to_builtins(value))  # in a body: ISO 8601
        if isinstance(value, list | tuple):
            try:
                return ",".join(map(_text, value))
            except RecursionError:
                raise Misuse(f"{shown(value)} is nested too deeply to be sent") from None
    try:
        return str(value)
    except ValueError as error:
        raise Misuse(f"a number cannot be sent: {error}") from None
    except RecursionError:
        raise Misuse(f"{shown(value)} is nested too deeply to be sent") from None
