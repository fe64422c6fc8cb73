"""The connections to the channels of one served world: a user is present while there is any."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Protocol

import msgspec

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext, ask, in_force
from confsim.assumptions.runtime import streaming as assumed
from confsim.domain.breakout import assignments
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS, Channel
from confsim.domain.clients import clients
from confsim.domain.identity import credentials
from confsim.domain.members.roles import HOSTS
from confsim.domain.runtime import presence, streaming
from confsim.domain.runtime.entrance import Entrant
from confsim.domain.runtime.presence import PRESENCES
from confsim.domain.runtime.sessions import SESSIONS
from confsim.domain.runtime.streaming import Placed
from confsim.domain.users.users import User
from confsim.kernel.refusal import Refusal
from confsim.kernel.tables.writing import Written
from confsim.kernel.world import Change, World
from confsim.service.checks.credentials import Read
from confsim.service.entries import ControlCall
from confsim.service.faults.interceptor import hits_in
from confsim.service.incoming import Finish
from confsim.service.journal import Journal
from confsim.service.live import LiveWorld, WorldObserver
from confsim.service.messages import Request, Response

from . import notifications, tokens
from .notifications import NotificationType, PresenceState

#: Tables in which one write can change the state of everybody in a channel.
_OF_ALL = frozenset(table.name for table in (CHANNELS, HOSTS, SESSIONS))
#: Notes a request that reached no operation, with its outcome and assumptions; returns its final response.
Unrouted = Callable[[Request, Refusal | Response, Mapping[str, None] | None, Finish | None], Response]
#: Client, channel (for a breakout room its event room) and user.
Key = tuple[str, str, int]


class MessageSink(Protocol):
    """Takes messages for one client. Its methods are called under the lock of the world, from any thread."""

    def notify(self, message: bytes) -> None:
        """Send a message about the person."""
        ...

    def relay(self, message: str | bytes) -> None:
        """Send a message of another client; a slow client may miss it."""
        ...

    def end(self, reason: str) -> None:
        """Close the connection once everything is sent."""
        ...


class ChannelConnection:
    """One connected client; ``kind`` is that of its data channel, None at the address of ``proxyfor``."""

    __slots__ = ("kind", "person", "place", "sink")

    def __init__(self, person: ConnectedPerson, place: str, kind: str | None, sink: MessageSink) -> None:
        self.person = person
        self.place = place
        self.kind = kind
        self.sink = sink


class ConnectedPerson:
    """A user connected to a channel by one or more connections, and the last state that was sent."""

    __slots__ = ("connections", "key", "state")

    def __init__(self, key: Key) -> None:
        self.key = key
        self.state: PresenceState = notifications.AWAY
        self.connections: list[ChannelConnection] = []


class RealTime(WorldObserver):
    """The people connected to one served world, which is observed while there are any.

    ``token_of`` reads the token of a request as for calls, ``unrouted`` notes a request without an operation.
    """

    def __init__(self, live: LiveWorld, journal: Journal, token_of: Read, unrouted: Unrouted) -> None:
        self._live = live
        self._journal = journal
        self._token_of = token_of
        self._unrouted = unrouted
        self._people: dict[Key, ConnectedPerson] = {}
        self._data: dict[tuple[str, str, str], list[ChannelConnection]] = {}
        live.observers.add(self)

    def __len__(self) -> int:
        return sum(len(person.connections) for person in self._people.values())

    # Joining and leaving

    def connect(
        self, request: Request, channel: str, kind: str | None, sink: MessageSink, finish: Finish
    ) -> tuple[ChannelConnection | None, Response]:
        """Let the holder of the request's token join the channel, or wait in its lobby.

        Returns the connection, which gets the state, and the response, 101; or None and a refusal: one of the token, of
        ``assignments.enter``; NOT_FOUND, NO_USER_CONTEXT, CHANNEL_BEING_CREATED. The journal
        notes the request without the token, and who joined.
        """
        live = self._live
        with live.lock:
            change = live.change()
            try:
                user, place = self._join(change, request, channel, kind)
            except Refusal as refusal:
                return None, self._unrouted(request, refusal, change.carried.used, finish)
            base = channels.base_channel(change, place)
            key = (base.client, base.id, user.id)
            before = live.world
            live.commit(change)
            response = self._unrouted(request, Response(101, []), change.carried.used, finish)
            self._note("join_channel", place.id, user.id, change, before)
            person = self._people.get(key)
            if person is None:
                person = self._people[key] = ConnectedPerson(key)
            connection = ChannelConnection(person, place.id, kind, sink)
            person.connections.append(connection)
            person.state = notifications.state_of(self._view(live.world, change.now), *key)
            if kind is not None:
                self._data.setdefault((base.client, place.id, kind), []).append(connection)
            self._notify(person, NotificationType.CONNECTED, change.now, [connection])
            return connection, response

    def refuse(self, request: Request, outcome: Response | Refusal, finish: Finish) -> Response:
        """Note a request that is no websocket handshake; return its response."""
        return self._unrouted(request, outcome, None, finish)

    def _join(self, change: Change, request: Request, id: str, kind: str | None) -> tuple[User, Channel]:
        caller = credentials.authenticate(change, tokens.read(change, self._token_of, request))
        if caller.user is None:
            raise Refusal(Reason.NO_USER_CONTEXT)
        channel = channels.get(change, caller.client.id, id)
        if kind is not None:
            streaming.require_data_channel(change, kind)
        base = channels.base_channel(change, channel)
        placement = streaming.find(change, base.client, base.id)
        if placement is not None and placement.state is Placed.CREATING:
            raise Refusal(Reason.CHANNEL_BEING_CREATED)
        client = clients.get(change, caller.client.id)
        if channel.parent is None:
            presence.join(change, client, channel, caller.user, by=Entrant.WEBSOCKET)
        else:
            assignments.enter(change, client, channel, caller.user, by=Entrant.WEBSOCKET)
        return caller.user, channel

    def disconnect(self, connection: ChannelConnection) -> None:
        """Remove a closed connection; after the last one its person leaves the channel."""
        live, person = self._live, connection.person
        with live.lock:
            self._forget(connection)
            if self._people.get(person.key) is not person or person.connections:
                return
            self._drop(person)
            change = live.change()
            if ask(change, assumed.CLOSE) == "stay":
                self._journal.use(change.carried.used)
                return
            client, id, user = person.key
            before = live.world
            with suppress(Refusal):
                presence.leave(change, channels.get(change, client, id), user)
                live.commit(change)
                self._note("leave_channel", id, user, change, before)

    def _forget(self, connection: ChannelConnection) -> None:
        person = connection.person
        if connection in person.connections:
            person.connections.remove(connection)
        if connection.kind is not None:
            place = (person.key[0], connection.place, connection.kind)
            others = [each for each in self._data.get(place, ()) if each is not connection]
            if others:
                self._data[place] = others
            else:
                self._data.pop(place, None)

    def _drop(self, person: ConnectedPerson) -> None:
        del self._people[person.key]

    def _note(self, operation: str, channel: str, user: int, change: Change, before: World) -> None:
        """Note in the journal who joined or left, as the control call that repeats it."""
        live, journal = self._live, self._journal
        body = msgspec.json.encode({"channel": channel, "userId": user})
        worlds = before, live.world
        journal.add_control_call(
            ControlCall(
                journal.count,
                change.now,
                operation,
                (),
                body,
                id=journal.next_between("c"),
                assumptions=change.carried.used,
                touched=change.touched,
                worlds=worlds,
                fault=hits_in(change),
            )
        )

    # Messages

    def received(self, connection: ChannelConnection, message: str | bytes) -> None:
        """Relay a message of a client on a data channel to the others there."""
        live = self._live
        if connection.kind is None or in_force(self._live.profile, assumed.DATA_MESSAGES) != "relay":
            return
        with live.lock:
            self._journal.use([assumed.DATA_MESSAGES.id])
            for other in self._data.get((connection.person.key[0], connection.place, connection.kind), ()):
                if other is not connection and other.person.state.state == "in":
                    other.sink.relay(message)

    def end_all(self) -> None:
        """Send everybody the end of the session, and disconnect them: the world is no longer served."""
        with self._live.lock:
            for person in list(self._people.values()):
                person.state = notifications.AWAY
                self._notify(person, NotificationType.SESSION_ENDED, self._live.clock.now(), person.connections)
                self._drop(person)
                for connection in person.connections:
                    connection.sink.end(NotificationType.SESSION_ENDED)

    def changed(self, before: World, change: Change, after: World) -> None:  # noqa: ARG002 - the records say enough
        """Notify the people whose state the change may have changed."""
        if self._people and (concerned := self._concerned(change.touched)):
            self._follow(concerned, after, change.now)

    def replaced(self) -> None:
        """Notify people of their changes in another world."""
        if self._people:
            self._follow(list(self._people.values()), self._live.world, self._live.clock.now())

    def _concerned(self, touched: Collection[Written]) -> list[ConnectedPerson]:
        """Return the people whose state these writes may have changed: by their presence, else anyone of the client."""
        whole = {client for client, table, _ in touched if table in _OF_ALL}
        keys = {(client, key) for client, table, key in touched if table == PRESENCES.name and client not in whole}
        found = [person for key, person in self._people.items() if key[0] in whole] if whole else []
        for client, key in keys:
            channel, _, user = key.rpartition("/")
            person = self._people.get((client, channel, int(user)))
            if person is not None:
                found.append(person)
        return found

    def _follow(self, people: Iterable[ConnectedPerson], world: World, now: int) -> None:
        """Notify people of their changes; disconnect those who were removed."""
        view = self._view(world, now)
        for person in people:
            state = notifications.state_of(view, *person.key)
            type = notifications.type_of(person.state, state)
            if type is None:
                continue
            person.state = state
            self._notify(person, type, now, person.connections)
            if state.state == "away":
                self._drop(person)
                for connection in person.connections:
                    connection.sink.end(type)
        self._journal.use(view.carried.used)

    def _notify(
        self, person: ConnectedPerson, type: NotificationType, now: int, connections: Iterable[ChannelConnection]
    ) -> None:
        self._journal.use([assumed.MESSAGES.id])
        if in_force(self._live.profile, assumed.MESSAGES) == "none":
            return
        _, channel, user = person.key
        message = notifications.message(type, now, channel, user, person.state)
        for connection in connections:
            connection.sink.notify(message)

    def _view(self, world: World, now: int) -> Change:
        return world.change(now, ProfileContext(self._live.profile))
