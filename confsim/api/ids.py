"""Ids on the wire without a path resolver, each with the kind of record that it names.

Journeys bundle ids by these kinds; the resolvers of ``paths`` use the same ones.
"""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Long, Names

AssetId = Annotated[str, Names("assets"), "The asset, by id."]
AssetToken = Annotated[str, Names("asset_tokens"), "The token that opens the assets of a recording."]
ChannelId = Annotated[str, Names("channels"), "The channel, by uuid."]
Code = Annotated[str, Names("codes"), "The code."]
SessionId = Annotated[str, Names("sessions"), "The session, by id."]
UserId = Annotated[Long, Names("users"), "The user, by number."]
MediaId = Annotated[str, Names("media"), "The media asset, by id."]
ClientId = Annotated[str, Names("clients"), "The client, by id."]
