"""A web-conferencing service in three styles, with bugs that can be switched on."""

from __future__ import annotations

from collections.abc import Iterable

from services.conferencing import api
from services.conferencing.bugs import BUGS
from services.conferencing.clock import Clock
from services.conferencing.context import Service
from services.conferencing.store.db import Database
from services.conferencing.store.ids import Ids
from services.conferencing.store.seed import seed as plant
from services.conferencing.styles import STYLES
from services.conferencing.web import Application

__all__ = ["BUGS", "STYLES", "Application", "api", "create_app"]


def create_app(style: str = "a", bugs: Iterable[str] = (), seed: int = 0) -> Application:
    """A new service with seeded accounts, as a WSGI application; the seed fixes ids and tokens."""
    switched = frozenset(bugs)
    unknown = switched - set(BUGS)
    if unknown:
        raise ValueError(f"no such bug: {', '.join(sorted(unknown))}")
    service = Service(STYLES[style], switched, Clock(), Database(), Ids(seed))
    seeded = plant(service)
    application = Application(service)
    application.tokens, application.client, application.seeded = seeded.tokens, seeded.client, seeded.items
    return application
