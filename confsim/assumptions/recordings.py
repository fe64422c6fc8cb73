"""Recordings, their assets and downloads."""

from __future__ import annotations

from .channels import DRAWN_IDS
from .register import Assumption, assumption, text

_RECORDINGS = "list_recordings get_recording"
_ASSETS = "list_recording_assets get_recording_asset list_session_recordings"
_DOWNLOADABLE = "list_downloadable_assets download_recording_asset"
_FETCH = f"get_recording_download {_DOWNLOADABLE}"
_EVERY_FILE = f"{_ASSETS} {_FETCH}"

POSSIBLE = assumption(
    "recordings.possible",
    "G480",
    "Answer of record/possible: an object with the field possible, or the bare boolean.",
    "object",
    ("bare",),
    "check_record_possible",
)
POSSIBLE_WITHOUT = assumption(
    "recordings.possible-without-session",
    "G480",
    "Whether a recording is said to be possible while the channel has no session, although it does not start then: "
    "the answer goes by the addresses of the owners and the caller alone; or it is false without a session.",
    True,
    (False,),
    "check_record_possible",
)
WITHOUT_EMAIL = assumption(
    "recordings.without-email",
    "G482",
    "Starting a recording while no owner has a verified address: refused, or it starts. API tokens always start one.",
    "refuse",
    ("start",),
    "start_recording",
    refuses={"RECORDING_NEEDS_EMAIL": ("refuse",)},
)
WITHOUT_SESSION = assumption(
    "recordings.without-session",
    "G483",
    "Starting a recording while no session is active: refused, or it starts a session.",
    "refuse",
    ("start-session",),
    "start_recording",
    refuses={"RECORDING_NEEDS_SESSION": ("refuse",)},
)
AGAIN = assumption(
    "recordings.start-again",
    "G484",
    "Starting a recording while one is in progress: refused, or nothing happens.",
    "refuse",
    ("ignore",),
    "start_recording",
    refuses={"RECORDING_IN_PROGRESS": ("refuse",)},
)
STOP_NOTHING = assumption(
    "recordings.stop-nothing",
    "G485",
    "Stopping while no recording is in progress: refused, or nothing happens.",
    "refuse",
    ("ignore",),
    "stop_recording",
    refuses={"NO_RECORDING": ("refuse",)},
)
STOPPED_BY = assumption(
    "recordings.stopped-by",
    "G486",
    "Who may stop a recording: every caller who passes the gate, or only the one who started it.",
    "anyone",
    ("starter",),
    "stop_recording",
    refuses={"RECORDING_STOPPED_BY_STARTER": ("starter",)},
)
SESSION_ENDS = assumption(
    "recordings.session-ends",
    "G487 G365",
    "A recording whose session ends, as that of a base channel does when it becomes empty: stops, or goes on. "
    "Deleting the channel stops it, and so does disabling the service unless clients.disable-ends is nothing.",
    "stops",
    ("goes-on",),
    f"{_RECORDINGS} stop_recording",
)
HAD_RECORDING = assumption(
    "recordings.had-recording",
    "G374",
    "hadRecording of a session becomes true when a recording of it starts, or when one is ready.",
    "started",
    ("ready",),
    "get_session list_sessions start_recording",
)
OUTCOME = assumption(
    "recordings.processing",
    "G488 G489",
    "Whether the processing of recordings succeeds or fails.",
    "succeeds",
    ("fails",),
    f"stop_recording {_RECORDINGS}",
)
FAILED = assumption(
    "recordings.failed",
    "G489",
    "A recording whose processing failed stays without readyTime, and the state of its assets shows it; or it is "
    "removed.",
    "kept",
    ("removed",),
    f"{_RECORDINGS} {_ASSETS}",
)
MAILED = assumption(
    "recordings.mailed",
    "G505",
    "Who is mailed the link when a recording is ready: the owners of then, those of the stop, or those of then unless "
    "an API token started it.",
    "owners-when-ready",
    ("owners-at-stop", "not-for-api-tokens"),
    "stop_recording",
)
LINK = assumption(
    "recordings.mail-link",
    "G505",
    "The link in the mail, where {root} at its beginning stands for the mount of the world at the address by which the "
    "mail is read, {client}, {channel} and {recording} for ids, and {token} for the token of a download URL.",
    "{root}/files/recordings/{token}",
    ("any text",),
    "stop_recording",
    check=text,
    samples=("https://mail.example/{token}",),
)
NOT_ENDED = assumption(
    "recordings.not-ended",
    "G088",
    "Place of a recording in progress when sorting by ended: as the latest, or after the others in either order.",
    "latest",
    ("last",),
    "list_recordings",
)
BEFORE_READY = assumption(
    "recordings.assets-before-ready",
    "G491",
    "Assets of a recording that is being processed: listed with their state, or not before it is ready. There are none "
    "while it is in progress.",
    "listed",
    ("hidden",),
    _ASSETS,
)


def _states(value: object) -> dict[str, str | int]:
    known = {"pending", "uploading", "uploaded", "failed"}
    if not isinstance(value, dict) or set(value) != known:
        raise ValueError(f"{value!r} does not name exactly {', '.join(sorted(known))}")
    if not all(isinstance(word, str | int) and not isinstance(word, bool) for word in value.values()):
        raise ValueError(f"{value!r} holds more than texts and whole numbers")
    return value


ASSET_STATES: Assumption[dict[str, str | int]] = assumption(
    "recordings.asset-states",
    "G492",
    "Words, or numbers, of the state of an asset.",
    {"pending": "Pending", "uploading": "Uploading", "uploaded": "Uploaded", "failed": "Failed"},
    ({"pending": 0, "uploading": 1, "uploaded": 2, "failed": 3},),
    _ASSETS,
    check=_states,
)
UPLOADING = assumption(
    "recordings.uploading",
    "G492",
    "When an asset that is pending is being uploaded: from half of the processing on, or never to be seen.",
    "half-way",
    ("never",),
    _ASSETS,
)


def _contents(value: object) -> dict[str, str]:
    known = {"archive", "combined", "captions", "individual"}
    if not isinstance(value, dict) or set(value) != known:
        raise ValueError(f"{value!r} does not name exactly {', '.join(sorted(known))}")
    if not all(isinstance(word, str) for word in value.values()):
        raise ValueError(f"{value!r} holds more than texts")
    return value


def _among(value: object, words: set[str]) -> dict[str, str]:
    table = _contents(value)
    if not set(table.values()) <= words:
        raise ValueError(f"{value!r} holds a word that is none of {', '.join(sorted(words))}")
    return table


def _kinds(value: object) -> dict[str, str]:
    return _among(value, {"audio", "video", "other"})


KINDS = assumption(
    "recordings.asset-kinds",
    "G493",
    "kind of an asset by what it contains.",
    {"archive": "other", "combined": "video", "captions": "other", "individual": "audio"},
    ("any of audio, video and other for each",),
    _ASSETS,
    check=_kinds,
    samples=({"archive": "video", "combined": "audio", "captions": "audio", "individual": "other"},),
)


def _download_kinds(value: object) -> dict[str, str]:
    return _among(value, {"archive", "combined_video", "captions", "other"})


DOWNLOAD_KINDS = assumption(
    "recordings.download-kinds",
    "G493 G497",
    "kind of a downloadable item by what it contains; its id is that of the asset.",
    {"archive": "archive", "combined": "combined_video", "captions": "captions", "individual": "other"},
    ("any of archive, combined_video, captions and other for each",),
    _FETCH,
    check=_download_kinds,
    samples=({"archive": "other", "combined": "other", "captions": "other", "individual": "captions"},),
)
FORMATS = assumption(
    "recordings.formats",
    "G494",
    "format of an asset by what it contains. The bytes of an archive are a ZIP file, those of the others MP4, WebVTT "
    "and MP4 with sound alone.",
    {"archive": "CMS", "combined": "MP4", "captions": "VTT", "individual": "M4A"},
    ("any texts",),
    _EVERY_FILE,
    check=_contents,
    samples=({"archive": "A", "combined": "B", "captions": "C", "individual": "D"},),
)
YIELDS = assumption(
    "recordings.assets",
    "G494",
    "Assets of a recording: a combined video, an archive, and captions where the channel has speech to text; or the "
    "combined video alone.",
    "all",
    ("combined-video",),
    _EVERY_FILE,
)
INDIVIDUAL = assumption(
    "recordings.individual-streams",
    "G495",
    "Individual streams: none, or one of each user who was inside while the recording was made; its group is the id of "
    "the stream.",
    "none",
    ("each-participant",),
    _EVERY_FILE,
    decides=DRAWN_IDS,
)
RECEIVER = assumption(
    "recordings.receiver",
    "G495",
    "userId of an asset, the user who received the file: absent, or the user who started the recording.",
    "absent",
    ("starter",),
    _ASSETS,
)
CAPTIONS_LANGUAGE = assumption(
    "recordings.captions-language",
    "G494",
    "language of captions.",
    "en",
    ("any language",),
    "list_downloadable_assets",
    check=text,
    samples=("de",),
)
URL = assumption(
    "recordings.asset-url",
    "G496",
    "url of an asset: present once it is uploaded, an address that answers the bytes to callers who may read the "
    "asset; or absent.",
    "present",
    ("absent",),
    _ASSETS,
)
RELATIVE_PATH = assumption(
    "recordings.relative-path", "G494", "relativePath of an asset: present, or absent.", "present", ("absent",), _ASSETS
)
INSTANTS = assumption(
    "recordings.asset-times",
    "G119",
    "startTime and endTime of an asset: instants, or counted from the start of its recording.",
    "absolute",
    ("relative",),
    _ASSETS,
)
DEFAULT_KIND = assumption(
    "recordings.download-default",
    "G497",
    "kind of a download that names none. Other words are refused, and so is a kind that the recording has not.",
    "combined_video",
    ("archive",),
    "get_recording_download",
)
HOST = assumption(
    "recordings.download-host",
    "G499 G498",
    "A download URL is served here without a token and without ranges; or it is of a host that is not served.",
    "here",
    ("elsewhere",),
    "get_recording_download",
)
SCOPE = assumption(
    "recordings.token-scope",
    "G502",
    "A token for downloading assets opens the recording it was made for, or every recording of its channel; it serves "
    "the list of assets and the download of one.",
    "recording",
    ("channel",),
    f"get_recording_credentials {_DOWNLOADABLE}",
)
DELETION = assumption(
    "recordings.deletion",
    "G504",
    "Recordings are not deleted: no call is documented or named, so there is no answer to choose among.",
    "never",
    (),
    "get_recording",
)
TOKEN_IN_PATH = assumption(
    "recordings.token-in-path",
    "G503",
    "A download JWT in a path, with its dots and its length: whole, cut at its first dot, or refused (414).",
    "whole",
    ("cut", "refuse"),
    "list_downloadable_assets download_recording_asset",
    refuses={
        "URL_TOO_LONG": ("refuse",),
        "ASSET_TOKEN_INVALID": ("whole", "cut"),
        "NOT_FOUND": ("whole",),
    },
)
