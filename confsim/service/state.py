"""Worlds as state documents: the JSON of ``GET /_confsim/state``, in files too."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from confsim.api.call import API
from confsim.kernel.document import restored
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World

#: The version of the state document.
VERSION = 1


def document(world: World) -> bytes:
    """The whole world as one JSON document; the same world gives the same bytes."""
    return msgspec.json.encode({"version": VERSION, **world.export()}, order="deterministic")


def world_of(values: object) -> World:
    """The world of a state document. Misuse that names the place of the first thing in it that cannot be."""
    if not isinstance(values, dict):
        raise Misuse("state: the document is no JSON object")
    API.operations  # noqa: B018  (their modules declare the tables)
    rest = dict(values)
    version = rest.pop("version", None)
    if version != VERSION:
        raise Misuse(f"state: the document is of version {version!r}; this confsim reads version {VERSION}")
    return restored(rest)


def read(path: str | Path) -> World:
    """The world of a state file. Misuse that names the file, and the place in it."""
    try:
        return world_of(msgspec.json.decode(Path(path).read_bytes()))
    except OSError as error:
        raise Misuse(f"state file {str(path)!r}: {error.strerror or error}") from None
    except msgspec.DecodeError as error:
        raise Misuse(f"state file {str(path)!r}: it is no JSON: {error}") from None
    except Misuse as misuse:
        raise Misuse(f"state file {str(path)!r}: {misuse}") from None


def write(path: str | Path, world: World) -> None:
    """Write a state file: aside first, then put in its place, so that there is never half of one. Misuse."""
    whole = Path(path)
    aside = whole.with_name(f".{whole.name}.{os.getpid()}")
    try:
        with open(aside, "wb") as file:
            file.write(document(world))
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, whole)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise Misuse(f"state file {str(path)!r}: {error.strerror or error}") from None


def check_place(path: str | Path) -> None:
    """Misuse when a state file could not be written there."""
    folder = Path(path).resolve().parent
    if Path(path).is_dir():
        raise Misuse(f"state file {str(path)!r}: it is a directory")
    if not folder.is_dir():
        raise Misuse(f"state file {str(path)!r}: there is no directory {str(folder)!r}")
    if not os.access(folder, os.W_OK):
        raise Misuse(f"state file {str(path)!r}: nothing may be written to {str(folder)!r}")
