"""A small client of the API, as a project has it that tests with confsim."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Room:
    """A channel."""

    id: str
    name: str
    mine: bool


class TooBusy(Exception):
    """The service did not answer in three attempts."""


class Rooms:
    """Makes and finds rooms."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def make(self, name: str) -> str:
        """Make a room, in up to three attempts; returns its id."""
        for _ in range(3):
            response = self.http.post("/channels/create", json={"name": name})
            if response.status_code != 503:
                response.raise_for_status()
                return str(response.json()["channelUuid"])
        raise TooBusy(name)

    def get(self, id: str) -> Room:
        """The room of this id."""
        response = self.http.get(f"/channels/{id}")
        response.raise_for_status()
        found: dict[str, Any] = response.json()
        return Room(id, found["name"], found["isOwner"])


async def names(http: httpx.AsyncClient, ids: list[str]) -> list[str]:
    """The names of rooms, asked for at the same time."""
    responses = await asyncio.gather(*(http.get(f"/channels/{id}") for id in ids))
    return [str(response.raise_for_status().json()["name"]) for response in responses]
