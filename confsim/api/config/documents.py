"""Configuration of clients, templates and channels, and the legacy settings (P2 Configuration and templates)."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from confsim.api.call import API, Call
from confsim.assumptions import ask, config as assumed, in_force, note_shown
from confsim.assumptions.protocol import initial
from confsim.assumptions.protocol.transport import LANGUAGE
from confsim.contract import AlwaysOmitted, Int, Json, Long, Pattern, Samples, Source, Switch, Wire, Word, gates
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Default
from confsim.domain.config import documents, effective, templates
from confsim.domain.config.documents import LIGHT
from confsim.domain.config.effective import ConfigQuery
from confsim.domain.config.templates import VisibleTemplate
from confsim.domain.conventions import turn
from confsim.domain.media import media

operation = API.family(line="P2 Configuration and templates")


def _contexts(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the contexts of a configuration are where they have to be objects of categories (G391)."""
    if in_force(profile, assumed.STRUCTURE) != "contexts":
        return {}
    category = {"type": ["object", "null"]}
    return {"additionalProperties": {**category, "additionalProperties": category}}


Context = Annotated[Word, "The application of the configuration, such as the conference UI."]
Categories = Annotated[list[Word], "The categories to read."]
Language = Annotated[Word, "The language of texts."]
Theme = Annotated[Word, "The theme, such as light."]
#: A document of configuration, or what is to change in one.
ConfigValues = Annotated[
    dict[str, Json],
    Pattern(_contexts),
    Samples(
        {"theme": {"colour": "blue", "size": 1}},
        {"theme": {"colour": "red"}, "limits": {"users": 5}},
        {"limits": {"users": None}},
        {"customTexts": {"hello": "Hello"}},
        {},
    ),
]


class ClientSettings(Wire):
    """Legacy settings of a client: all but the first and friendlyURLs are the defaults of new channels."""

    uniqueUsersHandle: Annotated[bool, "Whether handles of users must be unique."]
    speech2text: Annotated[bool, "Whether new channels have speech to text."]
    dialOut: Annotated[bool, "Whether new channels can call phones."]
    friendlyURLs: Annotated[bool, "Whether friendly URLs are enabled."]
    midi: Annotated[bool, "Whether new channels have midi."]
    dialIn: Annotated[bool, "Whether phones can call new channels."]


class ChannelSettings(Wire, kw_only=True):
    """Legacy settings of a channel. ``mediaPoolSize`` in bytes; a limit is left out where there is none."""

    speech2text: Annotated[bool, "Whether speech is turned into text."]
    muteAttendees: Annotated[bool, "Whether attendees are muted and cannot unmute."]
    broadcastEnabled: Annotated[bool, "Whether live streaming is enabled."]
    autoClose: Annotated[bool, "Whether the lobby door closes when the channel becomes empty."]
    eventRoom: Annotated[bool, "Whether it can have breakout sessions."]
    open: Annotated[bool, "Whether the doors of the lobby are open."]
    publicPIN: Annotated[bool, "Whether users who are no hosts see the PINs."]
    dialOut: Annotated[bool, "Whether the channel can call phones."]
    dialIn: Annotated[bool, "Whether phones can call the channel."]
    presentersLimit: Annotated[Int | None, "The number of users who can share video; absent without a limit."] = None
    populationLimit: Annotated[
        Int | None, AlwaysOmitted(), "The number of users it has room for; absent without a limit."
    ] = None
    mediaPoolSize: Annotated[Long, "The size of its media pool, in bytes."]
    midi: Annotated[bool, "Whether midi is on."]
    offAir: Annotated[bool, "Whether listeners of a panel get no content."]
    disableWall: Annotated[bool, "Whether wall messages are disabled."]


def _reading(
    call: Call, context: str | None, categories: list[str] | None, language: str | None, theme: str
) -> ConfigQuery:
    user = call.maybe_user
    if language is None and ask(call.change, LANGUAGE) == "configuration":
        language = re.split("[,;]", call.headers.get("accept-language", ""))[0].strip() or None
    return ConfigQuery(theme, language, context, categories, user.languages if user is not None else ())


@operation("GET /config", gate=gates.SIGNED_IN.assumed("G405"), rules="R338 R441 R442 R443 R444", gaps="G395 G397")
def get_config(
    call: Call,
    *,
    context: Context | None = None,
    categories: Categories | None = None,
    language: Language | None = None,
    theme: Theme = LIGHT,
) -> dict[str, Json]:
    """Get the configuration of the client, merged over the service's own.

    ``context`` and the comma separated ``categories`` narrow it down; texts come in the language asked for.
    """
    return effective.of_client(call.change, call.client, _reading(call, context, categories, language, theme))


@operation(
    "POST /config", gate=gates.ADMIN.assumed("G405"), rules="R436 R437 R443 R444 R445", gaps="G392 G394 G402 G403"
)
def set_config(call: Call, body: ConfigValues, *, language: Language | None = None, theme: Theme = LIGHT) -> None:
    """Update the configuration of the client: keys given are set, null removes a key.

    ``language`` is needed when texts are updated; 400 without it.
    """
    documents.update(call.change, call.client.id, call.client.id, body, theme, language)


@operation(
    "GET /channels/{uuid}/config",
    gate=gates.ACCESS.assumed("G405"),
    rules="R338 R436 R437 R438 R439 R444 R446",
    gaps="G393 G396",
)
def get_channel_config(
    call: Call,
    channel: Channel,
    *,
    context: Context | None = None,
    categories: Categories | None = None,
    language: Language | None = None,
    theme: Theme = LIGHT,
) -> dict[str, Json]:
    """Get the effective configuration of a channel: the service's, the client's, the template's and its own.

    The more specific level wins, key by key.
    """
    reading = _reading(call, context, categories, language, theme)
    return effective.of_channel(call.change, call.client, channel, reading)


@operation(
    "POST /channels/{uuid}/config",
    gate=gates.OPERATOR.assumed("G405"),
    rules="R436 R437 R444 R445 R446",
    gaps="G392 G394 G402 G403",
)
def set_channel_config(
    call: Call, channel: Channel, body: ConfigValues, *, language: Language | None = None, theme: Theme = LIGHT
) -> None:
    """Update the configuration of the channel itself; broader levels stay as they are."""
    documents.update(call.change, call.client.id, channel.id, body, theme, language)


@operation(
    "GET /templates/{templateId}/config", gate=gates.SIGNED_IN.assumed("G405"), rules="R338 R444 R447", gaps="G395 G408"
)
def get_template_config(
    call: Call,
    template: VisibleTemplate,
    *,
    context: Context | None = None,
    categories: Categories | None = None,
    language: Language | None = None,
    theme: Theme = LIGHT,
) -> dict[str, Json]:
    """Get the configuration of a template, the client's own or an inherited one."""
    reading = _reading(call, context, categories, language, theme)
    return effective.of_template(call.change, call.client, template, reading)


@operation(
    "POST /templates/{templateId}/config",
    gate=gates.ADMIN.assumed("G405"),
    rules="R438 R439 R444 R445 R447",
    gaps="G392 G394 G402 G403 G408 G411",
)
def set_template_config(
    call: Call,
    template: VisibleTemplate,
    body: ConfigValues,
    *,
    language: Language | None = None,
    theme: Theme = LIGHT,
) -> None:
    """Update the configuration of a template of the client; it shows at once in every channel that uses it.

    403 for an inherited template.
    """
    documents.update(call.change, call.client.id, templates.require_own(template).id, body, theme, language)


@operation("GET /settings", gate=gates.SIGNED_IN.assumed("G415"), rules="R088 R314 R315 R452", gaps="G297")
def get_client_settings(call: Call) -> ClientSettings:
    """Get the legacy settings of the client."""
    client = call.client
    note_shown(call.change, client, *initial.CLIENT_SETTINGS)
    return ClientSettings(
        uniqueUsersHandle=client.unique_handles,
        speech2text=client.speech2text,
        dialOut=client.dial_out,
        friendlyURLs=client.friendly_urls,
        midi=client.midi,
        dialIn=client.dial_in,
    )


_CHANNEL_SETTINGS = (
    *("speech2text", "attendees_muted", "broadcast_enabled", "auto_close", "event_room", "open", "public_pin"),
    *("dial_out", "dial_in", "midi", "off_air", "wall_disabled"),
)


@operation(
    "GET /channels/{uuid}/settings",
    gate=gates.ACCESS.assumed("G415"),
    rules="R263 R265 R266 R273 R315 R316 R317 R318 R319 R453",
    gaps="G301 G315 G316 G513 G526",
)
def get_channel_settings(call: Call, channel: Channel) -> ChannelSettings:
    """Get the legacy settings of a channel."""
    note_shown(call.change, channel, *_CHANNEL_SETTINGS)
    return ChannelSettings(
        speech2text=channel.speech2text,
        muteAttendees=channel.attendees_muted,
        broadcastEnabled=channel.broadcast_enabled,
        autoClose=channel.auto_close,
        eventRoom=channel.event_room,
        open=channel.open,
        publicPIN=channel.public_pin,
        dialOut=channel.dial_out,
        dialIn=channel.dial_in,
        presentersLimit=channel.presenters_limit,
        populationLimit=channel.population_limit,
        mediaPoolSize=media.pool_size(call.change, media.of_channel(channel)),
        midi=channel.midi,
        offAir=channel.off_air,
        disableWall=channel.wall_disabled,
    )


@operation(
    "POST /settings/speech2text/{state}",
    gate=gates.ADMIN.assumed("G587"),
    rules="R315 R316",
    source=Source.NAME_ONLY,
    gaps="G297 G587",
    line="P2 L354",
)
def set_client_speech2text_state(call: Call, state: Switch) -> None:
    """Enable or disable speech to text for new channels of the client; existing channels are unchanged."""
    turn(call.change, clients.DEFAULTS[Default.SPEECH2TEXT].to(state), call.client, state=state)
