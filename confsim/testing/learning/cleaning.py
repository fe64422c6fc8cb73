"""The removal of what a run made, with a report of what could not be removed."""

from __future__ import annotations

from confsim.kernel.refusal import Misuse

from .calls import ModelCall
from .declared import lasting, removals
from .run import Run
from .things import RunCaller, Stray, Thing

#: Requests reserved beside one for each thing: a removal that is refused is tried as somebody else.
_MARGIN = 8
_ADMINS = ("customer-admin", "owner", "api-token", "partner-admin", "other-admin")


def removable(run: Run) -> list[Thing | Stray]:
    """Return the things to remove; what is in a channel is removed with the channel."""
    kinds, found = removals(), list[Thing | Stray]()
    for kind in kinds:
        found += run.things.list_kind(kind)
        found += [each for each in run.things.strays if each.kind == kind and each.name is not None]
    return [each for each in found if not kinds.keys() & each.inside.keys()]


def reserve_removal(*runs: Run) -> None:
    """Reserve the requests that remove what these runs of one service have made."""
    runs[0].service.reserve_requests(sum(len(removable(run)) for run in runs) + _MARGIN)


def clean_up(run: Run) -> list[str]:
    """Remove what was made; return what is left, each as kind, id in the service, and the reason."""
    left: list[str] = []
    gone: str = ""
    for thing in removable(run):
        why = gone
        if isinstance(thing, Stray):  # its id is the service's already
            run.known.forget(thing.kind, thing.name)
        if not why:
            try:
                why = _remove(run, thing)
            except (Misuse, KeyboardInterrupt) as end:  # report the rest as left, and what was found nevertheless
                why = gone = str(end) or "the removal was interrupted"
        if why:
            left.append(f"{thing.kind} {run.known.service(thing.kind, thing.name)}: {why}")
    for kind in sorted(lasting()):
        for thing in run.things.list_kind(kind):
            if "channels" not in thing.inside:  # users made for a channel are removed with it
                left.append(f"{kind} {run.known.service(kind, thing.name)}: no documented call removes it")
    for stray in run.things.strays:
        if stray.name is None:
            left.append(f"{stray.kind}: {stray.why}")
        elif stray.kind not in removals() and "channels" not in stray.inside:
            left.append(f"{stray.kind} {stray.name}: no documented call removes it")
    return left


def _remove(run: Run, thing: Thing | Stray) -> str:
    """Remove a thing; return why that failed, "" when it was removed."""
    operation, parameter = removals()[thing.kind]
    status = 0
    for caller in _callers(run, thing):
        query = {}
        if caller.home != thing.home:
            query = {"for_client": thing.home}
        call = ModelCall(operation, caller.token, {parameter: str(thing.name)}, query)
        if query and not call.declared.for_client:
            continue
        reply = run.service.call(call, reserved=True)
        if reply.status == 409 and thing.kind == "channels":
            run.service.call(ModelCall("end_active_session", caller.token, {"uuid": str(thing.name)}), reserved=True)
            reply = run.service.call(call, reserved=True)
        if reply.status == 403 and thing.kind == "endpoints":  # endpoints cannot be read while events are off
            run.service.call(ModelCall("set_events_state", caller.token, {"state": "enable"}), reserved=True)
            reply = run.service.call(call, reserved=True)
        status = reply.status
        if status < 400 or status == 404:
            return ""
    return f"it is refused with {status}" if status else "nobody of the accounts can remove it"


def _callers(run: Run, thing: Thing | Stray) -> list[RunCaller]:
    """Return the callers who may remove a thing, likeliest first; the token of a client of the run comes last."""
    found = [each for each in run.things.callers if each.role in _ADMINS]
    near = [each for each in found if each.home == thing.home and not each.made]
    made = [each for each in found if each.home == thing.home and each.made][:1]
    above = [each for each in found if each.role == "partner-admin" and each.home != thing.home]
    ordered = [*near, *made, *above] if thing.kind != "api_tokens" else [*near, *above, *made]
    return sorted(ordered, key=lambda each: _ADMINS.index(each.role) if each in near else 9)[:4]
