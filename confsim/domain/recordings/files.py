"""The files of recordings: small, valid, and the same for the same recording. Nothing was recorded in them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from struct import pack
from zlib import crc32

from . import mp4

#: How many seconds a file lasts, however long the recording was.
SECONDS = 2

#: Midnight of 1 January 1980, the first date that a ZIP archive can tell.
_DATE = 0x0021


@cache
def movie() -> bytes:
    """A video with sound, as MP4."""
    return mp4.movie(b"mp42", mp4.video(SECONDS), mp4.audio(SECONDS))


@cache
def sound() -> bytes:
    """Sound alone, as MP4."""
    return mp4.movie(b"M4A ", mp4.audio(SECONDS))


def captions(text: str) -> bytes:
    """One caption that stands for the whole file, as WebVTT."""
    return f"WEBVTT\n\n00:00:00.000 --> 00:00:{SECONDS:02}.000\n{text}\n".encode()


def archive(members: Iterable[tuple[str, bytes]]) -> bytes:
    """A ZIP archive of members by name, without compression."""
    body, directory, count = b"", b"", 0
    for name, data in members:
        count += 1
        label = name.encode()
        common = pack("<HHHHHIIIHH", 20, 0x800, 0, 0, _DATE, crc32(data), len(data), len(data), len(label), 0)
        directory += b"PK\1\2" + pack("<H", 20) + common + pack("<HHHII", 0, 0, 0, 0, len(body)) + label
        body += b"PK\3\4" + common + label + data
    end = b"PK\5\6" + pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end
