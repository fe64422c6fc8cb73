"""Ids on the wire without a path resolver, each with the kind of record that it names.

Journeys bundle ids by these kinds; the resolvers of ``paths`` use the same ones.
"""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Long, Names

AssetId = Annotated[str, Names("assets")]
AssetToken = Annotated[str, Names("asset_tokens")]
ChannelId = Annotated[str, Names("channels")]
Code = Annotated[str, Names("codes")]
SessionId = Annotated[str, Names("sessions")]
UserId = Annotated[Long, Names("users")]
