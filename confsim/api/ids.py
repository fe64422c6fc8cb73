"""Ids on the wire without a path resolver, each with the kind of record that it names.

Journeys bundle ids by these kinds; the resolvers of ``paths`` use the same ones.
"""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Long, Names

ApiTokenId = Annotated[str, Names("api_tokens")]
AssetId = Annotated[str, Names("assets")]
AssetToken = Annotated[str, Names("asset_tokens")]
BreakoutRoomId = Annotated[str, Names("breakout_rooms")]
BreakoutSessionId = Annotated[str, Names("breakout_sessions")]
BroadcastId = Annotated[str, Names("broadcasts")]
ChannelId = Annotated[str, Names("channels")]
ClientId = Annotated[str, Names("clients")]
Code = Annotated[str, Names("codes")]
DestinationId = Annotated[str, Names("destinations")]
EndpointId = Annotated[str, Names("endpoints")]
MediaId = Annotated[str, Names("media")]
RecordingId = Annotated[str, Names("recordings")]
Reservation = Annotated[str, Names("reservations")]
SessionId = Annotated[str, Names("sessions")]
SourceId = Annotated[str, Names("sources")]
UserId = Annotated[Long, Names("users")]
UserIds = Annotated[list[int], Names("users")]
ValidatorId = Annotated[str, Names("validators")]
