"""Values on the wire that name things, each with the kind of thing: in parameters, bodies and answers.

Journeys bundle ids by these kinds, and what compares a service with a model matches them; the resolvers of ``paths``
use the same ones.
"""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Long, Names

ApiTokenId = Annotated[str, Names("api_tokens"), "The API token, by id."]
AppSessionId = Annotated[str, Names("app_sessions"), "The app session, by id."]
AssetId = Annotated[str, Names("assets"), "The asset, by id."]
AssetToken = Annotated[str, Names("asset_tokens", secret=True), "The token that opens the assets of a recording."]
BreakoutId = Annotated[str, Names("breakout_sessions"), "The breakout session, by id."]
BroadcastId = Annotated[str, Names("broadcasts"), "The broadcast, by id."]
ChannelId = Annotated[str, Names("channels"), "The channel, by uuid."]
ChannelIds = Annotated[str, Names("channels", several=True), "The uuids of channels."]
ClientId = Annotated[str, Names("clients"), "The client, by id."]
Code = Annotated[str, Names("codes", secret=True), "The code."]
DestinationId = Annotated[str, Names("destinations"), "The destination, by id."]
DialCode = Annotated[str, Names("dial_codes"), "The code that callers key in."]
EndpointId = Annotated[str, Names("endpoints"), "The events endpoint, by id."]
GroupKey = Annotated[str, Names("session_groups"), "The group of sessions, by its key."]
MediaId = Annotated[str, Names("media"), "The media asset, by id."]
MeetingCode = Annotated[str, Names("meeting_ids"), "The channel, by its meeting id."]
RecordingId = Annotated[str, Names("recordings"), "The recording, by id."]
Reservation = Annotated[str, Names("reservations", secret=True), "The reservation of a handle, by its token."]
RoomId = Annotated[str, Names("breakout_rooms"), "The breakout room, by id."]
Secret = Annotated[str, Names("secrets", secret=True), "The secret."]
SessionId = Annotated[str, Names("sessions"), "The session, by id."]
SourceId = Annotated[str, Names("sources"), "The gateway endpoint, by id."]
TemplateId = Annotated[str, Names("templates"), "The template, by id."]
Token = Annotated[str, Names("tokens", secret=True), "The token."]
UrlName = Annotated[str, Names("url_names"), "The channel, by the word of its direct link."]
UserId = Annotated[Long, Names("users"), "The user, by number."]
