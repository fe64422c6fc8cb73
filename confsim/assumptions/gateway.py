"""The gateway, which takes media in, where the documents do not say."""

from __future__ import annotations

from .register import any_text, assumption, texts

_BOTH = "create_gateway_endpoint get_gateway_endpoint"


def _kinds(value: object) -> dict[str, int]:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{value!r} is no table of kinds and their ports")
    for kind, port in value.items():
        if not isinstance(kind, str) or not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65536:
            raise ValueError(f"{kind!r} = {port!r} is no kind with a port from 1 to 65535")
    return value


KINDS = assumption(
    "gateway.kinds",
    "G514 G517",
    "Literals of the kinds of gateway endpoints, each with its port; nothing listens there. Other kinds are refused.",
    {"RTMP": 1935, "SRT": 9710},
    ("any table of kinds and ports",),
    _BOTH,
    check=_kinds,
)
CASE = assumption(
    "gateway.kind-case", "G514", "Case of a kind in a request: exact, or of no weight.", "exact", ("ignore",), _BOTH
)
HOST = assumption(
    "gateway.host", "G517", "Host of gateway endpoints.", "localhost", ("any host name",), _BOTH, check=any_text
)


_SECRET: tuple[str, ...] = ("RTMP", "SRT")

CREDENTIALS = assumption(
    "gateway.credentials",
    "G515",
    "Kinds whose endpoints have credentials, an object of username and password.",
    _SECRET,
    (("RTMP",), "any list of kinds"),
    _BOTH,
    check=texts("kinds"),
)
SECRECY = assumption(
    "gateway.credentials-shown",
    "G515",
    "When credentials are shown: whenever the endpoint is, or at its creation alone.",
    "always",
    ("creation",),
    _BOTH,
)
SEVERAL = assumption(
    "gateway.several",
    "G516",
    "A user may have several endpoints of one kind, or one that a repeated creation answers again. They have no end.",
    True,
    (False,),
    "create_gateway_endpoint",
)
