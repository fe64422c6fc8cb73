"""Channels: creation, access, lists, feature switches and friendly URLs."""

from __future__ import annotations

import re

from confsim.values.plain import shown

from .register import assumption, in_force, text

#: The kinds of things whose ids, codes and tokens are drawn one after the other: whatever draws one more moves those
#: that follow.
DRAWN_IDS = (
    "api_tokens app_sessions assets breakout_rooms breakout_sessions broadcasts channels clients codes "
    "destinations dial_codes endpoints images media recordings reservations secrets sessions sources templates tokens"
)

# channels.*
UNIQUE_NAMES = assumption(
    "channels.unique-names",
    "G300",
    "A base channel that would have exactly the name of another of the client: refused, or allowed, or its name gets a "
    "number; or refused whichever client has the other. Breakout rooms need not differ. Names that are coded "
    "otherwise in Unicode differ.",
    "refuse",
    ("allow", "number", "refuse-everywhere"),
    "create_channel rename_channel",
    refuses={"CHANNEL_NAME_TAKEN": ("refuse", "refuse-everywhere")},
)
FIRST_OWNERS = assumption(
    "channels.first-owners",
    "G298",
    "Owners of a new channel: the user who creates it (an API token makes a channel without owner), or with that user "
    "every Customer Admin of the client.",
    "creator",
    ("creator-and-customer-admins",),
    "create_channel list_operators list_owners get_channel list_channels list_active_channels",
)
DESCRIPTION_AT_CREATION = assumption(
    "channels.description-at-creation",
    "G303",
    "Whether the limit of 200 characters holds for the description at creation.",
    "limit",
    ("none",),
    "create_channel",
)
DESCRIPTION_COUNT = assumption(
    "channels.description-count",
    "G304",
    "What a character of a description is: a Unicode code point or a UTF-16 unit.",
    "code-points",
    ("utf-16",),
    "create_channel set_channel_description",
)
DESCRIPTION_TOO_LONG = assumption(
    "channels.description-too-long",
    "G303 G304",
    "A description of more than 200 characters is refused, or cut.",
    "refuse",
    ("cut",),
    "create_channel set_channel_description",
    refuses={
        "DESCRIPTION_TOO_LONG": lambda value, operation, profile: (
            value == "refuse"
            and (operation != "create_channel" or in_force(profile, DESCRIPTION_AT_CREATION) == "limit")
        )
    },
)
DESCRIPTION_CLEARED = assumption(
    "channels.description-cleared",
    "G305",
    "A description that was cleared is absent from answers, or an empty text. Those of users and media, and full "
    "names, are absent when they are empty.",
    "absent",
    ("empty",),
    "set_channel_description",
)
DELETION = assumption(
    "channels.deletion",
    "G309",
    "Deleting a channel in which a session runs: what runs ends, or it is refused. What belongs to the channel is "
    "removed with it; its name, meeting id, numbers and URLs are free; app sessions keep its uuid.",
    "ends",
    ("refuse",),
    "delete_channel",
    refuses={"CHANNEL_IN_USE": ("refuse",)},
)
HISTORY = assumption(
    "channels.history-after-deletion",
    "G309",
    "What becomes of the sessions, calls and recordings of a channel that is deleted: they are erased with it, and "
    "links to its recordings lead nowhere; or they are kept. Kept ones are shown to Customer Admins and API tokens by "
    "the calls for sessions, links and tokens for downloads stay valid, and a recording that is being processed gets "
    "ready and is mailed to those who owned the channel; the channel itself is not there in any case.",
    "erased",
    ("kept",),
    "delete_channel",
)
GUESTS_AFTER_DELETION = assumption(
    "channels.guests-after-deletion",
    "G309",
    "Guests of a deleted channel keep their record and their token, which leads nowhere, or go with the channel.",
    "stay",
    ("go",),
    "delete_channel",
)
ACCESS = assumption(
    "channels.access",
    "G310",
    "Who has access to a channel: the users of the client and the channel's own guests (to a private channel only "
    "hosts, administrators, those linked to it and those made for it), or anyone of the client who knows its id; "
    "nobody of another client, as a client's things are not there for others.",
    "client",
    ("anyone",),
)
GUESTS_CONFINED = assumption(
    "channels.guests-confined",
    "G228",
    "A guest's token is good for the channel it was made for and its rooms, or for every channel that admits guests.",
    True,
    (False,),
)


def _compound(value: object) -> str:
    given = text(value)
    if "{parent}" not in given or "{name}" not in given:
        raise ValueError(f"{given!r} lacks {{parent}} or {{name}}")
    return given


COMPOUND_NAME = assumption(
    "channels.compound-name",
    "G311",
    "Form of the compounded legacy name of a channel with a parent.",
    "{parent}/{name}",
    ("{parent} - {name}", "any text with {parent} and {name}"),
    "get_channel",
    check=_compound,
    samples=("{name} of {parent}",),
)
API_TOKEN_IS_OPERATOR = assumption(
    "channels.api-token-is-operator",
    "G281",
    "isOperator of channel details for an API token, which is no user; isOwner and isFavorite are false for it.",
    False,
    (True,),
    "get_channel",
)
API_TOKEN_LISTS_ALL = assumption(
    "channels.api-token-lists-all",
    "G324",
    "Whether the channel list shows an API token all channels of its client, as it does a Customer Admin, or none.",
    True,
    (False,),
    "list_channels",
)
LIST_ROOMS = assumption(
    "channels.list-rooms",
    "G325",
    "Whether the channel list shows breakout rooms beside the base channels; a room's hosts are its event room's.",
    False,
    (True,),
    "list_channels",
)
LIST_CONTAINER = assumption(
    "channels.list-container",
    "G093",
    "Container of the channel list: a page of total and results, or a bare array.",
    "page",
    ("array",),
    "list_channels",
)
LIST_IS_OWNER = assumption(
    "channels.list-is-owner",
    "G326",
    "isOwner of a list item: there for every operator and telling owner from plain operator, or there (as true) for "
    "owners only.",
    "operators",
    ("owners",),
    "list_channels",
)
CLIENT_ACROSS_TENANTS = assumption(
    "channels.client-across-tenants",
    "G322",
    "Whether the client of a channel of any tenant is shown, or of the caller's own only.",
    False,
    (True,),
    "get_channel_client",
    refuses={"GUEST_ELSEWHERE": (False,)},
)
MEETING_ID_EMPTY = assumption(
    "channels.meeting-id-empty",
    "G319",
    "A meetingId in the query decides that the channel is looked up and nothing listed, for any other parameters; "
    "an empty one is refused, or looked up like any other.",
    "refuse",
    ("look-up",),
    "find_channel_by_meeting_id list_channels",
)
PARTICIPANTS = assumption(
    "channels.participants",
    "G373",
    "Historical participants of a channel, by last join: distinct users of all sessions, one entry for each join, or "
    "distinct users of ended sessions alone.",
    "distinct",
    ("attendances", "ended"),
    "list_channel_participants",
)

# ids.*
MEETING_ID = assumption(
    "ids.meeting-id",
    "G133",
    "Form of meeting ids, unique over the whole service: nine digits for the keypad of a phone, or a UUID.",
    "digits",
    ("uuid",),
    "create_channel get_channel find_channel_by_meeting_id",
)


# friendly-urls.*
def _pattern(value: object) -> str:
    given = text(value)
    try:
        re.compile(given)
    except (re.error, OverflowError, RecursionError) as error:
        problem = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise ValueError(f"{shown(given)} is no regular expression: {problem}") from None
    return given


FRIENDLY_FORM = assumption(
    "friendly-urls.form",
    "G289",
    "Form of a friendly URL, as a regular expression for the whole of it; letters match without case.",
    "[A-Za-z0-9_-]{1,64}",
    ("any regular expression",),
    "set_channel_friendly_url check_friendly_url",
    check=_pattern,
    samples=("[a-z]{3,64}",),
)
FRIENDLY_TAKEN = assumption(
    "friendly-urls.taken",
    "G290",
    "A friendly URL that another channel of the client has: refused, or moved to the new channel.",
    "refuse",
    ("move",),
    "set_channel_friendly_url",
    refuses={"FRIENDLY_URL_TAKEN": ("refuse",)},
)
FRIENDLY_OFF = assumption(
    "friendly-urls.off",
    "G285",
    "Switching friendly URLs off for a client: those there are stay and are shown, but none is found or set; or all "
    "are removed; or it changes nothing but the user interface.",
    "keep",
    ("remove", "nothing"),
    "set_friendly_urls_state set_channel_friendly_url find_channel_by_friendly_url",
    refuses={"FRIENDLY_URLS_OFF": ("keep", "remove")},
)
FRIENDLY_LINKS = assumption(
    "friendly-urls.direct-links",
    "G290",
    "A friendly URL that is the word of the direct link of another channel: set, as links of both kinds have paths of "
    "their own; or refused as taken.",
    "set",
    ("refused",),
    "set_channel_friendly_url",
    refuses={"FRIENDLY_URL_TAKEN": ("refused",)},
)
FRIENDLY_AVAILABLE = assumption(
    "friendly-urls.available",
    "G283",
    "Answer to the check of a friendly URL: uuid of the channel that has it and 200, where no uuid means that it is "
    "free; or 404 when it is free; or 409 when it is taken; or a fresh uuid when it is free.",
    "uuid-when-taken",
    ("not-found-when-free", "conflict-when-taken", "fresh-when-free"),
    "check_friendly_url",
    refuses={"FRIENDLY_URL_TAKEN": ("conflict-when-taken",), "FRIENDLY_URL_UNKNOWN": ("not-found-when-free",)},
)

# flags.*
FEATURES_SWITCHED_OFF = assumption(
    "flags.running",
    "G355",
    "Switching a feature of a channel off concerns what begins later, not what runs.",
    "later",
    (),
    "set_speech2text_state set_midi_state set_dial_in_state set_dial_out_state set_event_room_state "
    "set_broadcast_state",
)
MIDI = assumption(
    "flags.midi-token",
    "G318",
    "The midi switch and isMidi are the same, or enabling needs a premium token.",
    "same",
    ("needs-premium",),
    "set_midi_state",
    refuses={"MIDI_NEEDS_TOKEN": ("needs-premium",)},
)
URL_NAME = assumption(
    "channels.url-name",
    "G134 G307",
    "urlName of a channel: a stable text of its own, which no rename changes; its name in a form for URLs; or its "
    "friendly URL where it has one.",
    "stable",
    ("name", "friendly-url"),
    "get_channel list_channels rename_channel",
)
PARENT = assumption(
    "channels.parent",
    "G312",
    "Only channels of breakout rooms have a parent, and keep it: the documents show no other use of one. That of a "
    "room made below a room is the same event room.",
    "breakout-rooms",
    (),
    "get_channel",
)
CLIENT_IDS = assumption(
    "ids.client",
    "G131",
    "Ids of clients: UUIDs, short random texts, or made from the name.",
    "uuid",
    ("short", "name"),
    "create_client",
)
THING_IDS = assumption(
    "ids.form",
    "G132",
    "Ids of channels and of all other things whose id is no number: UUIDs of version 4 in lower case, or 24 "
    "hexadecimal digits as of a document store.",
    "uuid",
    ("document",),
    decides=DRAWN_IDS,
)
CHANNEL_ID_NAMES = assumption(
    "ids.channel-names",
    "G544",
    "uuid, channelUuid, channelId and channel are one id: calls that name it otherwise could not follow each other.",
    "one",
    (),
    "get_channel",
)
CLIENT_ID_NAMES = assumption(
    "ids.client-names",
    "G545",
    "The names of the client id, such as clientId, client and id, stand as each call documents them.",
    "as-documented",
    (),
    "get_client",
)
