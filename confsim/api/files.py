"""What a mount serves beside the API: images by their address, without any token (G104)."""

from __future__ import annotations

from confsim.contract import gates
from confsim.contract.encode import Raw
from confsim.contract.operation import Catalogue
from confsim.contract.types import ImageSize
from confsim.domain import images
from confsim.domain.clients import Client

from .call import Call


def _declared() -> None:
    """Everything is declared in this module."""


FILES = Catalogue("Files", _declared)


@FILES.operation("GET /files/{clientId}/images/{image}", gate=gates.PUBLIC, rules="R030 R031")
def get_image(call: Call, clientId: Client, image: str, *, size: ImageSize | None = None) -> Raw:
    """The bytes of an image; every size is served by the one file that was uploaded."""
    kept = images.get(call.change, clientId.id, image)
    return Raw(kept.content_type, kept.data)
