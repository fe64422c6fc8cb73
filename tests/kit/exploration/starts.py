"""The worlds that the exploration starts from: the demo world after some acts, with the acts tried from there on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim import Simulator
from kit import CUSTOMER, EVENT_ROOM, ROOM, START

from .acts import breakout, clients, config, events, every, identity, members, runtime, telephony
from .acts.act import WAIT, Act
from .step import Stage, without_log
from .view import View

#: Every event is recorded, also without a subscriber: invariants compare them with the records.
PROFILE = {"events.recorded": "always"}


class Start(Struct, frozen=True):
    """A named world: the acts that lead to it from the demo world, and those that are tried from there on.

    ``channel`` is the one that most of them are about, ``depth`` how far the campaign walks, ``profile`` chooses
    alternatives by which more takes its time.
    """

    name: str
    story: tuple[str, ...]
    acts: tuple[Act, ...]
    depth: int
    channel: str = ROOM
    profile: Mapping[str, Any] = {}

    def stage(self, seed: int = 0) -> Stage:
        """Return a stage whose world is the start, with ids drawn from a seed.

        Raises AssertionError when an act of the story is refused.
        """
        stage = Stage(Simulator(clock=START, seed=seed, profile={**PROFILE, **self.profile}))
        acts, now = every(), stage.live.clock.now()
        for sentence in self.story:
            step = stage.step(View(stage.live.world, now), acts[sentence])
            assert step is not None, f"{self.name}: {sentence} is not possible"
            assert not step.answer.refused, f"{self.name}: {sentence}: {step.answer}"
            now = step.after.now
        stage.live.suppose(without_log(stage.live.world))
        return stage

    @property
    def client(self) -> str:
        """The client that the start is about."""
        return CUSTOMER


#: A breakout of two rooms, with the user in the first and a host in the event room.
_PREPARED = (
    "the admin switches dial-in on for new rooms",
    "the admin switches dial-in of the event room on",
    "the owner prepares a breakout of ten minutes",
    "the owner adds a room",
    "the owner adds a room",
    "the owner assigns the user to room 1",
    "the owner joins the event room",
    "the user joins the event room",
)
_IN_EVENT_ROOM = (*breakout.ACTS, *runtime.SERVICE, WAIT)

STARTS: tuple[Start, ...] = (
    Start("room", (), runtime.ACTS, 5),
    Start(
        "lobby",
        ("the owner closes the door", "the user joins the room", "the guest joins the room"),
        runtime.ACTS,
        5,
        profile={"duration.session-grace": 300_000},
    ),
    Start(
        "meeting",
        (
            *("the admin switches dial-in on", "the owner joins the room", "the user joins the room"),
            *("a phone dials into the room", "the operator records"),
        ),
        (*runtime.PEOPLE, *runtime.DOORS, *runtime.RUNS, *runtime.SERVICE, *telephony.ACTS, WAIT),
        5,
    ),
    Start("event room", (*_PREPARED[:2], "the owner joins the event room"), _IN_EVENT_ROOM, 5, EVENT_ROOM),
    Start("breakout prepared", _PREPARED, _IN_EVENT_ROOM, 5, EVENT_ROOM),
    Start("breakout active", (*_PREPARED, "the owner starts the breakout"), _IN_EVENT_ROOM, 5, EVENT_ROOM),
    Start(
        "identity",
        ("the admin predefines a user",),
        (*identity.USERS, *identity.VALIDATORS, *identity.TOKENS, *identity.EMAILS, *runtime.SERVICE, WAIT),
        6,
    ),
    Start(
        "handles",
        ("the admin demands unique handles",),
        (*identity.HANDLES, *identity.LEVELS, *runtime.SERVICE, *runtime.COMING, WAIT),
        6,
    ),
    Start(
        "client and child",
        (
            *("the customer gets a client below it", "the child gets a user", "the customer becomes a reseller"),
            *("the customer gets a Partner Admin", "the user joins the room"),
        ),
        (*clients.SERVICE, *clients.TERMS, *runtime.SERVICE, *runtime.COMING, *identity.LOGINS, WAIT),
        6,
    ),
    Start("rooms of a client", (), (*clients.DEFAULTS, *runtime.COMING, *runtime.SERVICE, *identity.LEVELS, WAIT), 6),
    Start(
        "numbers and PINs",
        ("the admin switches dial-in on", "the owner assigns the number", "the admin switches dial-out on"),
        (*telephony.ACTS, *runtime.DOOR, *runtime.RUNS, *runtime.SERVICE, WAIT),
        6,
        profile={"duration.call-answered": "time(5)"},
    ),
    Start(
        "templates",
        ("the admin creates a template", "the admin offers the first template"),
        (*config.ACTS, *clients.DEFAULTS, *runtime.SERVICE),
        5,
    ),
    Start(
        "events and webhooks",
        ("the admin switches events on", "the admin adds an endpoint"),
        (*events.EVENTS, *runtime.COMING, *runtime.DOOR, *runtime.RUNS, *runtime.SERVICE, WAIT),
        6,
    ),
    Start(
        "broadcast",
        ("the admin allows broadcasts", "the owner adds a destination", "the owner joins the room"),
        (*events.BROADCASTS, *runtime.COMING, *runtime.RUNS, *runtime.SERVICE, WAIT),
        6,
        profile={"duration.broadcast-start": "time(180)", "recordings.uploading": "half-way"},
    ),
    Start(
        "things of a room",
        (),
        (*events.THINGS, *runtime.COMING, *runtime.RUNS, *runtime.SERVICE, WAIT),
        6,
    ),
    Start(
        "members",
        ("the owner creates a linked user", "the admin invites the linked user"),
        (*members.ACTS, *runtime.ROLES, *runtime.COMING, *runtime.DOOR, *runtime.SERVICE, WAIT),
        5,
    ),
)
BY_NAME = {start.name: start for start in STARTS}
