"""How confsim writes files: as a whole, so that none is half written, and in private where it has secrets."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from confsim.kernel.refusal import Misuse

#: Who may read and write a file with secrets, and who may look into a directory of such files: its owner only.
_PRIVATE, _PRIVATE_DIRECTORY = 0o600, 0o700
#: Like every new file, one without secrets is for those that the umask of the process lets.
_SHARED = 0o666
#: The directories whose links lead to the open files of a process, such as /dev/stdout, which may be a regular file.
_SYSTEM = (("dev",), ("proc",))
_NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0)
#: A file is created by whoever opens it so: an existing one is an error, and a symbolic link is not followed.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOT_FOLLOWED | getattr(os, "O_BINARY", 0)


def replace_file(path: str | Path, what: str, pieces: Iterable[bytes], *, private: bool = False) -> None:
    """Write a file: a new one takes the place of an old one, or of a symbolic link, once it is complete.

    A ``private`` file is readable for its owner only, whatever the umask. A device, a pipe or ``/dev/stdout`` is
    written to. Raises Misuse, which begins with ``what`` and the path, and then an existing file is as it was.
    """
    place = Path(path)
    aside = place.with_name(f".{place.name[:200]}.{secrets.token_hex(4)}")
    try:
        if _is_special(place):
            with open(place, "ab") as file:
                file.writelines(pieces)
            return
        with os.fdopen(os.open(aside, _NEW, _PRIVATE if private else _SHARED), "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, place)
    except OSError as error:
        raise Misuse(f"{what} {str(path)!r}: {error.strerror or error}") from None
    finally:
        aside.unlink(missing_ok=True)


def check_place(path: str | Path, what: str) -> None:
    """Raise Misuse that begins with ``what`` and the path when a file cannot be written there."""
    place = Path(path)
    folder = place.resolve().parent
    if place.is_dir():
        raise Misuse(f"{what} {str(path)!r}: it is a directory")
    if not folder.is_dir():
        raise Misuse(f"{what} {str(path)!r}: there is no directory {str(folder)!r}")
    if not os.access(place if _is_special(place) else place.parent, os.W_OK):
        raise Misuse(f"{what} {str(path)!r}: nothing may be written there")


def remove_outdated(path: str | Path, what: str) -> None:
    """Remove the file of an earlier run, which nobody is to take for that of a run that ends without one.

    A device, a pipe or ``/dev/stdout`` stays. Raises Misuse when it cannot be written there, as ``check_place`` does.
    """
    check_place(path, what)
    place = Path(path)
    if place.is_file() and not _is_special(place):
        place.unlink()


def private_directory(path: Path, files: Collection[str]) -> None:
    """Create a directory for ``files``, which have secrets, or take from others what they may do to an existing one.

    A directory that also has other files keeps its permissions. Raises Misuse for a file that is a symbolic link, which
    could lead to a file of somebody else, OSError when it cannot be created.
    """
    path.mkdir(_PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    found = {each.name for each in path.iterdir()}
    for name in found & set(files):
        if (path / name).is_symlink():
            raise Misuse(f"{name} is a symbolic link, which is not followed; name the directory of the file itself")
        _restrict(path / name, _PRIVATE)
    if found <= set(files):
        _restrict(path, _PRIVATE_DIRECTORY)


def open_private(path: str, flags: int) -> int:
    """Open a file that is created for its owner only, as ``opener`` of ``open``; a symbolic link is an error."""
    return os.open(path, flags | _NOT_FOLLOWED, _PRIVATE)


def _is_special(place: Path) -> bool:
    """Return whether a file is written to where it is: a device, a pipe, or what leads to an open file of a process."""
    is_of_process = place.is_symlink() and place.absolute().parts[1:2] in _SYSTEM
    return place.exists() and (is_of_process or not place.is_file())


def _restrict(path: Path, mode: int) -> None:
    """Take from a file or a directory the permissions beyond a mode, if it is ours."""
    now = stat.S_IMODE(path.stat().st_mode)
    if now & ~mode:
        with suppress(PermissionError):
            path.chmod(now & mode)
