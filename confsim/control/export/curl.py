"""The export as curl commands."""

from __future__ import annotations

import shlex
from urllib.parse import parse_qsl, quote, unquote, urlencode

from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL
from confsim.service.entries import ControlCall
from confsim.transport.address import route

from .calls import ApiCall, json_of, presentation, with_address
from .literals import in_base64

#: Most bytes of a body in the argument of a command; systems allow arguments of up to 128 KB.
_LONGEST_ARGUMENT = 100_000


def as_curl(context: ControlContext, calls: list[ApiCall | ControlCall]) -> str:
    """Return a command for each call, below a comment with its id, operation and status."""
    return "".join(
        _control_line(context, each) if isinstance(each, ControlCall) else _line(context, each) for each in calls
    )


def _line(context: ControlContext, call: ApiCall) -> str:
    entry, service = call.entry, context.service
    comment = f"# {entry.id} {entry.operation or 'no operation'} -> {entry.response.status}\n"
    if entry.handshake:
        return f"{comment}# it asked for a websocket: who came in by it comes in by the calls beside it\n"
    if entry.request.fault:
        return f"{comment}# cannot be repeated: {entry.request.fault}\n"
    headers: dict[str, str | None] = {**call.headers, **call.other_headers}
    query = call.query
    if call.token is not None:
        lines, more = presentation(service, call.token)
        headers = {**lines, **headers}
        if more and not all(name in dict(parse_qsl(query)) for name in more):
            query = "&".join(filter(None, (query, urlencode(more))))
    body = entry.request.body
    if body and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json" if json_of(body)[0] else None
    url = context.root + quote(call.target + (f"?{query}" if query else ""), safe="%/?:@!$&'()*+,;=~-._")
    body = with_address(entry, service, body, context.root.partition("://")[2])
    if body and entry.request.method == "HEAD":
        comment += "# curl sends no body with HEAD: its body is left out\n"
        body = b""
    return comment + _curl(entry.request.method, url, headers, body)


def _control_line(context: ControlContext, call: ControlCall) -> str:
    method, target = route(CONTROL[call.operation], call.path, {})
    headers: dict[str, str | None] = {"Content-Type": "application/json"} if call.body else {}
    return f"# {call.operation}\n" + _curl(method, context.root + target, headers, call.body)


def _curl(method: str, url: str, headers: dict[str, str | None], body: bytes) -> str:
    """Return the command; a header that is None is one that curl must not send."""
    words = ["curl", "--silent"]
    if not {".", ".."}.isdisjoint(unquote(url.partition("?")[0]).split("/")):
        words.append("--path-as-is")  # otherwise curl resolves such segments
    words += ["--head"] if method == "HEAD" else [] if method == "GET" and not body else ["-X", method]
    words.append(url)
    command = shlex.join(words)
    for name, text in headers.items():
        command += f" -H {_argument(f'{name}:' if text is None else f'{name}: {text}' if text else f'{name};')}"
    before = ""
    if body:
        try:
            text = body.decode()
            if "\0" in text or text.startswith("@") or len(body) > _LONGEST_ARGUMENT:
                raise ValueError
            command += f" --data-raw {shlex.quote(text)}"
        except ValueError:
            before = f"echo {in_base64(body)} | base64 -d | "
            command += " --data-binary @-"
    return f"{before}{command}\n"


def _argument(line: str) -> str:
    """A header line, whose characters are bytes of the wire, as a word of the shell in a script that is UTF-8."""
    if line.isascii():
        return shlex.quote(line)
    try:
        raw = line.encode("latin-1")
    except UnicodeEncodeError:  # of a client in process, which sent none
        return shlex.quote(line)
    try:
        return shlex.quote(raw.decode())
    except UnicodeDecodeError:
        escaped = line.replace("\\", "\\\\").replace("%", "%%")
        octal = "".join(each if each.isascii() else f"\\{ord(each):03o}" for each in escaped)
        return f'"$(printf {shlex.quote(octal)})"'
