"""Images of users and channels: upload, formats, URLs."""

from __future__ import annotations

from confsim.assumptions.register import Assumption, assumption, texts

_OPERATIONS = "set_user_image set_channel_image"

UNREACHABLE: Assumption[tuple[str, ...]] = assumption(
    "images.unreachable",
    "G110",
    "An image URL is not fetched: a stub image answers for it, except below these prefixes.",
    ("http://unreachable.invalid", "https://unreachable.invalid"),
    ("any list of URL prefixes",),
    _OPERATIONS,
    check=texts("URL prefixes"),
    refuses={"IMAGE_UNREACHABLE": lambda value, operation, profile: bool(value)},
    samples=([],),
)
GIVEN_URL = assumption(
    "images.given-url",
    "G243",
    "An image URL given with a new user, registered or predefined: stored as it is, or fetched like any other. The "
    "picture of an identity token is stored as it is, if it is a URL.",
    "stored",
    ("fetched",),
    "create_user create_predefined_user",
    refuses={"IMAGE_UNREACHABLE": ("fetched",)},
)
FORM = assumption(
    "images.form",
    "G106",
    "Form of an image in a body: the body is the image for any Content-Type, and a form is refused (415); or the "
    "body is multipart/form-data, where the first part with a filename is the image.",
    "raw",
    ("multipart",),
    _OPERATIONS,
)
FORMATS = assumption(
    "images.formats",
    "G105",
    "Image bytes are known by their signature: PNG, JPEG, GIF, WebP, or may be anything at all.",
    "known",
    ("any",),
    _OPERATIONS,
    refuses={"IMAGE_UNKNOWN_FORMAT": ("known",)},
)
DEFAULT_SIZE = assumption(
    "images.default-size",
    "G101 G103 G104",
    "Size in the image URLs of an answer when imgSize is not given; the double serves one file for every size.",
    "medium",
    ("small", "large", "xlarge", "xxlarge", "unfurl"),
)
UNKNOWN_SIZE = assumption(
    "images.unknown-size",
    "G102",
    "An imgSize that is not in the table: refused, or the default size.",
    "refuse",
    ("default",),
)
