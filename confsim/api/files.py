"""Files served beside the API: images by URL, media and recordings by links (G104, G510)."""

from urllib.parse import quote

from confsim.contract import Catalogue, ImageSize, Raw, gates
from confsim.domain import images
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.media import media
from confsim.domain.recordings import assets, downloads, recording_list
from confsim.domain.recordings.recordings import Recording

from .call import Call
from .recordings import recordings

FILES = Catalogue("Files")


@FILES.operation("GET /files/{clientId}/images/{image}", gate=gates.PUBLIC, rules="R030 R031")
def get_image(call: Call, client: Client, image: str, *, size: ImageSize | None = None) -> Raw:
    """The bytes of an image; every size is served by the one file that was uploaded."""
    found = images.get(call.change, client.id, image)
    return Raw(found.content_type, found.data)


@FILES.operation("GET /files/{clientId}/media/{mediaId}", gate=gates.PUBLIC, rules="R330 R331")
def get_media_file(
    call: Call, client: Client, mediaId: str, *, expires: int | None = None, signature: str | None = None
) -> Raw:
    """The bytes of a media asset as they were uploaded, for anyone with a link, or for everybody (publicRead).

    403 for an invalid or expired link. Browsers save the file and do not show it, since anybody may have uploaded it.
    """
    asset = media.follow_link(call.change, client.id, mediaId, expires, signature)
    saved = ("Content-Disposition", f"attachment; filename*=UTF-8''{quote(asset.name, safe='')}")
    return Raw(asset.content_type, asset.data, (saved, ("X-Content-Type-Options", "nosniff")))


@FILES.operation("GET /files/recordings/{token}", gate=gates.PUBLIC, rules="R506")
def get_recording_file(call: Call, token: str) -> Raw:
    """The bytes of an asset of a recording, for anyone with a download URL (G499); 403 for an invalid one."""
    return recordings.saved(downloads.asset_of_link(call.change, token))


@FILES.operation(
    "GET /files/channels/{uuid}/recordings/{recordingId}/{assetId}", gate=gates.OPERATOR_OR_ADMIN, rules="R301"
)
def get_asset_file(call: Call, channel: Channel, recording: Recording, assetId: str) -> Raw:
    """The bytes of an asset of a recording, for callers who may read the asset (G496). 409 before it is uploaded."""
    recording_list.require_ready(recording)
    return recordings.saved(assets.get(call.change, recording.client, recording.id, assetId))
