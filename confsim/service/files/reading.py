"""The one reader of files that people write. Of a bad one it says what is wrong with it, and what to do.

``os`` is imported in the functions: a test may have replaced it since this module was imported.
"""

from __future__ import annotations

import codecs
from pathlib import Path
from stat import S_ISBLK, S_ISCHR, S_ISDIR
from typing import Any

from confsim.kernel.refusal import Misuse

#: Most MiB of a file that people write by hand, and of one that confsim writes: a state, a bundle.
WRITTEN, STORED = 64, 2048
_MIB = 2**20
_BY_MARK = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32"} | {
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def content(path: str | Path, what: str, most: int = WRITTEN) -> bytes:
    """Return the content of a UTF-8 file of at most ``most`` MiB, without a byte order mark.

    Raises Misuse that begins with ``what`` and the path: for a file that is missing (404), a directory, a device, not
    readable, too large, or not UTF-8.
    """
    try:
        found = _bytes(path, most)
        return _without_mark(found)
    except FileNotFoundError:
        raise Misuse(f"{what} {str(path)!r}: no such file{_from_where(path)}", status=404) from None
    except PermissionError:
        problem = "it may not be read; change its permissions, or run confsim as a user who may"
    except OSError as error:
        problem = error.strerror or str(error)
    except _Wrong as wrong:
        problem = str(wrong)
    except ValueError:
        problem = "it is not a valid path"
    raise Misuse(f"{what} {str(path)!r}: {problem}")


class _Wrong(Exception):
    """Raised for a file that is not read."""


def _bytes(path: str | Path, most: int) -> bytes:
    import os

    found = os.stat(path)
    if S_ISDIR(found.st_mode):
        raise _Wrong("it is a directory; give the path of a file")
    if S_ISCHR(found.st_mode) or S_ISBLK(found.st_mode):
        raise _Wrong("it is a device; give the path of a file")
    pieces, length = [], found.st_size
    with open(path, "rb") as file:
        while length <= most * _MIB and (piece := file.read(max(found.st_size, _MIB) + 1)):  # a pipe has no size
            pieces.append(piece)
            length = sum(map(len, pieces))
    if length > most * _MIB:
        raise _Wrong(f"it is larger than {most} MiB, the most that is read; is it the right file?")
    return b"".join(pieces)


def _without_mark(found: bytes) -> bytes:
    """Return UTF-8 without a byte order mark. Raises _Wrong for another encoding."""
    encoding = next((name for mark, name in _BY_MARK.items() if found.startswith(mark)), "")
    if encoding or b"\0" in found[:4]:
        raise _Wrong(f"it is {encoding or 'UTF-16, UTF-32 or not a text'}, not UTF-8; save it as UTF-8")
    if not found.isascii():
        decoder, at = codecs.getincrementaldecoder("utf-8")(), 0
        try:
            for at in range(0, len(found), _MIB):
                decoder.decode(found[at : at + _MIB])
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            line = found.count(b"\n", 0, at + error.start) + 1
            byte = f"byte 0x{error.object[error.start]:02x} in line {line}"
            raise _Wrong(f"it is not UTF-8 ({byte}); save it as UTF-8") from None
    return found.removeprefix(codecs.BOM_UTF8)


def _from_where(path: str | Path) -> str:
    import os

    try:
        return "" if os.path.isabs(path) else f" in {os.getcwd()!r}"
    except OSError:
        return ""


def toml(path: str | Path, what: str) -> dict[str, Any]:
    """Return the content of a TOML file. Raises Misuse like ``content``, and for invalid TOML."""
    text = content(path, what).decode()
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        problem = TOO_DEEP
    except tomllib.TOMLDecodeError as error:
        problem = f"it is not valid TOML: {error}"
    except ValueError:  # of int, for thousands of digits
        problem = "it is not valid TOML: a number has too many digits"
    raise Misuse(f"{what} {str(path)!r}: {problem}")


TOO_DEEP = "it is nested too deeply"


def json(path: str | Path, what: str) -> Any:
    """Return the content of a JSON file. Raises Misuse like ``content``, and for invalid JSON."""
    found = content(path, what)
    import msgspec

    try:
        return msgspec.json.decode(found)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"{what} {str(path)!r}: it is not valid JSON: {json_problem(error)}") from None


def json_problem(error: ValueError | RecursionError) -> str:
    """Return what is wrong with a JSON document whose decoding raised an error."""
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if str(error) == "Input data was truncated":
        return "it ends too early: a value, a bracket or a brace is missing at its end"
    return str(error).removeprefix("JSON is malformed: ")
