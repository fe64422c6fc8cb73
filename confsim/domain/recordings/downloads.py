"""Downloads of recordings: URLs and tokens that are valid for a limited time, and their grants.

Both are JWTs, signed with HS256 by keys of the world; nothing is stored, and several may be valid at once.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from confsim.assumptions import Context, Reason, ask, recordings as assumed
from confsim.assumptions.protocol import durations
from confsim.domain import mail
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.identity import jws
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.runtime.sessions import SESSIONS
from confsim.kernel import Change, Collection, Record, Refusal

from . import assets
from .assets import AssetContent, RecordingAsset
from .recordings import Recording, reachable

#: Milliseconds for which a download URL or a token is valid without ttl (P2 L320-321, Limits L393).
DEFAULT_TTL = 300_000

#: The purposes of the two signing keys.
_LINKS = "recording downloads"
_TOKENS = "recording credentials"


class DownloadGrant(Record, kw_only=True):
    """Access to a recording, or with ``asset`` to one file of it, by a token. ``expires`` in epoch milliseconds."""

    client: str
    channel: str
    recording: str
    asset: str = ""
    expires: int


LINK: Collection[DownloadGrant] = Collection(
    "download URL",
    "A URL that answers the bytes of one file of a recording (R506, R508, R509).",
    None,
    refused=Reason.DOWNLOAD_LINK_INVALID,
)
_ISSUE_LINK = LINK.added("issue", source="P2 L320, R506, R509, G497")
TOKEN: Collection[DownloadGrant] = Collection(
    "asset token",
    "A token for downloading the assets of a recording (R508-R511).",
    None,
    refused=Reason.ASSET_TOKEN_INVALID,
)
_ISSUE_TOKEN = TOKEN.added("issue", source="P2 L321, R509, R510")


class Item(Struct, frozen=True):
    """A file that can be downloaded: the asset, and its kind in downloads (P2 L99, G493)."""

    asset: RecordingAsset
    kind: str


def kind(context: Context, content: AssetContent) -> str:
    """The kind of the content in downloads."""
    return ask(context, assumed.DOWNLOAD_KINDS)[content]


def items(context: Context, found: Iterable[RecordingAsset]) -> list[Item]:
    """The assets as downloadable items."""
    return [Item(asset, kind(context, asset.content)) for asset in found]


def asset_of_kind(change: Change, client: str, recording: str, wanted: str | None) -> RecordingAsset:
    """The asset of a recording that a download of this kind returns (G497). Refusal RECORDING_WITHOUT."""
    word = wanted or ask(change, assumed.DEFAULT_KIND)
    for asset in assets.list_of_recording(change, client, recording):
        if kind(change, asset.content) == word:
            return asset
    raise Refusal(Reason.RECORDING_WITHOUT, kind=word)


def issue_link(change: Change, asset: RecordingAsset, ttl: int | None = None) -> str:
    """A token for the download URL of the asset, valid for ``ttl`` milliseconds."""
    grant = _grant(change, asset.client, asset.channel, asset.recording, ttl, asset.id)
    return _signed(change, _ISSUE_LINK(change, grant), _LINKS)


def issue_token(change: Change, client: str, channel: str, recording: str, ttl: int | None = None) -> str:
    """A token for downloading the assets of a recording, valid for ``ttl`` milliseconds (R510)."""
    grant = _grant(change, client, channel, recording, ttl)
    return _signed(change, _ISSUE_TOKEN(change, grant), _TOKENS)


def asset_of_link(change: Change, token: str) -> RecordingAsset:
    """The asset that the token of a download URL grants.

    Refusals DOWNLOAD_LINK_INVALID, DOWNLOAD_LINK_EXPIRED, and NOT_FOUND when its channel was deleted.
    """
    grant = _open(change, token, _LINKS, invalid=Reason.DOWNLOAD_LINK_INVALID, expired=Reason.DOWNLOAD_LINK_EXPIRED)
    return assets.get(change, grant.client, grant.recording, grant.asset)


def open_token(change: Change, token: str) -> DownloadGrant:
    """The grant of a token for downloading assets (R511). Refusals ASSET_TOKEN_INVALID, ASSET_TOKEN_EXPIRED (G501)."""
    return _open(change, token, _TOKENS, invalid=Reason.ASSET_TOKEN_INVALID, expired=Reason.ASSET_TOKEN_EXPIRED)


def _open(change: Change, text: str, purpose: str, *, invalid: Reason, expired: Reason) -> DownloadGrant:
    try:
        claims = jws.verify(text, "HS256", change.key(purpose))
        grant = DownloadGrant(
            client=claims["client"],
            channel=claims["channel"],
            recording=claims["recording"],
            asset=claims.get("asset", ""),
            expires=round(claims["exp"] * 1000),
        )
    except ValueError as error:
        raise Refusal(invalid, problem=str(error)) from None
    if grant.expires <= change.now:
        raise Refusal(expired)
    return grant


def _grant(
    change: Change, client: str, channel: str, recording: str, ttl: int | None, asset: str = ""
) -> DownloadGrant:
    expires = change.now + (DEFAULT_TTL if ttl is None else ttl)
    return DownloadGrant(client=client, channel=channel, recording=recording, asset=asset, expires=expires)


def _signed(change: Change, grant: DownloadGrant, purpose: str) -> str:
    claims: dict[str, Any] = {
        "client": grant.client,
        "channel": grant.channel,
        "recording": grant.recording,
        "iat": _seconds(change.now),
        "exp": _seconds(grant.expires),
    }
    if grant.asset:
        claims["asset"] = grant.asset
    return jws.sign(claims, change.key(purpose))


def _seconds(instant: int) -> int | float:
    """The instant as a NumericDate (RFC 7519), exact to the millisecond."""
    return instant // 1000 if instant % 1000 == 0 else instant / 1000


# The mail to owners with the link of a recording that is ready (P2 Events L374)


def recipients(change: Change, channel: Channel | None, recording: Recording) -> tuple[int, ...]:
    """The ids of the owners who are mailed when the recording is ready (G505), at its end if the channel is deleted."""
    choice = ask(change, assumed.MAILED)
    if channel is None or choice == "owners-at-stop":
        return recording.owners
    if choice == "not-for-api-tokens" and recording.starter is None:
        return ()
    return roles.ids(change, channel, Role.OWNER)


def mail_link(change: Change, recording: Recording) -> None:
    """Mail the link of the recording to each recipient with a verified address."""
    channel, client = channels.find(change, recording.client, recording.channel), recording.client
    name = SESSIONS.of(change, client)[recording.session].name if channel is None else channel.name
    for owner in reachable(change, client, recipients(change, channel, recording)):
        assert owner.email is not None
        link = _mailed_link(change, recording)
        text = f"The recording of {name} is ready: {link}"
        subject = "A recording is ready"
        mail.send(change, client, owner.email, subject, text, kind=mail.MailKind.RECORDING, link=link)


def _mailed_link(change: Change, recording: Recording) -> str:
    link = ask(change, assumed.LINK)
    if "{token}" in link:
        combined = assets.list_of_recording(change, recording.client, recording.id)[0]
        link = link.replace("{token}", issue_link(change, combined, ask(change, durations.RECORDING_MAIL_LINK)))
    for name, id in {"client": recording.client, "channel": recording.channel, "recording": recording.id}.items():
        link = link.replace(f"{{{name}}}", id)
    return link
