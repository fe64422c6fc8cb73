"""A served world, put together from its parts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import in_force
from confsim.kernel.world import Change, World

from .address import Address
from .clock import Clock
from .credentials import presentation
from .faults.injection import Faults
from .history import History
from .incoming import incoming
from .journal import Journal
from .live import LiveWorld
from .pipeline import Pipeline, Usage
from .webhooks.delivery import Webhooks


class Provenance(Struct, frozen=True):
    """What a world was made from, as it was said, and the outputs of the scenario that it starts from."""

    made_from: str = ""
    outputs: Mapping[str, Any] = {}


class Settings(Struct, frozen=True):
    """What a fork takes over beside the world: hosts of webhooks, faults by request, size of the journal."""

    webhook_hosts: frozenset[str]
    by_request: bool
    journal_most: int


class Service:
    """One world being served: its parts, and what concerns several of them.

    ``live`` is the world in force, ``clock`` its clock, ``profile`` the alternatives that are chosen of assumptions,
    ``history`` its start and snapshots, ``journal`` its calls, ``faults`` what is made
    to go wrong, ``webhooks`` what is delivered, ``pipeline`` what performs calls; ``usage`` says when it was called.
    ``token_of`` reads the token of a request by the presentations in force. ``incoming`` makes a call of a request, and
    ``perform`` performs it.
    """

    def __init__(
        self, world: World, clock: Clock, profile: Mapping[str, Any], provenance: Provenance | None = None
    ) -> None:
        live = self.live = LiveWorld(world, clock, profile)
        self.profile = profile
        self.clock = clock
        self.provenance = provenance or Provenance()
        self.usage = Usage()
        self.journal = Journal()
        self.faults = Faults(live)
        self.history = History(live)
        self.pipeline = Pipeline(live, self.journal, self.faults, self.usage)
        self.webhooks = Webhooks(live, self.journal, self.faults.plan)
        self.token_of = presentation(in_force(profile, wire.PRESENTATION))
        self.incoming = partial(incoming, self.token_of, self.faults)
        self.perform = self.pipeline.perform
        self.unrouted = self.pipeline.unrouted
        self.change = live.change

    # The live world

    @property
    def world(self) -> World:
        """The world in force."""
        return self.live.world

    @property
    def lock(self) -> AbstractContextManager[object]:
        """The lock under which the world changes."""
        return self.live.lock

    @property
    def bugs(self) -> list[BaseException]:
        """What confsim itself did wrong, for the fixture to raise in the test."""
        return self.live.bugs

    def commit(self, change: Change) -> None:
        """Put a change in force, and send the webhooks that it makes ready."""
        self.live.commit(change)

    @property
    def address(self) -> Address:
        """The place of the world on its server."""
        return self.pipeline.address

    # The world as a whole

    def started_from(self, provenance: Provenance) -> None:
        """Say what the world was made from."""
        self.provenance = provenance

    def reset(self) -> None:
        """Bring back world, clock and empty journal of the start, and no faults.

        Snapshots stay, and bugs, to be raised.
        """
        with self.lock:
            self.history.reset()
            self.journal.restart()
            self.faults.reset()

    def begin(self) -> None:
        """Let this world and this instant be the start, which a reset brings back; the journal is empty."""
        with self.lock:
            self.history.begin()
            self.journal.restart()
            self.pipeline.restart()

    def begin_with(self, world: World, made_from: str) -> None:
        """Let this world, made from what is said, be the world and the start."""
        with self.lock:
            self.live.replace(world)
            self.provenance = Provenance(made_from, self.provenance.outputs)
            self.begin()

    def fork(
        self,
        world: World | None = None,
        profile: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        provenance: Provenance | None = None,
    ) -> Service:
        """Another service of the world as it is now, with a clock that shows the same and goes on by itself.

        It may be one of another world, profile, clock or provenance.
        """
        with self.lock:
            found, copied = self.world, self.clock.copy()
        other = Service(
            found if world is None else world,
            copied if clock is None else clock,
            self.profile if profile is None else profile,
            self.provenance if provenance is None else provenance,
        )
        if profile is None:
            other.pipeline.hold_against(self.pipeline.conformance)
            other.pipeline.share_callers(self.pipeline.callers)
        other.take_over(self.settings)
        return other

    @property
    def settings(self) -> Settings:
        """What a fork takes over as it is set."""
        return Settings(self.webhooks.allowed, self.faults.by_request, self.journal.most)

    def take_over(self, settings: Settings) -> None:
        """Set what another service has set."""
        self.webhooks.allow(settings.webhook_hosts)
        self.faults.allow_by_request(settings.by_request)
        self.journal.limit(settings.journal_most)
