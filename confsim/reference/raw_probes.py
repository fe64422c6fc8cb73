"""Raw probes: requests that no call of an operation makes, such as a wrong method; each shows values of assumptions."""

from __future__ import annotations

import msgspec

from .probes import ProbeCall

_JSON = "application/json"
_OWN, _CHANNEL = "{tokens own}", "{channels q0.0}"
_ROOM = ProbeCall("q0", "create_channel", _OWN, body={"name": "{tag} raw room"}, content_type=_JSON)
_OTHER = ProbeCall("q1", "create_channel", _OWN, body={"name": "{tag} raw other"}, content_type=_JSON)


class RawProbe(msgspec.Struct, frozen=True):
    """The request of a call, changed below what its operation declares.

    ``before`` are calls that are made ahead of it. ``method``, ``target`` and ``query`` take the place of those of the
    request; in them ``{target}`` and ``{query}`` stand for it, ``{last}`` for the last segment of its target,
    ``{rest}`` for what is before. ``headers`` are added; the end of a value is repeated until it has ``length``
    characters, or that of the query where there are none. ``capitals`` says that the last segment is in capitals.
    ``tells`` has the ids of the assumptions on which the answer depends.
    """

    word: str
    call: ProbeCall
    tells: tuple[str, ...]
    before: tuple[ProbeCall, ...] = ()
    method: str = ""
    target: str = "{target}"
    query: str = "{query}"
    headers: dict[str, str] = {}
    body: bytes = b""
    length: int = 0
    capitals: bool = False

    @property
    def seen(self) -> str:
        """The request and its caller in words."""
        return f"{self.call.operation} as api-token, {self.word}"


def _call(operation: str, query: dict[str, str] | None = None, **path: str) -> ProbeCall:
    return ProbeCall("q9", operation, _OWN, path, query or {})


def _refusal(*words: str) -> tuple[str, ...]:
    return tuple(f"{kind}.{word}" for word in words for kind in ("status", "code"))


_LANGUAGES = _call("list_supported_languages")

RAW_PROBES: tuple[RawProbe, ...] = (
    RawProbe("with HEAD", _LANGUAGES, ("http.head",), method="HEAD"),
    RawProbe("with OPTIONS", _LANGUAGES, ("http.options",), method="OPTIONS"),
    RawProbe("with POST", _LANGUAGES, ("route.wrong-method", *_refusal("method-not-allowed")), method="POST"),
    RawProbe(
        "with PUT",
        _call("rename_channel", {"name": "{tag} raw put"}, uuid="none"),
        ("route.wrong-method", *_refusal("method-not-allowed")),
        method="PUT",
    ),
    RawProbe("below its path", _LANGUAGES, _refusal("route-not-found"), target="{target}/no-such-path"),
    RawProbe("in capitals", _LANGUAGES, ("route.case",), capitals=True),
    RawProbe("with a slash at its end", _LANGUAGES, ("route.trailing-slash",), target="{target}/"),
    RawProbe(
        "with an encoded slash in a value",
        _call("get_channel", uuid="none"),
        ("route.encoded-slash",),
        target="{target}%2Fsuch",
    ),
    RawProbe(
        "with an encoded slash before its last segment",
        _call("get_channel_settings", uuid=_CHANNEL),
        ("route.encoded-slash",),
        before=(_ROOM,),
        target="{rest}%2F{last}",
    ),
    RawProbe("which another path fits too", _call("list_active_channels"), ("route.precedence",)),
    RawProbe(
        "with a slash at its end",
        _call("end_active_session", uuid=_CHANNEL),
        ("route.session-without-id",),
        before=(_ROOM,),
        target="{target}/",
    ),
    RawProbe(
        "for text/html", _LANGUAGES, ("parse.accept", *_refusal("not-acceptable")), headers={"accept": "text/html"}
    ),
    RawProbe(
        "with a broken escape", _call("get_channel", uuid="none"), ("parse.broken-escapes",), target="{target}%ff"
    ),
    RawProbe(
        "with a plus for a space",
        _call("list_channels", {"search": "{tag} raw other"}),
        ("parse.plus",),
        before=(_OTHER,),
    ),
    RawProbe(
        "with a parameter twice",
        _call("list_channels", {"limit": "1"}),
        ("parse.repeated-query",),
        before=(_ROOM, _OTHER),
        query="{query}&limit=2",
    ),
    RawProbe(
        "for another language",
        _call("get_config"),
        ("http.accept-language",),
        before=tuple(
            ProbeCall(
                f"q2{code}",
                "set_config",
                _OWN,
                query={"language": code},
                body={"ui": {"customTexts": {"greeting": text}}},
                content_type=_JSON,
            )
            for code, text in (("en", "hello"), ("de", "hallo"))
        ),
        headers={"accept-language": "de, en;q=0.5"},
    ),
    RawProbe("with a query of 20,000 characters", _LANGUAGES, ("size.request-url",), query="x=x", length=20_000),
    RawProbe(
        "with a query of 70,000 characters",
        _LANGUAGES,
        ("size.request-url", *_refusal("url-too-long")),
        query="x=x",
        length=70_000,
    ),
    RawProbe(
        "with a header of 20,000 characters",
        _LANGUAGES,
        ("size.request-headers",),
        headers={"x-long": "x"},
        length=20_000,
    ),
    RawProbe(
        "with a header of 70,000 characters",
        _LANGUAGES,
        ("size.request-headers", *_refusal("headers-too-large")),
        headers={"x-long": "x"},
        length=70_000,
    ),
    RawProbe("with a Host that is none", _LANGUAGES, _refusal("request-malformed"), headers={"host": "no host"}),
)
