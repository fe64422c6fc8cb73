"""The states of a live connection and of the request that it reads, and the events that change them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, auto


class Doing(IntEnum):
    """What a connection does."""

    ANSWERING = auto()  # requests as they come
    WAITING = auto()  # for a response that comes later; requests wait behind it
    HALF_CLOSED = auto()  # as WAITING, and the client sends nothing more
    FINISHING = auto()  # the client sends nothing more; what it has sent is answered
    LEAVING = auto()  # the last response is sent; input is discarded


class ConnectionEvent(IntEnum):
    """What happens to a connection."""

    LATER = auto()  # a response comes later
    CAME = auto()  # it has come
    CLIENT_ENDED = auto()  # the client has closed its side, or both
    ALL_SENT = auto()  # what can be answered by now is sent
    LAST_SENT = auto()  # a response is sent after which there is no other
    DROPPED = auto()  # a fault drops the connection
    EXPIRED = auto()  # its deadline has passed


class Reading(IntEnum):
    """How far a request has come."""

    NOTHING = auto()
    HEAD = auto()
    BODY = auto()
    EXPECTING = auto()  # its client sends the body after 100 Continue
    UPGRADING = auto()  # it offers another protocol; what follows its head is parsed anew


class Part(IntEnum):
    """What comes of a request."""

    BEGIN = auto()
    HEAD = auto()
    EXPECTING_HEAD = auto()
    UPGRADING_HEAD = auto()
    BODY = auto()
    CONTINUE = auto()  # its client is told to send the body


#: How far a request has come after each part; others change nothing.
READING: Mapping[tuple[Reading, Part], Reading] = {
    (Reading.NOTHING, Part.BEGIN): Reading.HEAD,
    (Reading.HEAD, Part.HEAD): Reading.BODY,
    (Reading.HEAD, Part.EXPECTING_HEAD): Reading.EXPECTING,
    (Reading.HEAD, Part.UPGRADING_HEAD): Reading.UPGRADING,
    (Reading.EXPECTING, Part.CONTINUE): Reading.BODY,
    (Reading.EXPECTING, Part.BODY): Reading.BODY,
}
