"""Running channels: presence, lobby, attendees, presenters, populations, active channels."""

from __future__ import annotations

from confsim.assumptions.register import assumption

# presence.*
JOINING = assumption(
    "presence.joining",
    "G327",
    "How users come into a channel: by a websocket or the control plane alone, or also by asking for the streaming "
    "proxy.",
    "control",
    ("proxyfor",),
    "get_streaming_proxy",
)

ELSEWHERE = assumption(
    "presence.elsewhere",
    "G327",
    "A user who enters a channel while in another one: is in both; or leaves the other one, its lobby included.",
    "stays",
    ("leaves",),
)

# lobby.*
LOBBY_ON_OPEN = assumption(
    "lobby.on-open",
    "G328 G329",
    "When the door opens, users who wait enter, the longest wait first, or keep waiting to be admitted one by one. "
    "Those for whom the channel has no room then wait until they join again or are admitted.",
    "admit",
    ("wait",),
    "set_lobby_door",
)
LOBBY_ADMISSION = assumption(
    "lobby.admission",
    "G328 G596",
    "An operator lets in a user who waits; no call of the API does it, so the control plane does.",
    "control",
    (),
    "set_lobby_door",
)
LOBBY_RULES = assumption(
    "lobby.rule-changes",
    "G328 G227 G177 G467",
    "Users who wait in the lobby when new terms are published, or guest access or dial-in is switched off: they keep "
    "waiting, and the rules are checked when they are let in; or those who may no longer enter leave at once.",
    "wait",
    ("leave",),
    "promulgate_terms set_guest_access set_dial_in_state",
)
LOBBY_HOSTS = assumption(
    "lobby.new-hosts",
    "G330 G538",
    "A user who waits in the lobby and becomes operator or owner enters, as hosts pass the door; or keeps waiting "
    "until joining again or being admitted.",
    "enter",
    ("wait",),
    "add_operator add_owner",
)
LOBBY_ENDS = assumption(
    "lobby.session-ends",
    "G365 G328",
    "Users who wait in the lobby when a call ends the session are disconnected like those inside, or keep waiting. "
    "They keep waiting when the session ends because its last user leaves.",
    "disconnect",
    ("wait",),
    "end_session end_active_session",
)
LOBBY_BYPASS = assumption(
    "lobby.passes",
    "G330",
    "Who passes a closed door: hosts and users who were inside in the same session before, or hosts alone.",
    "hosts-and-readmitted",
    ("hosts",),
    "set_lobby_door",
)
LOBBY_ON_CLOSE = assumption(
    "lobby.on-close",
    "G331",
    "What closing the door does to those inside who are no hosts: they stay, or go back to the lobby.",
    "stay",
    ("lobby",),
    "set_lobby_door",
)
AUTO_CLOSE_EMPTY = assumption(
    "lobby.auto-close-when-empty",
    "G333",
    "Enabling auto-close on a channel that is empty already closes the door at once.",
    False,
    (True,),
    "set_lobby_auto_close",
)
CHANNEL_EMPTY = assumption(
    "lobby.empty",
    "G334",
    "A channel is empty when nobody is in it nor in its active breakout rooms, or when nobody is in itself.",
    "with-rooms",
    ("channel",),
    "set_lobby_auto_close",
)

# attendees.*
ATTENDEES_LOCKED = assumption(
    "attendees.locked",
    "G336",
    "Whom the attendee lock mutes: all who are no hosts, also those who come later, or only those who do not present.",
    "all-but-hosts",
    ("all-but-presenters",),
    "set_attendees_state",
)

# presenters.*
ZERO_PRESENTERS = assumption(
    "presenters.zero",
    "G338",
    "A presenters limit of 0: nobody may present, there is no limit, or it is refused. A negative one is refused.",
    "nobody",
    ("unlimited", "refuse"),
    "set_presenters_limit",
)

LOWERED_LIMIT = assumption(
    "presenters.lowered-limit",
    "G339",
    "Presenters beyond a presenters limit that is set or lowered: all stay presenters; or those who joined last lose "
    "the status, as many as are too many. Leaving the channel ends it in any case.",
    "stay",
    ("revoked",),
    "set_presenters_limit",
)

# populations.*
POPULATION_SHAPE = assumption(
    "populations.shape",
    "G341",
    "The populations are an object from uuid to number, a list of objects, a page of them, or a list of numbers.",
    "map",
    ("list", "page", "numbers"),
    "get_populations",
)
POPULATION_IDLE = assumption(
    "populations.idle", "G342", "Channels without a live session: left out, or 0.", "omit", ("zero",), "get_populations"
)
POPULATION_UNKNOWN = assumption(
    "populations.unknown",
    "G343",
    "Well-formed uuids of channels that are not there: left out, or refused.",
    "omit",
    ("refuse",),
    "get_populations",
    refuses={"NOT_FOUND": ("refuse",)},
)
POPULATION_ACCESS = assumption(
    "populations.access",
    "G344",
    "Channels of the client without access for the caller: left out, or shown. Those of other clients are not there.",
    "omit",
    ("show",),
    "get_populations",
)
POPULATION_MOST = assumption(
    "populations.too-many",
    "G345",
    "More than 200 entries, malformed ones included: refused, or the first 200 are used.",
    "refuse",
    ("first",),
    "get_populations",
    refuses={"TOO_MANY_CHANNELS": ("refuse",)},
)
POPULATION_COUNTS = assumption(
    "populations.counts",
    "G346 G328",
    "Who counts as connected: those inside, each where they are; breakout rooms counted for the event room as well; or "
    "users waiting in the lobby too.",
    "inside",
    ("with-rooms", "with-waiting"),
    "get_populations",
)

# active.*
ACTIVE_SEEN = assumption(
    "active.seen",
    "G351",
    "Active channels that a caller sees beside the owned ones: those with access, or all of the client. Active ones "
    "come first, then owned ones, each by name.",
    "access",
    ("all",),
    "list_active_channels",
)
ACTIVE_WHEN = assumption(
    "active.when",
    "G352",
    "A channel is active while it has a session that has started and not ended, or while somebody is connected.",
    "session",
    ("connected",),
    "list_active_channels",
)
ACTIVE_ROOMS = assumption(
    "active.rooms",
    "G325",
    "Whether channels of breakout rooms are among the active channels.",
    False,
    (True,),
    "list_active_channels",
)
ACTIVE_PARTICIPANTS = assumption(
    "active.participants",
    "G353",
    "participants of an active channel: an object {total, users}, or the number alone.",
    "object",
    ("number",),
    "list_active_channels",
)
