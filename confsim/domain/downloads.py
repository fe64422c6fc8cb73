"""Downloads of recordings: URLs and tokens that live for a time, and what they open.

Both are JWTs, signed with HS256 by keys of the world: nothing is kept of them, and several may be valid at once.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from confsim.assumptions import recordings as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import Asker, ask
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Record
from confsim.kernel.world import Change

from . import assets, jws
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


class Item(Struct, frozen=True):
    """One file that can be downloaded: the asset, and the kind that downloads call it (P2 L99, G493)."""

    asset: Asset
    kind: str


def kind(asker: Asker, content: Content) -> str:
    """The kind that downloads call such content."""
    return ask(asker, assumed.DOWNLOAD_KINDS)[content]


def items(asker: Asker, found: list[Asset]) -> list[Item]:
    """The assets as downloadable items."""
    return [Item(asset, kind(asker, asset.content)) for asset in found]


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
    return jws.sign({**claims, "asset": asset.id}, change.key(_LINKS))


def credentials(change: Change, client: str, channel: str, recording: str, life: int | None = None) -> str:
    """A token for downloading the assets of a recording until ``life`` milliseconds have passed (R510)."""
    claims = _claims(change, client, channel, recording, LIFE if life is None else life)
    return jws.sign(claims, change.key(_TOKENS))


def followed(change: Change, token: str) -> Asset:
    """The asset behind the token of a URL.

    Refusals DOWNLOAD_LINK_INVALID, DOWNLOAD_LINK_EXPIRED, and NOT_FOUND when its channel is no more.
    """
    try:
        opened = _pass(jws.verify(token, "HS256", change.key(_LINKS)))
    except ValueError:
        raise Refusal(Reason.DOWNLOAD_LINK_INVALID) from None
    if opened.until <= change.now:
        raise Refusal(Reason.DOWNLOAD_LINK_EXPIRED)
    return assets.get(change, opened.client, opened.recording, opened.asset)


def opened(change: Change, token: str) -> Pass:
    """What a token for downloading assets opens (R511). Refusals ASSET_TOKEN_INVALID, ASSET_TOKEN_EXPIRED (G501)."""
    try:
        found = _pass(jws.verify(token, "HS256", change.key(_TOKENS)))
    except ValueError as error:
        raise Refusal(Reason.ASSET_TOKEN_INVALID, problem=str(error)) from None
    if found.until <= change.now:
        raise Refusal(Reason.ASSET_TOKEN_EXPIRED)
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
