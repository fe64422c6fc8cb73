"""Downloads of recordings: URLs and tokens that live for a time, and what they open.

Both are JWTs, signed with HS256 by keys of the world: nothing is kept of them, and several may be valid at once.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from msgspec import Struct

from confsim.assumptions import recordings as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import Context, ask
from confsim.domain.identity import jws
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Record
from confsim.kernel.world import Change

from . import assets
from .assets import Asset, Content

#: Milliseconds for which a download URL or a token lives without ttl (P2 L320-321, Limits L393).
LIFE = 300_000

_LINKS = "recording downloads"
_TOKENS = "recording credentials"


class Pass(Record, kw_only=True):
    """What a token opens: a recording, or with ``asset`` one file of it. ``until`` in epoch milliseconds."""

    client: str
    channel: str
    recording: str
    asset: str = ""
    until: int


class Life(Enum):
    """Whether a URL or a token has been issued; one that was opens nothing from its end on."""

    ABSENT = "absent"
    ISSUED = "issued"


class Ticket(Record):
    """One text that opens something, or that is none of the world's: what the machines move."""

    text: str = ""
    found: Pass | None = None


_BEFORE_END = Guard("its end has not come", lambda ticket, facts: facts["alive"])


def _machine(
    name: str, title: str, key: str, issued: str, opened: str, refusals: dict[Any, Enum]
) -> Machine[Life, Ticket]:
    """The machine of one kind of ticket, signed with the world's ``key``."""

    def sign(change: Change, ticket: Ticket, facts: Facts) -> Ticket:
        """Opens something until its end; several may do so at once."""
        claims = facts["claims"]
        return Ticket(jws.sign(claims, change.key(key)), _pass(claims))

    return Machine(
        name,
        title,
        Life,
        (
            Row("issue", Life.ABSENT, Life.ISSUED, effect=sign, source=issued),
            Row("open", Life.ISSUED, Life.ISSUED, only_if=_BEFORE_END, source=opened),
        ),
        read=lambda ticket, facts: Life.ABSENT if ticket.found is None else Life.ISSUED,
        refusals=refusals,
        initial=Life.ABSENT,
    )


LINK = _machine(
    "download URL",
    "A URL that answers the bytes of one file of a recording (R506, R508, R509).",
    _LINKS,
    "P2 L320, R506, R509, G497",
    "P2 L320, Limits L393, R508, G499",
    {("open", Life.ISSUED): Reason.DOWNLOAD_LINK_EXPIRED, None: Reason.DOWNLOAD_LINK_INVALID},
)
TOKEN = _machine(
    "asset token",
    "A token for downloading the assets of a recording (R508-R511).",
    _TOKENS,
    "P2 L321, R509, R510",
    "P2 L322, Limits L393, R508, R511, G501",
    {("open", Life.ISSUED): Reason.ASSET_TOKEN_EXPIRED, None: Reason.ASSET_TOKEN_INVALID},
)


class Item(Struct, frozen=True):
    """One file that can be downloaded: the asset, and the kind that downloads call it (P2 L99, G493)."""

    asset: Asset
    kind: str


def kind(context: Context, content: Content) -> str:
    """The kind that downloads call such content."""
    return ask(context, assumed.DOWNLOAD_KINDS)[content]


def items(context: Context, found: list[Asset]) -> list[Item]:
    """The assets as downloadable items."""
    return [Item(asset, kind(context, asset.content)) for asset in found]


def chosen(change: Change, client: str, recording: str, wanted: str | None) -> Asset:
    """The asset of a recording that a download of this kind gives (G497). Refusal RECORDING_WITHOUT."""
    word = wanted or ask(change, assumed.DEFAULT_KIND)
    for item in items(change, assets.of(change, client, recording)):
        if item.kind == word:
            return item.asset
    raise Refusal(Reason.RECORDING_WITHOUT, kind=word)


def link(change: Change, asset: Asset, life: int | None = None) -> str:
    """The token in a URL that answers the bytes of the asset until ``life`` milliseconds have passed."""
    claims = _claims(change, asset.client, asset.channel, asset.recording, LIFE if life is None else life)
    return LINK.fire(change, Ticket(), "issue", claims={**claims, "asset": asset.id}).text


def credentials(change: Change, client: str, channel: str, recording: str, life: int | None = None) -> str:
    """A token for downloading the assets of a recording until ``life`` milliseconds have passed (R510)."""
    claims = _claims(change, client, channel, recording, LIFE if life is None else life)
    return TOKEN.fire(change, Ticket(), "issue", claims=claims).text


def followed(change: Change, token: str) -> Asset:
    """The asset behind the token of a URL.

    Refusals DOWNLOAD_LINK_INVALID, DOWNLOAD_LINK_EXPIRED, and NOT_FOUND when its channel is no more.
    """
    opened = _open(change, LINK, _LINKS, token)
    return assets.get(change, opened.client, opened.recording, opened.asset)


def opened(change: Change, token: str) -> Pass:
    """What a token for downloading assets opens (R511). Refusals ASSET_TOKEN_INVALID, ASSET_TOKEN_EXPIRED (G501)."""
    return _open(change, TOKEN, _TOKENS, token)


def _open(change: Change, machine: Machine[Life, Ticket], key: str, text: str) -> Pass:
    try:
        found = _pass(jws.verify(text, "HS256", change.key(key)))
    except ValueError as error:
        machine.fire(change, Ticket(text), "open", problem=str(error))
        raise
    machine.fire(change, Ticket(text, found), "open", alive=found.until > change.now)
    return found


def _claims(change: Change, client: str, channel: str, recording: str, life: int) -> dict[str, Any]:
    return {
        "client": client,
        "channel": channel,
        "recording": recording,
        "iat": _seconds(change.now),
        "exp": _seconds(change.now + life),
    }


def _seconds(instant: int) -> int | float:
    """The instant as a NumericDate (RFC 7519), exact to the millisecond."""
    return instant // 1000 if instant % 1000 == 0 else instant / 1000


def _pass(claims: dict[str, Any]) -> Pass:
    return Pass(
        client=claims["client"],
        channel=claims["channel"],
        recording=claims["recording"],
        asset=claims.get("asset", ""),
        until=round(claims["exp"] * 1000),
    )
