"""How files are written: as a whole, in private where they have secrets, and not through symbolic links."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import contextmanager

import pytest

from confsim import Misuse, Simulator
from confsim.service.files.writing import private_directory, remove_outdated, replace_file

STATE_FILES = ("confsim.sqlite", "head")


@contextmanager
def umask(mask):
    """In the block, this process creates files under this umask."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode_of(path):
    """The permissions of a file or directory."""
    return stat.S_IMODE(path.stat().st_mode)


def broken():
    """The pieces of a file that cannot be made to its end."""
    yield b"half"
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("mask", [0, 0o022, 0o077])
def test_a_private_file_is_for_its_owner_whatever_the_umask(tmp_path, mask):
    """A file without secrets is for those that the umask lets; a wider old file does not pass its permissions on."""
    (tmp_path / "private").write_bytes(b"old")
    (tmp_path / "private").chmod(0o666)
    with umask(mask):
        replace_file(tmp_path / "private", "x", [b"new"], private=True)
        replace_file(tmp_path / "shared", "x", [b"new"])
        Simulator().save(tmp_path / "state.json")
    assert mode_of(tmp_path / "private") == mode_of(tmp_path / "state.json") == 0o600
    assert mode_of(tmp_path / "shared") == 0o666 & ~mask


def test_a_symbolic_link_is_replaced_and_not_followed(tmp_path):
    """The file of somebody else that a link leads to stays as it is."""
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    replace_file(tmp_path / "link", "x", [b"ours"])
    assert (tmp_path / "theirs").read_bytes() == b"theirs"
    assert (tmp_path / "link").read_bytes() == b"ours"
    assert not (tmp_path / "link").is_symlink()


def test_a_file_that_cannot_be_completed_leaves_the_old_one(tmp_path):
    """There is one message with the file's name, and nothing is left beside it."""
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(Misuse, match=r"^report '.*/file': No space left on device$"):
        replace_file(tmp_path / "file", "report", broken())
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"old")]
    with pytest.raises(Misuse, match=r"^report '.*/none/file': No such file or directory$"):
        replace_file(tmp_path / "none" / "file", "report", [b""])


def test_a_pipe_is_written_to(tmp_path):
    """A device or a pipe cannot be replaced, as with --report /dev/stdout, and stays at the start of a run."""
    os.mkfifo(tmp_path / "pipe")
    remove_outdated(tmp_path / "pipe", "x")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    replace_file(tmp_path / "pipe", "x", [b"a", b"b"])
    reader.join(30)
    assert read == [b"ab"]


@pytest.mark.skipif(not os.path.islink("/dev/stdout"), reason="the open files of a process are not links here")
def test_an_open_file_of_the_process_is_written_to(tmp_path):
    """As /dev/stdout in a shell that redirects it to a file: the link of the system stays, and what was printed."""
    with open(tmp_path / "out", "wb") as file:
        file.write(b"printed\n")
        file.flush()
        place = f"/dev/fd/{file.fileno()}"
        remove_outdated(place, "x")
        replace_file(place, "x", [b"a", b"b"])
    assert (tmp_path / "out").read_bytes() == b"printed\nab"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_the_file_of_an_earlier_run_is_removed(tmp_path):
    """It cannot be taken for that of the present run; a place where nothing can be written is reported."""
    (tmp_path / "file").write_bytes(b"old")
    remove_outdated(tmp_path / "file", "x")
    remove_outdated(tmp_path / "file", "x")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Misuse, match=r"x '.*': it is a directory"):
        remove_outdated(tmp_path, "x")
    with pytest.raises(Misuse, match="there is no directory"):
        remove_outdated(tmp_path / "none" / "file", "x")


@pytest.mark.parametrize("mask", [0, 0o022])
def test_a_state_directory_is_for_its_owner_whatever_the_umask(tmp_path, mask):
    """So are its files, SQLite's own included, and a directory and files that were open to others."""
    with umask(mask):
        with Simulator().keep_in(tmp_path / "a" / "new"):
            assert {mode_of(each) for each in (tmp_path / "a" / "new").iterdir()} == {0o600}
            assert len(list((tmp_path / "a" / "new").iterdir())) > len(STATE_FILES)
        assert mode_of(tmp_path / "a" / "new") == 0o700
        (tmp_path / "a" / "new").chmod(0o755)
        for name in STATE_FILES:
            (tmp_path / "a" / "new" / name).chmod(0o644)
        with Simulator().keep_in(tmp_path / "a" / "new"):
            assert {mode_of(each) for each in (tmp_path / "a" / "new").iterdir()} == {0o600}
        assert mode_of(tmp_path / "a" / "new") == 0o700


def test_a_directory_with_other_files_keeps_its_permissions(tmp_path):
    """Such as the working directory; the files with secrets are private in it all the same."""
    tmp_path.chmod(0o755)
    (tmp_path / "README").write_text("x")
    (tmp_path / "head").write_text("x")
    (tmp_path / "head").chmod(0o664)
    private_directory(tmp_path, STATE_FILES)
    assert (mode_of(tmp_path), mode_of(tmp_path / "head")) == (0o755, 0o600)


@pytest.mark.parametrize("name", ["confsim.sqlite", "confsim.sqlite-wal", "head"])
def test_a_symbolic_link_in_a_state_directory_is_refused(tmp_path, name):
    """Before anything is read or written; also one that leads nowhere."""
    directory, elsewhere = tmp_path / "state", tmp_path / "elsewhere"
    directory.mkdir()
    (directory / name).symlink_to(elsewhere)
    for content in (None, b"theirs"):
        if content is not None:
            elsewhere.write_bytes(content)
        with pytest.raises(Misuse, match=f"state directory '.*': {name} is a symbolic link"):
            Simulator().keep_in(directory)
        assert (elsewhere.read_bytes() if elsewhere.exists() else None) == content
        assert [each.name for each in directory.iterdir()] == [name]
