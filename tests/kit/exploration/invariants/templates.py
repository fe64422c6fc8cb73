"""Invariants about templates and configuration: whose they are, who may choose them, and what goes with them."""

from __future__ import annotations

from collections.abc import Iterator

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()


@STATED.world(
    "templates-that-are-there",
    "The template of a channel, and one that a client offers, exists, and its own client or one above made it.",
    "P2 L120, L354, R322, R440, G411, G413",
    "template selections", "template choices", "templates", "clients",
)  # fmt: skip
def _there(view: View) -> Iterator[str]:
    owners = {template.id: template.client for template in view["templates"]}
    for table in ("template selections", "template choices"):
        for each in view[table]:
            if each.template not in owners:
                yield f"{table}: a template that is gone"
            elif owners[each.template] not in view.above(each.client):
                yield f"{table}: a template of another client"


@STATED.step(
    "templates-that-are-offered",
    "A channel gets a template only if its client offers it; templates from above only if they are inheritable.",
    "P2 L120, R440, G407, G411",
    "template selections", "template choices",
)  # fmt: skip
def _offered(step: Step) -> Iterator[str]:
    templates = step.before.keyed("templates")
    offers = {(each.client, each.template): word(each.offer) for each in step.before["template choices"]}
    for table in ("template selections", "template choices"):
        old = step.before.keyed(table)
        for key, each in step.after.keyed(table).items():
            template = templates.get(each.template)
            if (key in old and old[key] == each) or template is None:
                continue
            if table == "template selections" and offers.get((each.client, each.template)) != "enabled":
                yield "a template that is not offered"
            enabled = table == "template selections" or word(each.offer) == "enabled"
            if enabled and template.client != each.client and not template.inheritable:
                yield f"{table}: a template from above that is not inheritable"


INVARIANTS = tuple(STATED.invariants)
