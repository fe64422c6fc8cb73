"""A model of channels that run: lobby, presence, sessions and breakout rooms as a few lists."""

from __future__ import annotations

from dataclasses import dataclass, field

HOSTS = ("demo-owner", "demo-operator")


@dataclass
class Round:
    """A breakout session with its one room: who is assigned, when it ends, in which session it ran."""

    id: str
    room: str
    duration: int
    assigned: set[str]
    end: int | None = None
    main: str | None = None
    place: str = ""
    visited: bool = False


@dataclass
class Place:
    """A channel as the model knows it. ``inside`` has the users who are in, True for those in the breakout room."""

    id: str
    open: bool = True
    auto_close: bool = False
    guests: bool = True
    muted: bool = False
    limit: int = 100
    presenters_limit: int | None = None
    presenters: set[str] = field(default_factory=set)
    waiting: list[str] = field(default_factory=list)
    inside: dict[str, bool] = field(default_factory=dict)
    session: str | None = None
    attended: list[str] = field(default_factory=list)
    past: dict[str, int] = field(default_factory=dict)
    visits: list[str] = field(default_factory=list)
    prepared: list[Round] = field(default_factory=list)
    active: Round | None = None
    finished: list[Round] = field(default_factory=list)

    def passes(self, who: str) -> bool:
        """Whether the door lets in: hosts always, and who was inside in this session before."""
        return who in HOSTS or self.open or who in self.attended

    @property
    def full(self) -> bool:
        """Whether nobody else fits."""
        return len(self.inside) >= self.limit

    def enter(self, who: str) -> None:
        """Somebody comes in, and goes on to the room that is assigned."""
        self.waiting = [each for each in self.waiting if each != who]
        if who not in self.attended:
            self.attended.append(who)
        self.visits = [who, *(each for each in self.visits if each != who)]
        routed = self.active is not None and who in self.active.assigned
        self.inside[who] = routed
        if routed and self.active is not None:
            self.active.visited = True

    def begin(self, session: str) -> None:
        """The first one has come in: this is the session."""
        self.session = session
        if self.active is not None and self.active.main is None:
            self.active.main = session

    def end_round(self) -> None:
        """Everybody is back from the room."""
        if self.active is not None:
            self.finished.append(self.active)
        self.active = None
        self.inside = dict.fromkeys(self.inside, False)

    def become_empty(self) -> None:
        """The last one has gone: the session is over, and so is its breakout session."""
        if self.auto_close:
            self.open = False
        assert self.session is not None
        self.past[self.session] = len(self.attended)
        self.session, self.attended, self.presenters = None, [], set()
        self.end_round()
