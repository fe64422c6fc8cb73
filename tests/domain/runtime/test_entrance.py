"""The entrance of a channel: who is asked what, on every way in."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain import terms
from confsim.domain.breakout import assignments, breakouts
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.clients.clients import ServiceState
from confsim.domain.conventions import turn
from confsim.domain.members import linked_users
from confsim.domain.runtime import entrance, lobby, presence
from confsim.domain.runtime.entrance import ENTRANCE, Condition, Entrant
from confsim.domain.runtime.presence import Where
from confsim.domain.telephony import calls, number_assignments, numbers
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, EVENT_ROOM, ROOM
from kit.each import each
from kit.things.breakout import Stage

NUMBER = "+12025550177"
#: Whether a condition is checked, as the documents and the defaults of the register say: + for yes.
TABLE = """
                     registered guest linked phone websocket routed returning
breakout assignment  +          +     +      +     +         +      -
terms                +          +     +      -     +         -      -
service              +          +     +      +     +         -      -
dial-in              -          -     -      +     -         -      -
privacy              +          +     +      +     +         -      -
guest access         -          +     -      -     +         -      -
room                 +          +     +      +     +         -      -
lobby                +          +     +      +     +         -      -
"""
HEAD, *LINES = TABLE.strip().splitlines()
ENTRANTS = HEAD.split()
EXPECTED = {
    (line[:21].strip(), entrant): mark == "+"
    for line in LINES
    for entrant, mark in zip(ENTRANTS, line[21:].split(), strict=True)
}
#: What each alternative changes: the cell that is checked with it, or no longer.
ALTERNATIVES = {
    ("breakout.entering", "anyone"): ("breakout assignment", ("registered", "guest", "linked", "websocket"), False),
    ("breakout.phones", "room"): ("breakout assignment", ("phone",), False),
    ("breakout.phones", "event-room"): ("breakout assignment", ("phone",), False),
    ("dial.callees-terms", True): ("terms", ("phone",), True),
    ("dial-in.guest-access", True): ("guest access", ("phone",), True),
    ("linked-users.guest-access", True): ("guest access", ("linked",), True),
}
REASONS = {
    "breakout assignment": Reason.NO_ROOM_ASSIGNED,
    "terms": Reason.TERMS_NOT_ACCEPTED,
    "service": Reason.SERVICE_DISABLED,
    "dial-in": Reason.DIAL_IN_OFF,
    "guest access": Reason.GUEST_ACCESS_OFF,
    "room": Reason.CHANNEL_FULL,
    "lobby": "waiting",
}
#: What concerns those who come by each way: whoever is inside has a place and is past the lobby; whoever is let in is
#: past the lobby; only those who go to a breakout room need an assignment to it.
OUTSIDE = set(REASONS) - {"breakout assignment"} | {"privacy"}
CONCERNS = {
    "join": OUTSIDE,
    "websocket": OUTSIDE,
    "admission": OUTSIDE - {"lobby"},
    "opened door": OUTSIDE - {"lobby"},
    "dial-in": OUTSIDE,
    "dial-out": OUTSIDE,
    "to a room": OUTSIDE | {"breakout assignment"},
    "between rooms": OUTSIDE - {"lobby", "room"} | {"breakout assignment"},
    "dial-in to a room": OUTSIDE | {"breakout assignment"},
    "route": OUTSIDE | {"breakout assignment"},
    "return": OUTSIDE | {"breakout assignment"},
}
USERS = ("registered", "guest", "linked")
WAYS = {
    **dict.fromkeys(("join", "websocket", "admission", "opened door", "to a room", "between rooms"), USERS),
    "dial-in": ("phone",),
    "dial-out": ("phone",),
    "dial-in to a room": ("phone",),
    "route": USERS,
    "return": USERS,
}


def profile(id, value):
    """A context with one choice."""
    return ProfileContext({id: value})


def held(context):
    """Whether each cell is checked."""
    return {(condition.value, entrant.value): cell.holds(context) for (condition, entrant), cell in ENTRANCE.items()}


@pytest.mark.rule("R105", "R111", "R339", "R340", "R355")
def test_the_table_says_what_the_documents_say():
    """Each cell, by default."""
    assert held(ProfileContext({})) == EXPECTED
    assert set(ENTRANCE) == {(condition, entrant) for condition in Condition for entrant in Entrant}


@each("id, value", list(ALTERNATIVES))
def test_an_alternative_changes_its_cells(id, value):
    """And no other."""
    condition, entrants, checked = ALTERNATIVES[id, value]
    assert held(profile(id, value)) == EXPECTED | {(condition, entrant): checked for entrant in entrants}


class Coming(Stage):
    """The event room with a running breakout session, and somebody on the way in."""

    def __init__(self, entrant, profile=None):
        super().__init__(profile)
        self.entrant = entrant
        channels.update(self.change, self.event, open=True, guest_access=True, dial_in=True, dial_out=True)
        presence.join(self.change, self.client, self.event, self.user("Olaf Owner"))
        self.came = self.person()
        numbers.add(self.change, self.client, NUMBER, "US")
        number_assignments.assign(self.change, self.event, numbers.get(self.change, self.client, NUMBER))

    def person(self):
        """A user of the kind."""
        if self.entrant == "guest":
            return users.create(self.change, CUSTOMER, "Vera", Account.GUEST, channel=EVENT_ROOM)
        if self.entrant == "linked":
            return linked_users.create(self.change, self.client, self.event, "Linus", None)
        return self.user("Uma User")

    def begin(self, *assigned):
        """Start the breakout session; the user is assigned to these of its rooms."""
        for room in assigned:
            assignments.assign(self.change, self.event, self.breakout, self.rooms[room], self.came)
        self.breakout = breakouts.start(self.change, self.event)

    def close(self):
        """Close the door."""
        turn(self.change, lobby.DOOR.to("close"), self.event)

    def dial(self, meeting_id):
        """Dial in."""
        call, present = calls.dial_in(self.change, NUMBER, meeting_id=meeting_id)
        self.came = users.get(self.change, CUSTOMER, call.user)
        return present

    def infringe(self, condition):
        """Let a condition fail for the one who comes; where nothing was known before, nothing is refused."""
        if condition == "terms":
            self.client = terms.promulgate(self.change, self.client, "https://terms.example/2")
            self.client = terms.require(self.change, self.client, True)
        elif condition == "service":
            self.client = clients.update(self.change, self.client, service=ServiceState.DISABLED)
        elif condition == "privacy" and self.came.channel is not None:
            self.came = users.update(self.change, self.came, channel=ROOM)
        elif condition == "lobby":
            self.close()
        elif condition != "breakout assignment":
            fields = {
                "dial-in": {"dial_in": False},
                "privacy": {"private": True},
                "guest access": {"guest_access": False},
                "room": {"population_limit": 1},
            }
            channels.update(self.change, self.event, **fields[condition])

    def go(self, way, condition):
        """Go the way when the condition fails; returns where the user then is."""
        try:
            present = getattr(self, f"by_{way}".replace(" ", "_").replace("-", "_"))(condition)
        except Refusal as refusal:
            return refusal.reason
        present = presence.find(self.change, self.event, present.user)
        return "waiting" if present.state is Where.WAITING else "in"

    def by_join(self, condition, by=None):
        """Join the event room."""
        self.infringe(condition)
        return presence.join(self.change, self.client, self.event, self.came, by=by)

    def by_websocket(self, condition):
        """Join by a websocket."""
        return self.by_join(condition, Entrant.WEBSOCKET)

    def wait(self, condition):
        """Wait in the lobby while the condition comes to fail."""
        self.close()
        if self.entrant == "phone":
            self.dial(self.event.meeting_id)
        else:
            presence.join(self.change, self.client, self.event, self.came)
        self.infringe(condition)

    def by_admission(self, condition):
        """Be admitted by an operator."""
        self.wait(condition)
        return presence.admit(self.change, self.event, self.came.id)

    def by_opened_door(self, condition):
        """Wait when the door opens: the reason is why the user goes on waiting."""
        self.wait(condition)
        turn(self.change, lobby.DOOR.to("open"), self.event)
        present = presence.find(self.change, self.event, self.came.id)
        if present.state is Where.WAITING:
            presence.admit(self.change, self.event, self.came.id)
        return present

    def by_dial_in(self, condition):
        """Dial the event room."""
        self.infringe(condition)
        return self.dial(self.event.meeting_id)

    def by_dial_out(self, condition):
        """Be called, and not pass the door for it."""
        self.infringe(condition)
        return calls.dial_registered(self.change, self.event, NUMBER, self.came.id)

    def by_to_a_room(self, condition):
        """Go straight to a breakout room."""
        self.begin(*(() if condition == "breakout assignment" else (0,)))
        self.infringe(condition)
        return assignments.enter(self.change, self.client, self.place(0), self.came)

    def by_between_rooms(self, condition):
        """Go to a room from inside the event room."""
        self.begin(*(() if condition == "breakout assignment" else (0,)))
        presence.join(self.change, self.client, self.event, self.came)
        present = presence.find(self.change, self.event, self.came.id)
        if present.state is Where.IN_ROOM:
            presence.RETURN(self.change, present)
        self.infringe(condition)
        return assignments.enter(self.change, self.client, self.place(0), self.came)

    def by_dial_in_to_a_room(self, condition):
        """Dial the meeting id of a room."""
        self.begin()
        self.infringe(condition)
        return self.dial(self.place(0).meeting_id)

    def by_route(self, condition):
        """Be inside when the breakout session starts; the reason is why the user is not routed."""
        if condition != "breakout assignment":
            assignments.assign(self.change, self.event, self.breakout, self.rooms[0], self.came)
        presence.join(self.change, self.client, self.event, self.came)
        self.infringe(condition)
        self.begin()
        present = presence.find(self.change, self.event, self.came.id)
        if present.state is not Where.IN_ROOM:
            raise Refusal(Reason.NO_ROOM_ASSIGNED)
        return present

    def by_return(self, condition):
        """Be in a room when the breakout session stops; the reason is why the user is not back."""
        self.begin(0)
        presence.join(self.change, self.client, self.event, self.came)
        self.infringe(condition)
        breakouts.stop(self.change, self.event)
        present = presence.find(self.change, self.event, self.came.id)
        assert present is None or present.place == EVENT_ROOM
        return present


def is_refused(way, entrant, condition):
    """Whether the table refuses: each kind that the one who comes is of checks the condition."""
    kinds = {"websocket": ("websocket",), "route": ("routed",), "return": ("returning",)}.get(way, ())
    return condition in CONCERNS[way] and all(EXPECTED[condition, kind] for kind in (entrant, *kinds))


def fails(way, entrant, condition):
    """Whether the condition can fail for the one who comes by the way."""
    if condition == "dial-in":
        return entrant == "phone" and way != "dial-out"
    if condition == "privacy":  # callers belong to the channel that they reach
        return not (entrant == "phone" and way in ("dial-in", "dial-in to a room"))
    if condition == "breakout assignment":
        return way in ("to a room", "between rooms", "dial-in to a room", "route")
    return not (condition == "guest access" and entrant == "registered")


@each(
    "way, entrant, condition",
    [(way, entrant, condition.value) for way, kinds in WAYS.items() for entrant in kinds for condition in Condition],
)
def test_every_way_in_reads_the_table(way, entrant, condition):
    """Every cell on every way: refused or waiting, where the condition is checked and fails, else inside."""
    profile = {"dial.callees-pass": False}
    if way == "dial-in to a room" and condition != "breakout assignment":
        profile["breakout.phones"] = "room"
    stage = Coming(entrant, profile)
    found = stage.go(way, condition)
    if not is_refused(way, entrant, condition) or not fails(way, entrant, condition):
        assert found == "in"
    elif condition == "privacy":
        assert found is (Reason.CHANNEL_PRIVATE if entrant in ("registered", "phone") else Reason.GUEST_ELSEWHERE)
    else:
        assert found is REASONS[condition] or found == REASONS[condition]


def test_a_channel_is_full_by_the_smaller_limit():
    """That of the platform, or that of the host (G317)."""
    channel = Coming("registered").event
    assert entrance.capacity(channel) == channel.max_users
