"""The meaning of the fields of records for a canonical form: names, instants, counts, and what is over.

A test holds these tables against the declared records: each entry names a table and a field that exist, and no field
holds a name or an instant that is not listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Fields that hold an instant in epoch milliseconds, or several.
INSTANTS = frozenset(
    {
        *("answers", "at", "connected", "created", "due", "ended", "ends", "expires", "grace_ends", "promulgated"),
        *("placed", "processing_ends", "ready", "since", "started", "starting_ends", "time", "upload_begins"),
    }
)
#: Fields that hold the number of a user, or several, as a number or as text.
USERS = frozenset({"by", "creator", "follows", "inside", "owners", "receiver", "starter", "user", "users"})
#: Fields whose text the service draws, by table: its value says nothing, only where else it stands. Of a pair it is the
#: second part. The text of a mail follows from its other fields.
DRAWN: Mapping[str, frozenset[str]] = {
    "channels": frozenset({"meeting_id", "url_name"}),
    "gateway endpoints": frozenset({"username"}),
    "invitations": frozenset({"code"}),
    "mail": frozenset({"code", "link", "text"}),
    "number assignments": frozenset({"code"}),
    "room channels": frozenset({"meeting_id", "url_name"}),
    "users": frozenset({"pending"}),
}
#: Fields of answers whose whole text the service draws.
DRAWN_IN_ANSWERS = frozenset({"meetingId", "urlName", "username"})
#: Numbers that count up, by table and field, with the sequence that they belong to: only their order says something.
COUNTED: Mapping[tuple[str, str], str] = {
    ("app session logs", "number"): "log",
    ("attendances", "joins"): "join",
    ("channels", "number"): "channel",
    ("event log", "number"): "event",
    ("hosts", "number"): "channel",
    ("mail", "id"): "mail",
    ("recordings", "joins"): "join",
    ("room channels", "number"): "channel",
    ("webhook deliveries", "number"): "delivery",
}
#: Sequences of a world whose numbers are such counts or numbers of users; others are part of a text that is shown.
UNSEEN_SEQUENCES = re.compile(r"(channel|join|mail|meeting id|user)$|(event|webhook delivery) ")
#: Ids and secrets within a text: UUIDs, their short form, tokens, and the numbers of users as owners of properties.
NAMES_IN_TEXT = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<![\w-])(?:[0-9a-f]{24}|[\w-]{43}(?:\.[\w-]{43})*)(?![\w-])|(?<!\w)user \d+(?!\w)"
)
#: Shorter texts hold no name.
SHORTEST_NAME = 6

# What is over, which the coarsest level leaves out

#: Tables of what has happened.
HISTORY = frozenset({"app session logs", "event log", "mail"})
#: Records that are over: by table the field of their state, and its values.
OVER: Mapping[str, tuple[str, frozenset[str]]] = {
    "breakout sessions": ("phase", frozenset({"completed"})),
    "broadcasts": ("state", frozenset({"ended"})),
    "calls": ("state", frozenset({"busy", "ended", "failed"})),
    "recordings": ("state", frozenset({"failed", "ready"})),
    "sessions": ("state", frozenset({"ended"})),
    "webhook deliveries": ("state", frozenset({"delivered", "failed", "lost", "refused"})),
}
#: Records that are over with another one: by table the field that names it.
BELONGS: Mapping[str, str] = {
    "assignments": "breakout",
    "attendances": "session",
    "breakout rooms": "breakout",
    "recording assets": "recording",
}
#: Tables that only keep account of what happens elsewhere.
BOOKKEEPING = frozenset({*HISTORY, "attendances", "events secrets", "occupancies", "placements", "webhook deliveries"})
#: Fields that only remember what has happened, by table.
MEMORY: Mapping[str, frozenset[str]] = {
    "attendances": frozenset({"joins", "latest"}),
    "recordings": frozenset({"joins"}),
    "sessions": frozenset({"had_recording", "participants", "peak"}),
}

# What a record is called

#: What one record of a table is called, where it is not the name of the table without its last letter.
ONE_OF: Mapping[str, str] = {
    "breakout rooms": "breakout room",
    "channel media": "channel media file",
    "client media": "client media file",
    "event log": "event",
    "mail": "mail",
    "occupancies": "occupancy",
    "properties": "property",
    "room channels": "channel of a breakout room",
    "webhook deliveries": "webhook delivery",
}
#: Fields by which people know a record, the best first; a record of a user in a channel or session is known by these.
KNOWN_BY = ("name", "handle", "label", "key", "kind", "url", "number", "pin")
HOLDERS = ("channel", "session", "user")
#: Fields that are the key of a table and name a record of another one.
KEYS_OF_OTHERS = frozenset({"channel", "client", "template", "user"})


def one_of(table: str) -> str:
    """Return what one record of a table is called."""
    return ONE_OF.get(table) or table.removesuffix("s")
