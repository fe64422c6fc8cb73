"""Raw bytes of HTTP/1 and what a server is to make of them: by the RFCs, and beside h11's reading of the same bytes.

``CASES`` are the bytes, each with the verdict: the status of the answer, WAITS where no answer is due yet, or CLOSES
where there is none. Where h11 reads them otherwise, the case says why.
"""

from __future__ import annotations

import socket
from contextlib import closing
from typing import Any, NamedTuple

import h11

from confsim.service.messages import Request, Response, split_target
from kit.wire.sockets import FAULTS

WAITS, CLOSES = "waits", "closes"
#: The server reads no further than this: so many bytes of a target, of header lines and of a body.
LIMIT = 2000
_LATER_TARGET = "/later"

Verdict = int | str


class Case(NamedTuple):
    """Bytes, and the verdict on them. ``h11`` says why h11 reads them otherwise, where it does."""

    name: str
    raw: bytes
    verdict: Verdict
    source: str
    h11: str = ""


class Reading(NamedTuple):
    """What was made of the bytes: the status or WAITS or CLOSES, and each request with its target and body."""

    verdict: Verdict
    requests: tuple[tuple[str, str, int], ...]


def _get(line: bytes = b"", *, target: bytes = b"/", version: bytes = b"1.1", host: bytes = b"Host: h\r\n") -> bytes:
    return b"GET " + target + b" HTTP/" + version + b"\r\n" + host + line + b"\r\n"


def _post(lines: bytes, body: bytes = b"", version: bytes = b"1.1") -> bytes:
    return b"POST / HTTP/" + version + b"\r\nHost: h\r\n" + lines + b"\r\n" + body


def _chunked(body: bytes, more: bytes = b"") -> bytes:
    return _post(b"Transfer-Encoding: chunked\r\n" + more, body)


_LLHTTP = "h11 is lenient here"
_LIMITS = "h11 has no such limit"

_LINE = (
    Case("plain", _get(), 200, "9112 3"),
    Case("no-body-put", b"PUT / HTTP/1.1\r\nHost: h\r\n\r\n", 200, "9112 6.3: no length, no body"),
    Case("unknown-method", b"BREW / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "9110 9.1", "h11 knows no methods; llhttp does"),
    Case(
        "lower-case-method",
        b"get / HTTP/1.1\r\nHost: h\r\n\r\n",
        400,
        "9110 9.1: case-sensitive",
        "h11 takes any token",
    ),
    Case("empty-lines-before", b"\r\n\r\n" + _get(), 200, "9112 2.2: at least one is ignored", "h11 takes one"),
    Case("space-before", b" " + _get(), 400, "9112 2.2"),
    Case("two-spaces", b"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 200, "9112 3: may be lenient", "h11 refuses two spaces"),
    Case("tab-between", b"GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "9112 3"),
    Case("no-target", b"GET HTTP/1.1\r\nHost: h\r\n\r\n", 400, "9112 3.2"),
    Case("space-in-target", _get(target=b"/a b"), 400, "9112 3.2"),
    Case("fragment", _get(target=b"/a#b"), 200, "9112 3.2: clients send none"),
    Case("high-byte-in-target", _get(target=b"/\xff"), 400, "9112 3.2"),
    Case("nul-in-target", _get(target=b"/\0"), 400, "9112 3.2"),
    Case("bare-cr-in-target", _get(target=b"/a\rb"), 400, "9112 2.2"),
    Case("absolute-form", _get(target=b"http://other.example/x"), 200, "9112 3.2.2"),
    Case("absolute-form-empty", _get(target=b"http:///x"), 200, "9110 4.2.1: refused by the app"),
    Case("asterisk-form", b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 200, "9112 3.2.4"),
    Case("authority-form", b"CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", 200, "9112 3.2.3: refused by the app"),
    Case("no-slash", _get(target=b"a"), 400, "9112 3.2", "h11 does not look into targets"),
    Case("query-alone", _get(target=b"?a"), 400, "9112 3.2", "h11 does not look into targets"),
    Case("dots", _get(target=b"/../../etc/passwd"), 200, "3986 5.2.4: by the app"),
    Case("encoded-nul", _get(target=b"/%00"), 200, "3986 2.1: by the app"),
    Case("long-target", _get(target=b"/" + b"a" * LIMIT), 414, "9110 15.5.15", _LIMITS),
    Case("longest-target", _get(target=b"/" + b"a" * (LIMIT - 1)), 200, "9110 15.5.15"),
    Case("half-a-line", b"GET / HT", WAITS, "9112 2.1"),
    Case("half-a-head", b"GET / HTTP/1.1\r\nHost: h\r\n", WAITS, "9112 2.1"),
    Case("nothing", b"", WAITS, "9112 2.1"),
    Case("tls", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "9112 2.2"),
    Case("preface-of-http-2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "9113 3.4", "h11 refuses the version: 505"),
    Case("lf-alone", b"GET / HTTP/1.1\nHost: h\n\n", 400, "9112 2.2: may be taken", _LLHTTP),
    Case("cr-alone", b"GET / HTTP/1.1\rHost: h\r\r", 400, "9112 2.2", "h11 waits for a line feed"),
)
_VERSION = (
    Case("http-1.0", _get(version=b"1.0"), 200, "9110 2.5"),
    Case("http-1.0-no-host", _get(version=b"1.0", host=b""), 200, "9112 3.2: of 1.1 alone"),
    Case("http-0.9", b"GET /\r\n\r\n", 505, "9112 A: gone"),
    Case("http-0.9-named", _get(version=b"0.9"), 505, "9110 15.6.6", "h11 takes every version"),
    Case("http-1.2", _get(version=b"1.2"), 400, "9110 2.5: may be taken as 1.1", "h11 takes every version"),
    Case("http-2.0", _get(version=b"2.0"), 505, "9110 15.6.6", "h11 takes every version"),
    Case("http-3.0", _get(version=b"3.0"), 400, "9110 15.6.6: or 505", "h11 takes every version"),
    Case("lower-case-name", b"GET / http/1.1\r\nHost: h\r\n\r\n", 400, "9112 2.3: case-sensitive"),
    Case("other-protocol", b"GET / ICY/1.1\r\nHost: h\r\n\r\n", 400, "9112 2.3"),
    Case("version-in-words", b"GET / HTTP/one\r\nHost: h\r\n\r\n", 400, "9112 2.3"),
    Case("version-of-one", b"GET / HTTP/1\r\nHost: h\r\n\r\n", 400, "9112 2.3"),
    Case("version-of-three", b"GET / HTTP/1.1.1\r\nHost: h\r\n\r\n", 400, "9112 2.3"),
    Case("version-of-many-digits", b"GET / HTTP/1.10\r\nHost: h\r\n\r\n", 400, "9112 2.3: one digit"),
    Case("space-after-version", b"GET / HTTP/1.1 \r\nHost: h\r\n\r\n", 400, "9112 3"),
)
_HOST = (
    Case("no-host", _get(host=b""), 400, "9112 3.2"),
    Case("empty-host", _get(host=b"Host:\r\n"), 200, "9112 3.2: refused by the app"),
    Case("two-hosts", _get(b"Host: h\r\n"), 200, "9112 3.2: refused by the app", "h11 refuses two by itself"),
    Case("host-twice-other", _get(b"host: evil\r\n"), 200, "9112 3.2: refused by the app", "h11 refuses two by itself"),
    Case("host-with-port", _get(host=b"Host: h:80\r\n"), 200, "9112 3.2"),
)
_HEADERS = (
    Case("space-before-colon", _get(b"A : b\r\n"), 400, "9112 5.1"),
    Case("no-colon", _get(b"A\r\n"), 400, "9112 5"),
    Case("empty-name", _get(b": b\r\n"), 400, "9112 5"),
    Case("empty-value", _get(b"A:\r\n"), 200, "9112 5"),
    Case("no-space-after-colon", _get(b"A:b\r\n"), 200, "9112 5"),
    Case("tabs-around", _get(b"A:\t b \t\r\n"), 200, "9112 5"),
    Case("folded", _get(b"A: b\r\n c\r\n"), 400, "9112 5.2: 400 or unfolded", "h11 unfolds"),
    Case("folded-first", b"GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400, "9112 2.2"),
    Case("nul-in-value", _get(b"A: b\0c\r\n"), 400, "9110 5.5"),
    Case("bell-in-value", _get(b"A: b\x07c\r\n"), 400, "9110 5.5: or taken", "h11 takes it"),
    Case("delete-in-value", _get(b"A: b\x7fc\r\n"), 400, "9110 5.5: or taken", "h11 takes it"),
    Case("high-bytes-in-value", _get(b"A: \xe9\xff\r\n"), 200, "9110 5.5: obs-text"),
    Case("bare-cr-in-value", _get(b"A: b\rc\r\n"), 400, "9112 2.2"),
    Case("bare-lf-in-value", _get(b"A: b\nc\r\n"), 400, "9112 2.2", ""),
    Case("bare-lf-then-header", _get(b"A: b\nC: d\r\n"), 400, "9112 2.2: may be taken", _LLHTTP),
    Case("cr-in-name", _get(b"A\rB: c\r\n"), 400, "9112 5.1"),
    Case("paren-in-name", _get(b"A(B: c\r\n"), 400, "9110 5.6.2"),
    Case("slash-in-name", _get(b"A/B: c\r\n"), 400, "9110 5.6.2"),
    Case("high-byte-in-name", _get(b"A\xe9: c\r\n"), 400, "9110 5.6.2"),
    Case("underscore-in-name", _get(b"A_B: c\r\n"), 200, "9110 5.6.2"),
    Case("repeated", _get(b"A: b\r\nA: c\r\n"), 200, "9110 5.3"),
    Case("many-headers", _get(b"".join(b"A%d: b\r\n" % n for n in range(100))), 200, "9110 5.4"),
    Case("large-headers", _get(b"A: " + b"b" * LIMIT + b"\r\n"), 431, "6585 5", _LIMITS),
    Case("large-name", _get(b"A" * LIMIT + b": b\r\n"), 431, "6585 5", _LIMITS),
    Case("large-head-in-all", _get(b"".join(b"A%d: b\r\n" % n for n in range(300))), 431, "6585 5", _LIMITS),
    Case("only-lf-at-end", b"GET / HTTP/1.1\r\nHost: h\r\n\n", 400, "9112 2.2: may be taken", _LLHTTP),
    Case("connection-close", _get(b"Connection: close\r\n"), 200, "9112 9.6"),
    Case("connection-odd", _get(b"Connection: x, ,close\r\n"), 200, "9112 9.6"),
    Case("keep-alive-of-1.0", _get(b"Connection: keep-alive\r\n", version=b"1.0"), 200, "9112 9.3"),
)
_LENGTH = (
    Case("length", _post(b"Content-Length: 3\r\n", b"abc"), 200, "9112 6.2"),
    Case("length-zero", _post(b"Content-Length: 0\r\n"), 200, "9112 6.2"),
    Case("length-leading-zeros", _post(b"Content-Length: 003\r\n", b"abc"), 200, "9112 6.2"),
    Case("length-short", _post(b"Content-Length: 5\r\n", b"abc"), WAITS, "9112 6.2"),
    Case("length-negative", _post(b"Content-Length: -1\r\n"), 400, "9112 6.3"),
    Case("length-plus", _post(b"Content-Length: +3\r\n", b"abc"), 400, "9112 6.3"),
    Case("length-hex", _post(b"Content-Length: 0x3\r\n", b"abc"), 400, "9112 6.3"),
    Case("length-word", _post(b"Content-Length: three\r\n", b"abc"), 400, "9112 6.3"),
    Case("length-empty", _post(b"Content-Length:\r\n", b"abc"), 400, "9112 6.3"),
    Case("length-spaces", _post(b"Content-Length: 3 3\r\n", b"abc"), 400, "9112 6.3"),
    Case("length-fraction", _post(b"Content-Length: 3.0\r\n", b"abc"), 400, "9112 6.3"),
    Case("length-enormous", _post(b"Content-Length: 99999999999999999999999\r\n"), 400, "9112 6.2: overflow"),
    Case("length-above-limit", _post(b"Content-Length: %d\r\n" % (LIMIT + 1)), 413, "9110 15.5.14", _LIMITS),
    Case("length-at-limit", _post(b"Content-Length: %d\r\n" % LIMIT, b"a" * LIMIT), 200, "9110 15.5.14"),
    Case("length-twice-same", _post(b"Content-Length: 3\r\n" * 2, b"abc"), 400, "9112 6.3: or taken as one", _LLHTTP),
    Case("length-twice-other", _post(b"Content-Length: 3\r\nContent-Length: 4\r\n", b"abc"), 400, "9112 6.3"),
    Case("length-list-same", _post(b"Content-Length: 3, 3\r\n", b"abc"), 400, "9112 6.3: or taken as one", _LLHTTP),
    Case("length-list-other", _post(b"Content-Length: 3, 4\r\n", b"abc"), 400, "9112 6.3"),
    Case(
        "length-and-chunked", _chunked(b"0\r\n\r\n", b"Content-Length: 3\r\n"), 400, "9112 6.1: may be refused", _LLHTTP
    ),
    Case("length-after-chunked", _chunked(b"0\r\n\r\n", b"Content-Length: 0\r\n"), 400, "9112 6.1", _LLHTTP),
    Case("length-of-get", _get(b"Content-Length: 3\r\n") + b"abc", 200, "9110 9.3.1"),
    Case("length-too-much", _post(b"Content-Length: 3\r\n", b"abcGET"), 200, "9112 6.2: the rest is the next request"),
    Case(
        "length-in-trailer", _chunked(b"0\r\nContent-Length: 9\r\n\r\n"), 400, "9110 6.5.1: or dropped", "h11 drops it"
    ),
    Case("length-unicode-digits", _post("Content-Length: ٣\r\n".encode(), b"abc"), 400, "9112 6.3"),
)
_CODING = (
    Case("chunked", _chunked(b"3\r\nabc\r\n0\r\n\r\n"), 200, "9112 7.1"),
    Case("chunked-capitals", _post(b"transfer-ENCODING: Chunked\r\n", b"0\r\n\r\n"), 200, "9112 7"),
    Case("chunked-two", _chunked(b"1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"), 200, "9112 7.1"),
    Case("chunk-hex-capitals", _chunked(b"A\r\n0123456789\r\n0\r\n\r\n"), 200, "9112 7.1"),
    Case("chunk-leading-zeros", _chunked(b"0003\r\nabc\r\n0\r\n\r\n"), 200, "9112 7.1"),
    Case("chunk-extension", _chunked(b"3;a=b\r\nabc\r\n0\r\n\r\n"), 200, "9112 7.1.1: ignored"),
    Case("chunk-extension-quoted", _chunked(b'3;a="b;c"\r\nabc\r\n0\r\n\r\n'), 200, "9112 7.1.1: ignored"),
    Case("chunk-extension-lf", _chunked(b"3;a\nabc\r\n0\r\n\r\n"), 400, "9112 7.1.1"),
    Case(
        "chunk-space", _chunked(b"3 \r\nabc\r\n0\r\n\r\n"), 400, "9112 7.1: or taken", "h11 takes spaces after a size"
    ),
    Case("chunk-prefix", _chunked(b"0x3\r\nabc\r\n0\r\n\r\n"), 400, "9112 7.1"),
    Case("chunk-negative", _chunked(b"-3\r\nabc\r\n0\r\n\r\n"), 400, "9112 7.1"),
    Case("chunk-plus", _chunked(b"+3\r\nabc\r\n0\r\n\r\n"), 400, "9112 7.1"),
    Case("chunk-word", _chunked(b"xyz\r\nabc\r\n0\r\n\r\n"), 400, "9112 7.1"),
    Case("chunk-empty-size", _chunked(b"\r\nabc\r\n0\r\n\r\n"), 400, "9112 7.1"),
    Case("chunk-lf", _chunked(b"3\nabc\n0\n\n"), 400, "9112 7.1", "h11 waits for the end of a line"),
    Case("chunk-too-long", _chunked(b"3\r\nabcd\r\n0\r\n\r\n"), 400, "9112 7.1"),
    Case("chunk-overflow", _chunked(b"ffffffffffffffffff\r\nabc"), 400, "9112 7.1: large sizes", _LIMITS),
    Case(
        "chunk-above-limit", _chunked(b"7d1\r\n" + b"a" * (LIMIT + 1) + b"\r\n0\r\n\r\n"), 413, "9110 15.5.14", _LIMITS
    ),
    Case(
        "chunks-above-limit",
        _chunked(b"3e9\r\n" + b"a" * 1001 + b"\r\n3e9\r\n" + b"a" * 1001),
        413,
        "9110 15.5.14",
        _LIMITS,
    ),
    Case("chunk-missing-end", _chunked(b"3\r\nabc\r\n"), WAITS, "9112 7.1"),
    Case("chunk-missing-last-line", _chunked(b"3\r\nabc\r\n0\r\n"), WAITS, "9112 7.1"),
    Case("trailer", _chunked(b"3\r\nabc\r\n0\r\nA: b\r\n\r\n"), 200, "9112 7.1.2"),
    Case("trailer-bad", _chunked(b"0\r\nA b\r\n\r\n"), 400, "9112 7.1.2"),
    Case("trailer-large", _chunked(b"0\r\nA: " + b"b" * LIMIT + b"\r\n\r\n"), 431, "6585 5", _LIMITS),
    Case("gzip", _post(b"Transfer-Encoding: gzip\r\n"), 400, "9112 6.3: chunked is not last"),
    Case("gzip-chunked", _post(b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"), 501, "9112 6.1"),
    Case("chunked-gzip", _post(b"Transfer-Encoding: chunked, gzip\r\n"), 400, "9112 6.3: chunked is not last"),
    Case("chunked-twice", _post(b"Transfer-Encoding: chunked, chunked\r\n", b"0\r\n\r\n"), 400, "9112 7: never twice"),
    Case("chunked-two-lines", _post(b"Transfer-Encoding: chunked\r\n" * 2, b"0\r\n\r\n"), 400, "9112 7: never twice"),
    Case("identity", _post(b"Transfer-Encoding: identity\r\n"), 400, "9112 6.3: chunked is not last"),
    Case("coding-empty", _post(b"Transfer-Encoding:\r\n"), 400, "9112 6.1"),
    Case("coding-odd", _post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"), 400, "9112 6.3"),
    Case("coding-quoted", _post(b'Transfer-Encoding: "chunked"\r\n', b"0\r\n\r\n"), 400, "9112 6.3"),
    Case("coding-tab", _post(b"Transfer-Encoding:\tchunked\r\n", b"0\r\n\r\n"), 200, "9112 5"),
    Case("coding-vertical-tab", _post(b"Transfer-Encoding: \x0bchunked\r\n", b"0\r\n\r\n"), 400, "9110 5.5"),
    Case("coding-of-1.0", _post(b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n", b"1.0"), 400, "9112 6.1", _LLHTTP),
    Case("coding-space-before-colon", _post(b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"), 400, "9112 5.1"),
)
_EXPECT = (
    Case(
        "expect", _post(b"Expect: 100-continue\r\nContent-Length: 3\r\n"), 100, "9110 10.1.1", "it is up to its server"
    ),
    Case("expect-with-body", _post(b"Expect: 100-continue\r\nContent-Length: 3\r\n", b"abc"), 200, "9110 10.1.1"),
    Case(
        "expect-of-1.0", _post(b"Expect: 100-continue\r\nContent-Length: 3\r\n", version=b"1.0"), WAITS, "9110 10.1.1"
    ),
    Case("expect-no-body", _get(b"Expect: 100-continue\r\n"), 200, "9110 10.1.1"),
    Case("expect-too-much", _post(b"Expect: 100-continue\r\nContent-Length: 3000\r\n"), 413, "9110 10.1.1", _LIMITS),
    Case("expect-odd", _get(b"Expect: 200-ok\r\n"), 200, "9110 10.1.1: 417 may be sent"),
    Case("upgrade", _get(b"Connection: upgrade\r\nUpgrade: websocket\r\n"), 200, "9110 7.8: may be passed over"),
    Case(
        "upgrade-h2c",
        _get(b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"),
        200,
        "9110 7.8",
    ),
    Case("upgrade-of-1.0", _get(b"Connection: upgrade\r\nUpgrade: x\r\n", version=b"1.0"), 200, "9110 7.8: ignored"),
    Case(
        "upgrade-with-body",
        _post(b"Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 3\r\n", b"abc"),
        200,
        "9110 7.8",
    ),
)
_MORE = (
    Case("pipelined", _get() + _get(target=b"/second"), 200, "9112 9.3.2"),
    Case("pipelined-after-body", _post(b"Content-Length: 3\r\n", b"abc") + _get(target=b"/second"), 200, "9112 9.3.2"),
    Case("pipelined-after-chunks", _chunked(b"3\r\nabc\r\n0\r\n\r\n") + _get(target=b"/second"), 200, "9112 9.3.2"),
    Case(
        "pipelined-after-close", _get(b"Connection: close\r\n") + _get(target=b"/second"), 200, "9112 9.6: not answered"
    ),
    Case("pipelined-after-bad", b"G@T / HTTP/1.1\r\n\r\n" + _get(target=b"/second"), 400, "9112 2.2: not read on"),
    Case("smuggled-in-body", _post(b"Content-Length: 40\r\n", _get(target=b"/evil").ljust(40)), 200, "9112 11.2"),
    Case("smuggled-after-zero", _post(b"Content-Length: 0\r\n", _get(target=b"/second")), 200, "9112 11.2"),
    Case(
        "smuggled-by-two-lengths",
        _post(b"Content-Length: 0\r\nContent-Length: 30\r\n", _get(target=b"/evil")),
        400,
        "9112 11.2",
    ),
    Case(
        "smuggled-by-coding",
        _post(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + _get(target=b"/evil")),
        400,
        "9112 11.2",
        _LLHTTP,
    ),
    Case(
        "smuggled-by-folding",
        _post(b"Transfer-Encoding:\r\n chunked\r\nContent-Length: 0\r\n", b"0\r\n\r\n" + _get(target=b"/evil")),
        400,
        "9112 11.2",
        "h11 unfolds, and takes the coding",
    ),
    Case("head-with-body", b"HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 200, "9110 9.3.2"),
    Case("trace", b"TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", 200, "9110 9.3.8: refused by the app"),
    Case("garbage-after", _get() + b"\0\0\0\0", 200, "9112 2.2: the next request is none"),
)
CASES = (*_LINE, *_VERSION, *_HOST, *_HEADERS, *_LENGTH, *_CODING, *_EXPECT, *_MORE)


class Reader:
    """A handler that answers 200, or the status of the fault, and remembers the requests that it was given."""

    def __init__(self) -> None:
        self.seen: list[Request] = []

    def __call__(self, request: Request) -> Response:
        """Answer one request."""
        self.seen.append(request)
        return Response(FAULTS.get(request.fault, 200), [], b"{}")


def read_by_server(reader: Reader, port: int, raw: bytes, *, waits: bool = False) -> Reading:
    """What the live server makes of the bytes: its first answer, and the requests that reached the handler whole.

    Where it ``waits`` for more, it says nothing by the time that it answers who came later.
    """
    reader.seen.clear()
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as client:
        client.sendall(raw)
        if waits:
            _catch_up(port)
            client.settimeout(0.01)
        try:
            said = client.recv(65536)
            verdict: Verdict = int(said[9:12]) if said else CLOSES
        except TimeoutError:
            verdict = WAITS
        except ConnectionResetError:
            verdict = CLOSES
        if verdict != WAITS:
            _catch_up(port)
    whole = tuple((each.method, each.target, len(each.body)) for each in reader.seen if not each.fault)
    return Reading(verdict, tuple(each for each in whole if each[1] != _LATER_TARGET))


def _catch_up(port: int) -> None:
    """Return once the server has read what another connection sent before: it answers in turn."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as client:
        client.sendall(b"GET " + _LATER_TARGET.encode() + b" HTTP/1.1\r\nHost: h\r\n\r\n")
        assert client.recv(65536)


def read_by_h11(raw: bytes) -> Reading:
    """What h11 makes of the bytes, if every request is answered at once."""
    connection = h11.Connection(h11.SERVER)
    requests: list[tuple[str, str, int]] = []
    verdict: Verdict = WAITS
    try:
        connection.receive_data(raw)
        while True:
            event: Any = connection.next_event()
            if isinstance(event, h11.Request):
                current, length = event, 0
                if event.method == b"CONNECT":  # which a 204 would turn into a tunnel
                    requests.append(("CONNECT", event.target.decode(), 0))
                    return Reading(200, tuple(requests))
            elif isinstance(event, h11.Data):
                length += len(event.data)
            elif isinstance(event, h11.EndOfMessage):
                target = split_target(current.target.decode("latin-1").partition("?")[0])[1]
                requests.append((current.method.decode(), target, length))
                verdict = verdict if verdict != WAITS else 200
                connection.send(h11.Response(status_code=204, headers=[]))
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE:
                    break
                connection.start_next_cycle()
            else:
                break
    except h11.RemoteProtocolError as error:
        verdict = error.error_status_hint if verdict == WAITS else verdict
    return Reading(verdict, tuple(requests))


def agree(ours: Reading, theirs: Reading) -> bool:
    """Whether two readings are the same: the same requests, and both of them refuse, wait or answer."""
    refused = [isinstance(each.verdict, int) and each.verdict >= 400 for each in (ours, theirs)]
    same = ours.verdict == theirs.verdict or all(refused)
    return same and ours.requests == theirs.requests


def problem(case: Case, ours: Reading, theirs: Reading) -> str:
    """What is wrong with a reading, or with what the case says of h11's; empty for nothing."""
    if ours.verdict != case.verdict:
        return f"{ours.verdict} in place of {case.verdict} ({case.source})"
    if agree(ours, theirs) and case.h11:
        return f"h11 reads it alike, and it is said: {case.h11}"
    return "" if agree(ours, theirs) or case.h11 else f"h11 reads {theirs}, not {ours}, and nothing says why"
