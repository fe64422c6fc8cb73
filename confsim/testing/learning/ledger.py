"""The ledger of a run: what the answers to its calls made, made known and removed."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from confsim.api.catalogue import API

from .calls import ModelCall
from .comparing.comparison import Reply, chosen_values
from .comparing.correspondence import Correspondence
from .comparing.places import Elements, ObjectShape, Shapes
from .declared import made_by, makes_lasting, removals
from .names import RunNames
from .scope import RunScope
from .things import RunCaller, Stray, Thing, Things


class Ledger:
    """Keeps the things, names and scope of a run. ``tokens`` returns those that are valid."""

    def __init__(
        self, things: Things, names: RunNames, scope: RunScope, shapes: Shapes, tokens: Callable[[], Container[str]]
    ) -> None:
        self._things = things
        self._names = names
        self._scope = scope
        self._shapes = shapes
        self._tokens = tokens
        self.journey = 0

    def begin_journey(self, number: int) -> None:
        """Count what is made from now on to this journey."""
        self.journey = number

    def note(self, call: ModelCall, reply: Reply) -> None:
        """Note what a call made, made known or removed."""
        if reply.status >= 400:
            return
        self._names.note(call)
        caller = self._things.caller(call.caller)
        home = call.query.get("for_client") or (caller.home if caller is not None else "")
        named = {kind: value for kind, value in call.names() if kind != "tokens"}
        home = next((found.home for kind, value in named.items() if (found := self._things.find(kind, value))), home)
        self._note_known(call, reply, home, named)
        declared = call.declared
        if "users" in made_by(declared) and home not in self._things.own_clients and "users" in makes_lasting(declared):
            self._scope.count_staying()
        answered = dict(chosen_values(self._shapes.answer(declared), reply.body))
        if declared.makes_caller:
            self._note_caller(answered["tokens"], declared.makes_caller, home, None)
            if "api_tokens" in answered and ("clients", home) in self._things and home not in self._things.own_clients:
                self._things.own_clients.append(home)
                self._things.protected_tokens.append(answered["api_tokens"])
        elif declared.about_caller and "users" in answered and caller and caller.made and caller.user is None:
            self._things.keep_callers(lambda each: each is not caller)
            self._note_caller(call.caller, caller.role, caller.home, answered["users"])
            self._things.add(Thing("users", answered["users"], caller.home, {}, self.journey))
        if declared.revokes_access:
            held = self._tokens()
            self._things.keep_callers(lambda each: each.token in held)
        self._note_removal(call)

    def note_stray(self, call: ModelCall, reply: Reply | None, known: Correspondence) -> None:
        """Note what a call made in the service, whose answer was not as expected; a failure (5xx) may have made it.

        So may a call whose answer did not come (None).
        """
        makes = made_by(call.declared) & (removals().keys() | makes_lasting(call.declared))
        if not makes or (reply is not None and 400 <= reply.status < 500):
            return
        caller = self._things.caller(call.caller)
        home = call.query.get("for_client") or (caller.home if caller is not None else "")
        inside = {kind: value for kind, value in call.names() if kind not in {"users", "clients", "tokens"}}
        made = reply is not None and reply.status < 400
        shown = chosen_values(self._shapes.answer(call.declared), reply.body) if reply is not None and made else ()
        named = [(kind, value) for kind, value in shown if kind in makes]
        fresh = [each for each in named if not known.met(*each) or (each[0], known.model(*each)) not in self._things]
        self._things.strays.extend(Stray(kind, value, home, inside) for kind, value in fresh)
        if not named:
            sent = call.body.values() if isinstance(call.body, dict) else ()
            which = next((f" of {each!r}" for each in sent if isinstance(each, str) and self._names.tag in each), "")
            answered = "not answered" if reply is None else f"answered by {reply.status}"
            why = f"{call.operation}{which} is {answered}, {'with no id of it' if made else 'which may have made it'}"
            self._things.strays.extend(Stray(kind, None, home, inside, why) for kind in sorted(makes))

    def abandon(self, call: ModelCall, known: Correspondence) -> None:
        """Use no more what a call names, about which the two sides are apart; the removal at the end concerns it."""
        for kind, name in call.names():
            if (kind, name) in self._things and kind != "clients":
                inside = [each for each in self._things if each.inside.get(kind) == name]
                for each in (self._things.find(kind, name), *inside):
                    if each is not None:
                        self._things.abandon(each, known.service(each.kind, each.name))

    def _note_caller(self, token: Any, role: str, home: str, user: int | None) -> None:
        self._things.add_caller(RunCaller(token, role, home, user, True))

    def _note_known(self, call: ModelCall, reply: Reply, home: str, named: Mapping[str, Any]) -> None:
        """Note the ids in an answer about things that the run made."""
        if self._scope.is_open(call) and not call.declared.changes:
            return
        makes = made_by(call.declared)
        inside = {kind: value for kind, value in named.items() if kind not in {"users", "clients"}}
        body = reply.body
        elements = body.get("results", body.get("rows", [body])) if isinstance(body, dict) else body
        shape = self._shapes.answer(API[call.operation])
        for whole in [elements] if not isinstance(elements, list) else elements:
            part = _part(shape, whole, body)
            values = list(chosen_values(part, whole))
            beside = {kind: value for kind, value in values if kind not in {"users", "clients", "tokens"}}
            for kind, value in values:
                if kind in {"clients", "tokens", "secrets"} and kind not in makes:
                    continue
                if kind == "tokens" or (kind == "users" and kind not in makes):
                    continue
                if kind not in makes and self._things.there_before(named):
                    continue
                around = {other: each for other, each in {**beside, **inside}.items() if other != kind}
                self._things.add(Thing(kind, value, home if kind != "clients" else value, around, self.journey))

    def _note_removal(self, call: ModelCall) -> None:
        """Note what a call removed, with what was in it."""
        removed = [(kind, name) for kind, name in call.names() if kind == call.declared.removes]
        for kind, name in removed:
            for thing in [each for each in self._things if each.inside.get(kind) == name]:
                self._things.remove(thing.kind, thing.name)
            self._things.remove(kind, name)


def _part(shape: Any, whole: Any, body: Any) -> Any:
    """Return the shape of one element of an answer."""
    if whole is body:
        return shape
    if isinstance(shape, Elements):
        return shape.element
    if isinstance(shape, ObjectShape):
        inner = shape.fields.get("results") or shape.fields.get("rows")
        return inner.element if isinstance(inner, Elements) else shape
    return shape
