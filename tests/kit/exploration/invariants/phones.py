"""Invariants about telephony: numbers and whom they lead to, PINs, and who may be called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()


@STATED.world(
    "numbers-that-can-be-assigned",
    "Only enabled numbers of the client are assigned to its channels: disabling a number removes all its assignments.",
    "P2 States L172, R366, R367, R481, G472",
    "inbound numbers", "number assignments", "channels",
)  # fmt: skip
def _assignments(view: View) -> Iterator[str]:
    numbers = {number.number: number for number in view["inbound numbers"]}
    for assignment in view["number assignments"]:
        number, channel = numbers.get(assignment.number), view.channels.get(assignment.channel)
        if number is None:
            yield "a number that is not there"
        elif word(number.standing) != "enabled":
            yield f"a number that is {word(number.standing)}"
        elif channel is None or not number.client == assignment.client == channel.client:
            yield "a number of another client"


def _new_calls(step: Step) -> Iterator[Any]:
    """Yield the calls that a step placed."""
    if "calls" in step.tables:
        old = {call.id for call in step.before["calls"]}
        yield from (call for call in step.after["calls"] if call.id not in old)


def _pins(view: View, channel: str) -> dict[str, bool]:
    """Return the PINs of a channel, or of the event room of a breakout room: whether each is for organizers."""
    found = view.channels.get(channel)
    base = channel if found is None or found.parent is None else found.parent
    return {pin.pin: pin.organizer for pin in view["pins"] if pin.channel == base}


@STATED.step(
    "pins-are-asked",
    "Once a PIN is set, a phone gets in only with one of the channel; without any, anyone can enter. An organizer PIN "
    "makes the caller an organizer, another one does not.",
    "P2 Telephony L296-297, R324, R478, R479, G466",
    "calls",
)
def _asked(step: Step) -> Iterator[str]:
    if step.act.operation != "dial_in":
        return
    for call in _new_calls(step):
        pins, given = _pins(step.before, call.channel), step.call.values.get("pin")
        if pins and given not in pins:
            yield "without a PIN" if given is None else "with a wrong PIN"
        if call.organizer is not pins.get(str(given), False):
            yield "an organizer" if call.organizer else "not an organizer"


@STATED.step(
    "numbers-lead-to-their-channels",
    "A phone reaches the channel of the meeting id or routing code that was entered, or the one that has the number "
    "alone; a number that is disabled leads nowhere.",
    "P2 L195, R326, R366, R480, R484, G466",
    "calls",
)
def _lead(step: Step) -> Iterator[str]:
    if step.act.operation != "dial_in":
        return
    values, view = step.call.values, step.before
    numbers = {number.number: word(number.standing) for number in view["inbound numbers"]}
    assigned = {(each.number, each.code): each.channel for each in view["number assignments"]}
    for call in _new_calls(step):
        channel, number = view.channels.get(call.place or call.channel), values.get("number")
        if numbers.get(number) != "enabled":
            yield f"the number is {numbers.get(number, 'unknown')}"
        meeting_id = values.get("meetingId")
        if meeting_id is not None:
            if channel is None or channel.meeting_id != meeting_id:
                yield "another channel than that of the meeting id"
        elif assigned.get((number, values.get("code"))) != call.channel:
            yield "another channel than that of the number"


@STATED.step(
    "calls-that-are-allowed",
    "Dial-out must be enabled in the channel; a registered callee appears as that user, another one as a new user "
    "with the name that was given.",
    "P2 L304-305, R489, R490, R491, R492, R493",
    "calls",
)
def _called(step: Step) -> Iterator[str]:
    for call in _new_calls(step):
        if call.inbound:
            continue
        channel, callee = step.before.channels.get(call.channel), step.after.users.get(call.user)
        if channel is None or not channel.dial_out:
            yield "dial-out is off"
        if step.act.operation == "dial_registered_user":
            if call.user != step.call.values.get("body", {}).get("sipUserId"):
                yield "another user than the one who was called"
        elif call.user in step.before.users or callee is None:
            yield "somebody who was there before"
        elif callee.handle != step.call.values.get("body", {}).get("name"):
            yield "another name"


INVARIANTS = tuple(STATED.invariants)
