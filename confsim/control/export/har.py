"""The export as an HTTP Archive (HAR 1.2), which browsers, proxies and load generators read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from msgspec import Raw

from confsim.control.context import ControlContext
from confsim.service.entries import ControlCall
from confsim.version import __version__

from .calls import ApiCall, document_of, json_of, presentation
from .literals import in_base64, in_json

_EPOCH_MILLISECONDS = 1000


def as_har(context: ControlContext, calls: list[ApiCall | ControlCall]) -> bytes:
    """Return the API calls as a HAR, in order; a call in Python appears as its equivalent request."""
    entries = [_entry(context, each) for each in calls if isinstance(each, ApiCall)]
    log = {"version": "1.2", "creator": {"name": "confsim", "version": __version__}, "entries": entries}
    return document_of({"log": log})


def _entry(context: ControlContext, call: ApiCall) -> dict[str, Any]:
    entry = call.entry
    assumptions = f"; assumptions: {', '.join(entry.assumptions)}" if entry.assumptions else ""
    return {
        "startedDateTime": datetime.fromtimestamp(entry.at / _EPOCH_MILLISECONDS, UTC).isoformat(
            timespec="milliseconds"
        ),
        "time": 0,
        "request": _request(context, call),
        "response": _response(call),
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": 0},
        "comment": f"{entry.id} {entry.operation or 'no operation'}{assumptions}",
    }


def _request(context: ControlContext, call: ApiCall) -> dict[str, Any]:
    request, query = call.entry.request, call.query
    headers = dict(request.headers)
    more: dict[str, str] = {}
    if call.entry.token is not None:
        lines, more = presentation(context.service, call.entry.token)
        headers |= lines
    if more:
        query = "&".join(filter(None, (query, urlencode(more))))
    if request.body and "content-type" not in headers and json_of(request.body)[0]:
        headers["content-type"] = "application/json"
    url = context.root + quote(call.target + (f"?{query}" if query else ""), safe="%/?:@!$&'()*+,;=~-._")
    made: dict[str, Any] = {
        "method": request.method,
        "url": url,
        "httpVersion": "HTTP/1.1",
        "cookies": [_pair(*each) for each in _cookies(headers.get("cookie", ""))],
        "headers": [_pair(*each) for each in headers.items()],
        "queryString": [_pair(*each) for each in parse_qsl(query, keep_blank_values=True)],
        "headersSize": -1,
        "bodySize": len(request.body),
    }
    if request.body:
        text, encoding = _text(request.body)
        made["postData"] = {"mimeType": headers.get("content-type", ""), "text": text}
        if encoding:
            made["postData"]["encoding"] = (
                encoding  # an extension of the standard for bodies that are not text, as content has
            )
    return made


def _response(call: ApiCall) -> dict[str, Any]:
    from confsim.http.stamps import PHRASES

    response = call.entry.response
    headers = dict(response.headers)
    text, encoding = _text(response.body)
    content: dict[str, Any] = {"size": len(response.body), "mimeType": headers.get("Content-Type", ""), "text": text}
    if encoding:
        content["encoding"] = encoding
    return {
        "status": response.status,
        "statusText": PHRASES.get(response.status, ""),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": [_pair(*each) for each in response.headers],
        "content": content,
        "redirectURL": headers.get("Location", ""),
        "headersSize": -1,
        "bodySize": len(response.body),
    }


def _text(body: bytes) -> tuple[str | Raw, str]:
    """Return a body as text, and the encoding of that text."""
    try:
        text, encoding = body.decode(), ""
    except UnicodeDecodeError:
        text, encoding = in_base64(body), "base64"
    return in_json(text), encoding


def _cookies(header: str) -> list[tuple[str, str]]:
    pairs = (each.strip().partition("=") for each in header.split(";") if "=" in each)
    return [(name, value) for name, _, value in pairs]


def _pair(name: str, value: str) -> dict[str, str]:
    return {"name": name, "value": value}
