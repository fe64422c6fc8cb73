"""What the declaration of an operation says beside its route and its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypedDict

from confsim.assumptions import Assumption

from .gates import Gate
from .headers import Header


class Source(StrEnum):
    """How much of an operation the documents state."""

    DOCUMENTED = "documented"  # method, path and payload
    NAME_ONLY = "name_only"  # the name alone: route and payload are assumptions
    IMPLIED = "implied"  # not even the name, only an effect that needs it


class Words(TypedDict, total=False):
    """The facts that a declaration or its family states of an operation, beside its route and its function.

    ``gate`` is always stated, the others where they differ from the attributes of ``Operation``.
    """

    gate: Gate
    #: Refuses the call unless what its family needs is there; it takes the call and the things of the path.
    requires: Callable[..., None] | None
    #: The numbers of its rules and gaps, separated by spaces; the document part and section.
    rules: str
    gaps: str
    line: str
    source: Source
    #: Whether the query may name a child client.
    for_client: bool
    #: Whether it belongs to a running channel, which a disabled service refuses even to read.
    runtime: bool
    #: The operation whose route it shares; a required query parameter of this one distinguishes them.
    variant_of: str
    #: The assumption that says whether the path can end with a slash.
    slash: Assumption[str] | None
    #: The assumption about the container of the elements of a list or a page.
    container: Assumption[str] | None
    #: The response headers, by name, that the function can set by returning a ``WithHeaders``.
    headers: Mapping[str, Header]
    #: The assumption about the form in which the bytes of a body are uploaded.
    upload: Assumption[str] | None
    #: The media type of an answer of bytes; empty when it is that of the stored file.
    media: str
    #: The fields of the answer, or of its elements, that are ids for later calls, each with its kind (``types.Names``).
    identifies: Mapping[str, str]
    #: Whether it can revoke the access of callers; a walk over all operations calls it last.
    revokes_access: bool
    #: Whether a replay of a journal repeats it (by default it does).
    replayed: bool
    #: Whether it runs without the lock of its world, while others are answered.
    beside: bool
    #: Whether moving or steering the clock is its only effect.
    moves_clock: bool
    #: Whether its answer may come only after other calls: the function returns it, or the future of it.
    waits: bool
    #: The kind of thing that it removes, in the words of ``types.Names``: what path and body name of that kind.
    removes: str
    #: The role of the caller that it creates, whose token is in the answer; empty when it creates none.
    makes_caller: str
    #: Whether it calls a phone.
    rings: bool
    #: Why its answer or its effect depends on what is outside of the API; empty when it does not.
    depends_on_outside: str
    #: Why it should not be called where others are, whatever it names; empty when it can be.
    disturbs_others: str
    #: Whether it concerns a client as a whole: others change the answer, or the effect is about what they do.
    of_whole_client: bool
    #: Whether the thing that it creates expires.
    expires: bool
    #: Whether its answer is about the caller, although no parameter names one.
    about_caller: bool
    #: Whether its answer shows what a user is from the beginning: profile, access levels, client.
    shows_identity: bool
    #: Whether its body has faults to be injected.
    sets_faults: bool
    #: How large its body can be, and how many things a call can name or leave behind, by what is counted.
    bounds: Mapping[str, int]
