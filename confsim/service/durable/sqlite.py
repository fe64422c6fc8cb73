"""A store in SQLite, the state directory of a server: a log whose records are chained by digests.

A directory holds ``confsim.sqlite``. It has the base (the state of each world at one moment), the log of changes since
then, and the documents that both name by digest, large ones in parts. The log begins with a mark of the base's moment,
so that a new base can be written while the log grows. ``head`` has number and digest of the last record; it is written
after the record and before the answer, because SQLite silently drops the torn end of its write-ahead log, which the
head reveals.

"On disk" means handed to the operating system: the threat is kill -9 of the process, for which no fsync is needed. So
the log is in WAL mode with synchronous=OFF, and a record costs one write of 10 us; NORMAL, which only syncs checkpoints
of the WAL, costs 25. A power cut may tear the file, which digests and head detect. The file is locked while the process
lives, and a second process is refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from threading import RLock
from typing import Any

from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Part
from confsim.service.files.formats import FORMAT, readable
from confsim.service.files.writing import open_private, private_directory
from confsim.version import __version__

from .store import DIGEST_SIZE, LogRecord

#: Errors of the operating system, independent of the content of the file.
_NO_DAMAGE = {
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
#: The application id of our files.
_MARK = 0x636F6E66
#: The files of a directory.
_FILES = ("confsim.sqlite", "confsim.sqlite-wal", "confsim.sqlite-shm", "head")
#: Documents too large to be in memory at once, beside ``documents``.
_PARTS = (
    "CREATE TABLE IF NOT EXISTS parts (digest TEXT NOT NULL, part INTEGER NOT NULL, name TEXT NOT NULL,"
    " client TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (digest, part))"
)
#: A log record that marks a place; its body is the digest before it.
_PLACE = "mark"
#: Pages that the database moves from its write-ahead log at once, which delays the writer.
_PAGES = 200
#: Rows of the log, or parts of documents, that are removed at once.
_FEW = 200
_FEW_PARTS = 2
_SCHEMA = (
    "CREATE TABLE base (number INTEGER NOT NULL, before BLOB NOT NULL, digest BLOB NOT NULL, version TEXT NOT NULL)",
    "CREATE TABLE worlds (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE documents (digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE log (number INTEGER PRIMARY KEY, world TEXT NOT NULL, at INTEGER NOT NULL, what TEXT NOT NULL,"
    " body BLOB NOT NULL, digest BLOB NOT NULL)",
    _PARTS,
    f"PRAGMA application_id = {_MARK}",
    f"PRAGMA user_version = {FORMAT}",
)


#: A document: whole, or its parts.
_DOCUMENT = (
    "SELECT '', '', body, 0 AS part FROM documents WHERE digest = :digest UNION ALL"
    " SELECT name, client, body, part FROM parts"
    " WHERE digest = :digest AND NOT EXISTS (SELECT 1 FROM documents WHERE digest = :digest) ORDER BY part"
)


class SqliteStore:
    """A state directory, opened and locked. Raises Misuse when it is in use, of another format, or damaged.

    ``version`` is that of the confsim that wrote it and ``format`` that of its log; ``outdated`` says whether either
    differs from this confsim's; ``size`` is the bytes recorded since the base.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.lock = RLock()
        self.size = 0
        self.format = FORMAT
        self._gone: set[str] = set()
        with ExitStack() as opened:
            try:
                self._make_private()
                self._store = opened.enter_context(closing(self._connect()))
                mode = "r+" if self._headed() else "w+"
                self._head = opened.enter_context(FileIO(self.path / "head", mode, opener=open_private))
                self._open()
            except sqlite3.Error as error:
                raise self._read_error(error) from None
            except (FileExistsError, NotADirectoryError):
                raise Misuse(f"{self}: it is a file, or below one; name a directory, which is made if needed") from None
            except OSError as error:
                raise Misuse(f"{self}: {error.strerror or error}") from None
            self._opened = opened.pop_all()

    def __str__(self) -> str:
        return f"state directory {str(self.path)!r}"

    def _make_private(self) -> None:
        """Make the directory and the database, which have tokens and keys, readable for their owner only."""
        try:
            private_directory(self.path, _FILES)
        except Misuse as misuse:
            raise Misuse(f"{self}: {misuse}") from None
        if not (self.path / _FILES[0]).exists():  # SQLite gives its other files the permissions of this one
            FileIO(self.path / _FILES[0], "a", opener=open_private).close()

    def _headed(self) -> bool:
        return (self.path / "head").exists()

    def _connect(self) -> sqlite3.Connection:
        file = self.path / _FILES[0]
        store = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            store.execute("PRAGMA locking_mode = EXCLUSIVE")
            store.execute("BEGIN EXCLUSIVE")
            store.execute("COMMIT")
            store.execute("PRAGMA journal_mode = WAL")
            store.execute("PRAGMA synchronous = OFF")
            store.execute(f"PRAGMA wal_autocheckpoint = {_PAGES}")
        except sqlite3.Error:
            store.close()
            raise
        return store

    def _open(self) -> None:
        """Initialise a new directory, or check that an existing one is readable."""
        (mark,), (format_,) = (self._row(f"PRAGMA {name}") for name in ("application_id", "user_version"))
        written = self._head.readall()
        if (mark, format_) == (0, 0) and not self._row("SELECT count(*) FROM sqlite_schema")[0]:
            if written:
                raise Misuse(
                    f"{self}: its records are gone: confsim.sqlite is empty, and head records {_described(written)}"
                )
            self._begin()
        elif mark != _MARK:
            raise Misuse(f"{self}: confsim.sqlite is no state of confsim")
        elif not readable(format_):
            raise Misuse(
                f"{self}: it is of format {format_}; confsim {__version__} reads formats up to {FORMAT}. "
                "Start with the confsim that wrote it, or with a new directory"
            )
        else:
            self.format = format_
        problem = self._row("PRAGMA quick_check(1)")[0]
        if problem != "ok":
            raise Misuse(f"{self}: confsim.sqlite is damaged: {problem}")
        bases = self._store.execute("SELECT number, before, digest, version FROM base").fetchall()
        if len(bases) != 1:
            raise Misuse(f"{self}: confsim.sqlite is damaged: it has {len(bases)} bases")
        self.number, self._before, self._digest, self.version = bases[0]
        self._bodies = dict(self._store.execute("SELECT name, body FROM worlds"))
        if self._digest != self._base(self.number, self._before, self.version):
            raise Misuse(f"{self}: the base is altered: it does not match its digest")
        self._written = written
        self._store.execute(_PARTS)

    def _begin(self) -> None:
        self.number, self._bodies = 0, {}
        self._store.execute("BEGIN")
        for statement in _SCHEMA:
            self._store.execute(statement)
        base = self._base(0, b"", __version__)
        self._store.execute("INSERT INTO base VALUES (0, ?, ?, ?)", (b"", base, __version__))
        self._store.execute("COMMIT")

    def _row(self, statement: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self._store.execute(statement).fetchone()
        return row

    @property
    def outdated(self) -> bool:
        """Whether it was written by another version of confsim or in another format."""
        return bool(self.version != __version__) or self.format != FORMAT

    # Reading

    def base(self) -> Mapping[str, bytes]:
        """Return the worlds of the base by name."""
        return self._bodies

    def document(self, digest: str) -> Iterator[Part]:
        """Yield the parts of a document by its digest; one stored whole is one part without a table. Misuse if missing.

        Raises Misuse after the last part if the document does not match its digest.
        """
        whole, found = blake2b(digest_size=DIGEST_SIZE), False
        try:
            for name, client, body, _ in self._store.execute(_DOCUMENT, {"digest": digest}):
                found = True
                if not (isinstance(body, bytes) and isinstance(name, str) and isinstance(client, str)):
                    break
                whole.update(body)
                yield name, client, body
        except sqlite3.Error as error:
            raise self._read_error(error) from None
        if whole.hexdigest() != digest:
            raise Misuse(f"{self}: document {digest} is {'altered' if found else 'gone'}")

    def records(self) -> Iterator[LogRecord]:
        """Yield the log since the base, oldest first; it must be read to its end before anything is recorded.

        Raises Misuse that names the first missing or altered record.
        """
        try:
            base: bytes | None = self._before  # the digest before the mark of the base, if there is one
            log = "SELECT number, world, at, what, body, digest FROM log WHERE number > ? ORDER BY number"
            for row in self._store.execute(log, (self.number,)):
                record = LogRecord(*row[:5])
                if record.number != self.number + 1:
                    raise Misuse(f"{self}: record {self.number + 1} is gone: {record.number} comes after {self.number}")
                marks = record.what == _PLACE
                before = record.body if marks and record.body == base else self._digest
                digest = self._chained(record)
                if digest != row[5] or (marks and record.body != before):
                    raise Misuse(f"{self}: record {record.number} is altered: it does not match its digest")
                self.number, self._before, self._digest, base = record.number, before, digest, None
                if not marks:
                    self.size += len(record.body)
                    yield record
        except sqlite3.Error as error:
            raise self._read_error(error) from None
        self._check_head()

    def _check_head(self) -> None:
        """Check that the head is that of the last record, or of the one before if the process died between them."""
        before = f"{self.number - 1:016} {self._before.hex()}\n".encode()
        if self._written not in {self._line(), before} and (self._written or self.number):
            raise Misuse(
                f"{self}: head records {_described(self._written)}, and the log ends with record {self.number}: "
                "confsim.sqlite or its -wal file is torn or was exchanged. To go on with what there is, write "
                f"{self._line().decode().strip()!r} to head"
            )
        self._write_head()

    # Writing

    def append(self, world: str, at: int, what: str, body: bytes, documents: Mapping[str, bytes]) -> None:
        """Record a change with the documents that it names; it is on disk when this returns. Raises Misuse (507)."""
        self._append(LogRecord(self.number + 1, world, at, what, body), documents)
        self.size += len(body) + sum(map(len, documents.values()))

    def _append(self, record: LogRecord, documents: Mapping[str, bytes]) -> None:
        digest = self._chained(record)
        row = (record.number, record.world, record.at, record.what, record.body, digest)
        try:
            if documents:
                self._store.execute("BEGIN")
                self._add_documents(documents)
            self._store.execute("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)", row)
            if documents:
                self._store.execute("COMMIT")
        except BaseException as error:
            self._undo()
            raise self._write_error(error) from error
        self._next(digest)

    def mark(self) -> None:
        """Mark the present place of the log as the moment of the next base. Raises Misuse (507)."""
        before = self._digest
        self._append(LogRecord(self.number + 1, "", 0, _PLACE, before), {})
        self._marked = self.number, before, self.size

    def add_parts(self, digest: str, first: int, parts: Sequence[Part]) -> None:
        """Add parts of a document that the next base will name; ``first`` is the index of the first of them."""
        rows = [(digest, place, *part) for place, part in enumerate(parts, first)]
        self._gone.discard(digest)
        try:
            self._store.execute("BEGIN")
            if first == 0:  # existing parts were left by a process that died before the document was complete
                self._store.execute("DELETE FROM parts WHERE digest = ?", (digest,))
            self._store.executemany("INSERT INTO parts VALUES (?, ?, ?, ?, ?)", rows)
            self._store.execute("COMMIT")
        except BaseException as error:
            self._undo()
            raise self._write_error(error) from error

    def checkpoint(self, worlds: Mapping[str, bytes], documents: Mapping[str, bytes], named: set[str]) -> None:
        """Replace the base by these worlds, by name, at the moment that was marked.

        The log after the mark continues. ``documents`` are new ones; ``named`` are those that the worlds or the rest of
        the log name; all others are removed. Raises Misuse (507).
        """
        number, digest_before, size = self._marked
        before, self._bodies = self._bodies, dict(worlds)
        base = self._base(number - 1, digest_before, __version__)
        self._store.execute("BEGIN")
        try:
            self._add_documents(documents)
            stored = {row[0] for row in self._store.execute("SELECT digest FROM documents")}
            self._store.executemany("DELETE FROM documents WHERE digest = ?", [(each,) for each in stored - named])
            gone = [(name,) for name in before if name not in worlds]
            self._store.executemany("DELETE FROM worlds WHERE name = ?", gone)
            news = [(name, body) for name, body in worlds.items() if before.get(name) != body]
            self._store.executemany("INSERT OR REPLACE INTO worlds VALUES (?, ?)", news)
            self._store.execute("DELETE FROM base")
            self._store.execute("INSERT INTO base VALUES (?, ?, ?, ?)", (number - 1, digest_before, base, __version__))
            self._store.execute(f"PRAGMA user_version = {FORMAT}")
            self._store.execute("COMMIT")
        except BaseException as error:
            self._bodies = before
            self._undo()
            raise self._write_error(error) from error
        self.version, self.format, self.size = __version__, FORMAT, self.size - size
        parts = self._store.execute("SELECT DISTINCT digest FROM parts")
        self._gone = {digest for (digest,) in parts if digest not in named}

    def trim(self) -> bool:
        """Remove some of the data that the last checkpoint made superfluous; return whether there is more."""
        first = self._marked[0]
        log = f"DELETE FROM log WHERE number IN (SELECT number FROM log WHERE number < ? LIMIT {_FEW})"
        try:
            if self._store.execute(log, (first,)).rowcount:
                return True
            few = f"SELECT part FROM parts WHERE digest = ? LIMIT {_FEW_PARTS}"
            gone = next(iter(self._gone), "")
            if not self._store.execute(
                f"DELETE FROM parts WHERE digest = ? AND part IN ({few})", (gone, gone)
            ).rowcount:
                self._gone.discard(gone)
        except sqlite3.Error as error:
            raise self._write_error(error) from error
        return bool(self._gone)

    def close(self) -> None:
        """Release the directory."""
        with self.lock:
            self._opened.close()

    def _undo(self) -> None:
        if self._store.in_transaction:
            self._store.execute("ROLLBACK")

    def _add_documents(self, documents: Mapping[str, bytes]) -> None:
        self._store.executemany("INSERT OR IGNORE INTO documents VALUES (?, ?)", documents.items())

    def _next(self, digest: bytes) -> None:
        self.number += 1
        self._before, self._digest = self._digest, digest
        self._write_head()

    def _line(self) -> bytes:
        return f"{self.number:016} {self._digest.hex()}\n".encode()

    def _write_head(self) -> None:
        self._head.seek(0)
        self._head.write(self._line())

    def _chained(self, record: LogRecord) -> bytes:
        if record.what == _PLACE:  # it represents all records before it, so that a base can replace them
            return blake2b(_bytes(record.body), digest_size=DIGEST_SIZE).digest()
        head = f"{record.number}\0{record.world}\0{record.at}\0{record.what}\0".encode()
        return blake2b(self._digest + head + _bytes(record.body), digest_size=DIGEST_SIZE).digest()

    def _base(self, number: int, before: bytes, version: str) -> bytes:
        whole = blake2b(f"{number}\0{before!r}\0{version}\0".encode(), digest_size=DIGEST_SIZE)
        for name, body in sorted(self._bodies.items()):
            whole.update(f"{name}\0".encode() + blake2b(_bytes(body), digest_size=DIGEST_SIZE).digest())
        return whole.digest()

    def _write_error(self, error: BaseException) -> BaseException:
        """Return the error for a change that could not be recorded: it is in force, and recorded with the next one."""
        if not isinstance(error, sqlite3.Error):
            return error
        return Misuse(f"{self} cannot be written: {error}. What was asked is not answered", 507, code="not_recorded")

    def _read_error(self, error: sqlite3.Error) -> Misuse:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # primary code of an extended error code
        if code == sqlite3.SQLITE_BUSY:
            return Misuse(f"{self} is in use by another process")
        if code in _NO_DAMAGE:
            return Misuse(
                f"{self}: confsim.sqlite cannot be read and written: {error}. Nothing says that it is damaged: look "
                "whether this user may write to the directory and to each file in it, and whether the disk is full"
            )
        return Misuse(f"{self}: confsim.sqlite is damaged, or is none: {error}")


def _bytes(body: object) -> bytes:
    """Return the bytes of a body to hash; a value of another type, in a damaged file, gets bytes that no body has."""
    return body if isinstance(body, bytes) else f"\0{body!r}".encode()


def _described(head: bytes) -> str:
    """Return the description of the last record according to a head, for a message."""
    number, _, _ = head.partition(b" ")
    return f"record {int(number)}" if number.isdigit() else "nothing that can be read"
