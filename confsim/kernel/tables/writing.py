"""The parts of a change that a table writes to."""

from typing import Any, Protocol, TypeAlias

from ..maps import Map
from ..timers import Name, Timer
from .indexes import Lookup
from .states import TableState

#: A record that was written: its client, "" for a shared one, the name of its table, and its key.
Written: TypeAlias = "tuple[str, str, Any]"


class StaleRecord(LookupError):
    """Raised for a write by a record that is no longer the stored one: it would undo what was written since."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name}: this is not the record that is stored now; read it again")


class Writer(Protocol):
    """The parts of a change by which records are written: the opened tables of clients, and notes of what was written.

    ``owners`` has, by the name of a table, the map from the value by which a record is located to its client.
    """

    tables: dict[str, list[TableState]]
    written: dict[str, None]
    touched: list[Written]
    owners: Map[str, Lookup]

    def take(self, steps: int) -> None:
        """Take so many steps. Raises TooLong when they are more than it may."""
        ...

    def open_tables(self, client: str) -> list[TableState]:
        """Return the tables of one client, or the shared ones for "", as a list that the change writes to."""
        ...

    def set_timer(self, name: Name, timer: Timer | None) -> None:
        """Set the timer of this name, or cancel it with None."""
        ...
