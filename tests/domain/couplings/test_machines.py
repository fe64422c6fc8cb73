"""The couplings: each row is pulled, and whatever happens, the machines agree with each other."""

from __future__ import annotations

from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import RoomState
from confsim.domain.channels import channels, switches
from confsim.domain.clients import clients
from confsim.domain.conventions import turn
from confsim.domain.runtime import lobby, occupancy, presence, sessions, streaming
from confsim.domain.runtime.presence import Where
from confsim.domain.users import users
from confsim.kernel.influence import Coupling
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import CUSTOMER, EVENT_ROOM, START
from kit.budgets import quick

ORIGIN = Simulator(clock=START)
PEOPLE = ("Olaf Owner", "Uma User", "Carla Customer")


def test_pulling_follows_only_a_move(monkeypatch):
    """A row that stays in its state pulls nothing, and neither does one that comes from elsewhere."""
    pulled = []
    door = lobby.DOOR
    for each in door.rows:
        monkeypatch.setattr(each, "couplings", ())
    row = Coupling(
        door,
        lobby.Door.OPEN,
        lobby.AUTO_CLOSE.on,
        lambda change, channel: pulled.append(channel.open) or (),
        out_of=(lobby.Door.CLOSED,),
        source="none",
    )
    change = ORIGIN.fork().service.change()
    channel = turn(change, lobby.DOOR.to("close"), channels.get(change, CUSTOMER, EVENT_ROOM))
    channel = turn(change, lobby.DOOR.to("open"), channel)
    turn(change, lobby.DOOR.to("open"), channel)
    assert pulled == [True]
    assert {each.then: each.couplings for each in door.rows} == {lobby.Door.OPEN: (row,), lobby.Door.CLOSED: ()}


class Life:
    """A world in which people come and go, doors turn, and breakout sessions run."""

    def __init__(self):
        self.sim = ORIGIN.fork()

    def do(self, what, who):
        """Do something that may be refused; a refusal leaves the world as it was."""
        change = self.sim.service.change()
        channel = channels.get(change, CUSTOMER, EVENT_ROOM)
        user = next(each for each in users.USERS.of(change, CUSTOMER).all if each.handle == who)
        try:
            STEPS[what](change, channel, user)
        except Refusal:
            return
        self.sim.service.commit(change)
        agree(self.sim.service.world)


def prepare(change, channel, user):
    """A breakout session with a room for the user, for a minute."""
    breakout = breakouts.create(change, channel, None, 60_000)
    room = breakout_rooms.add_room(change, breakout, None)
    assignments.assign(change, channel, breakout, room, user)


STEPS = {
    "join": lambda change, channel, user: presence.join(change, clients.get(change, CUSTOMER), channel, user),
    "leave": lambda change, channel, user: presence.leave(change, channel, user.id),
    "admit": lambda change, channel, user: presence.admit(change, channel, user.id),
    "open": lambda change, channel, user: turn(change, lobby.DOOR.to("open"), channel),
    "close": lambda change, channel, user: turn(change, lobby.DOOR.to("close"), channel),
    "auto-close": lambda change, channel, user: turn(change, lobby.AUTO_CLOSE.on, channel),
    "proxy": lambda change, channel, user: streaming.place(change, channel),
    "end session": lambda change, channel, user: sessions.end_active(change, channel),
    "prepare": prepare,
    "start": lambda change, channel, user: breakouts.start(change, channel),
    "stop": lambda change, channel, user: breakouts.stop(change, channel),
    "delete": lambda change, channel, user: (
        breakouts.delete(change, breakouts.list_of_channel(change, channel)[0])
        if breakouts.list_of_channel(change, channel)
        else None
    ),
    "event room off": lambda change, channel, user: switches.set_feature(change, channel, breakouts.EVENT_ROOM.off),
    "event room on": lambda change, channel, user: switches.set_feature(change, channel, breakouts.EVENT_ROOM.on),
}


def agree(world: World):
    """What the machines say of one another is true."""
    change = world.change(0)
    channel = channels.get(change, CUSTOMER, EVENT_ROOM)
    everybody = presence.list_present(change, channel)
    inside = [each for each in everybody if each.state is not Where.WAITING]
    assert occupancy.occupants(change, CUSTOMER, EVENT_ROOM) == len(inside)
    session = sessions.find_active(change, channel)
    assert (session is not None) is bool(inside)
    for each in inside:
        assert sessions.attended(change, session, each.user)
    assert not (channel.open and presence.waiting(change, channel))
    running = breakouts.find_active(change, channel)
    for breakout in breakouts.list_of_channel(change, channel):
        for room in breakout_rooms.list_(change, breakout):
            assert (room.state is RoomState.LIVE) is (breakout == running)
    for each in inside:
        if each.state is Where.IN_ROOM:
            room = breakout_rooms.ROOMS.of(change, CUSTOMER)[each.room]
            assert (room.breakout, room.place) == (running.id, each.place)
            assert sessions.find_active(change, channels.get(change, CUSTOMER, each.place)) is not None
    every = sessions.SESSIONS.of(change, CUSTOMER).all
    held = [session.channel for session in every if session.state is not sessions.SessionState.ENDED]
    assert len(held) == len(set(held))


OFTEN = ["join", "join", "leave", "prepare", "start", "wait"]


@quick(40)
@given(st.lists(st.tuples(st.sampled_from([*OFTEN, *STEPS]), st.sampled_from(PEOPLE)), min_size=10, max_size=40))
def test_machines_agree_whatever_happens(steps):
    """Occupancy, session, door, rooms and presences agree after every step."""
    life = Life()
    for what, who in steps:
        if what == "wait":
            life.sim.clock.advance("1m")
            agree(life.sim.service.world)
        else:
            life.do(what, who)
