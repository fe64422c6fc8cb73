"""Every operation, at every place where it takes an id: one of another tenant, and one of something deleted, answer
exactly as one that never was; callers without a token, with an expired one or a low role are refused in declared order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.arazzo import library
from confsim.contract.annotations import named, without_none
from confsim.contract.operation import Operation
from confsim.control.export.calls import api_call, json_of
from confsim.control.scenarios import compile_scenario, run_scenario
from confsim.kernel.world import World
from confsim.service.entries import JournalEntry
from confsim.testing.samples import UNKNOWN_ID, Arguments, IdPool
from kit import CUSTOMER, OTHER, PARTNER, START, ok
from kit.catalogue_walk import walk

from .things_of_tenants import made, ours, recorded, theirs

CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-user", "demo-partner-admin")
UNKNOWN_NUMBER = 999999999
#: What would shut the callers out of the world they live in: called last.
LAST = (
    "accept_terms",
    "delete_api_token",
    "promulgate_terms",
    "regenerate_api_token",
    "remove_access_level",
    "set_client_service_state",
)
ROLE_FIRST = {"checks.order": "role first"}
_OTHERS, _GONE = "another tenant's", "a deleted"
_ROLE = {"role_missing", "no_user_context", "guest_elsewhere"}


class Place(NamedTuple):
    """A place of an operation that takes an id, what it names (``types.Names``), and the id that it has."""

    where: str
    name: str
    kind: str
    given: object

    @property
    def missing(self) -> object:
        """An id of the same form that names nothing."""
        if isinstance(self.given, int):
            return UNKNOWN_NUMBER
        return str(UNKNOWN_NUMBER) if self.fits(str(UNKNOWN_NUMBER)) else UNKNOWN_ID

    def fits(self, id: object) -> bool:
        """Whether an id has the form of the given one: a number, a text, or the number of a phone."""
        numbers = [str(each).removeprefix("+").isdecimal() or each == "me" for each in (self.given, id)]
        return numbers[0] is numbers[1] and (self.where != "body" or isinstance(id, type(self.given)))

    def put(self, arguments: Arguments, id: object) -> Arguments:
        """The arguments with this id there."""
        if self.where == "body":
            there = arguments.body[self.name]
            body = {**arguments.body, self.name: [id] if isinstance(there, list) else id}
            return replace(arguments, body=body)
        return replace(arguments, **{self.where: {**getattr(arguments, self.where), self.name: str(id)}})


class Case(NamedTuple):
    """A call that succeeded, the world before it, and the ids of things that had been deleted by then."""

    operation: Operation
    caller: str | None
    arguments: Arguments
    world: World
    at: int
    gone: dict[str, set[object]] = {}

    def ask(self, caller: str | None, arguments: Arguments, **profile: Any) -> tuple[int, Any]:
        """Status and body of the answer to the call by a caller with these arguments."""
        return answer(self.begin(**profile), self.operation, caller, arguments)

    def begin(self, **profile: Any) -> Simulator:
        """A simulator of the world."""
        simulator = Simulator("empty", clock=self.at, **profile)
        simulator.service.live.replace(self.world)
        return simulator


def answer(simulator: Simulator, operation: Operation, caller: str | None, arguments: Arguments) -> tuple[int, Any]:
    """Status and body of the answer to a call."""
    found = simulator.call(operation.name, caller, **arguments.keywords)
    assert simulator.service.bugs == []
    return found.status, found.content.decode("latin-1")


def places(operation: Operation, arguments: Arguments) -> Iterator[Place]:
    """The places of these arguments that take an id."""
    for parameter in operation.path_parameters:
        if parameter.names:
            yield Place("path", parameter.name, parameter.names, arguments.path[parameter.name].partition(",")[0])
    for queried in operation.query_parameters:
        if queried.names and queried.name in arguments.query:
            yield Place("query", queried.name, queried.names, arguments.query[queried.name].partition(",")[0])
    body = operation.body
    if body is not None and isinstance(arguments.body, dict) and hasattr(body.type, "__struct_fields__"):
        for field in msgspec.structs.fields(body.type):
            _, kind = named(without_none(field.type))
            given = arguments.body.get(field.encode_name)
            if kind and given is not None:
                yield Place("body", field.encode_name, kind, given[0] if isinstance(given, list) else given)


def collected() -> dict[str, Case]:
    """A call of each operation that succeeded, in a world that knows as many of the ids to try as there are.

    They come from walks of the demo client after walks of an unrelated one, the first of which removes things, from a
    walk through everything, and from the scenarios.
    """
    simulator, everything = _beside_another(), _beside_another()
    others = [operation.name for operation in API if operation.name not in LAST]
    walks = (
        *((simulator, walk(simulator, CUSTOMER, CALLERS, (turn,), left)) for turn, left in ((0, LAST), (1, LAST))),
        (simulator, walk(simulator, CUSTOMER, CALLERS, (2,), others)),
        (everything, walk(everything, CUSTOMER, CALLERS)),
    )
    best: dict[str, tuple[int, Case]] = {}
    gone: dict[int, _Gone] = {}
    for walked, steps in walks:
        deleted = gone.setdefault(id(walked), _Gone(walked.service.world))
        for step in steps:
            entry = walked.service.journal.last()
            if entry is not None and step.answer.ok:
                case = Case(step.operation, step.caller, step.arguments, entry.before, entry.at, deleted.known())
                _keep(best, case)
                deleted.follow(entry)
    start = _beside_another()
    removed = _removed(start)
    for name in library.SHIPPED:
        for case in _played(name, start, removed):
            _keep(best, case)
    return {name: case for name, (_, case) in best.items()}


def _keep(best: dict[str, tuple[int, Case]], case: Case) -> None:
    """Keep the case where it lets more places be tried than the one before."""
    name, wanted = case.operation.name, list(places(case.operation, case.arguments))
    if name in best and best[name][0] >= 2 * len(wanted):
        return
    tried = [id for place in wanted for id in (_other_id(case.world, place), _gone_id(case, place)) if id is not None]
    if name not in best or len(tried) > best[name][0]:
        best[name] = len(tried), case


class _Gone:
    """The ids of things of the demo client that were deleted, by table."""

    def __init__(self, world: World, earlier: dict[str, set[object]] | None = None) -> None:
        self._there = _ids(world)
        self._gone = {table: set(ids) for table, ids in (earlier or {}).items()}

    def known(self) -> dict[str, set[object]]:
        """The ids so far."""
        return {table: set(ids) for table, ids in self._gone.items()}

    def refresh(self, world: World) -> None:
        """Take up what there is."""
        self._there = _ids(world)

    def follow(self, entry: JournalEntry) -> None:
        """Take up what a call deleted."""
        if entry.after is entry.before:
            return
        now = _ids(entry.after)
        for table, ids in self._there.items():
            lost = ids - now.get(table, set())
            if lost:
                self._gone.setdefault(table, set()).update(lost)
        self._there = now


def _beside_another() -> Simulator:
    """The demo world, in which the unrelated client has something of most kinds."""
    simulator = Simulator(clock=START)
    removing = [operation.name for operation in API if operation.method == "DELETE"]
    for _ in walk(simulator, OTHER, ("demo-other-admin",), rounds=(20,), leave_out=(*removing, *LAST)):
        pass
    ok(simulator, "set_user_email", "demo-other-admin", userId="me", body={"email": "recorded@example.com"})
    ok(simulator, "verify_user_email", "demo-other-admin", userId="me", code=simulator.mail[-1].code)
    recorded(theirs(simulator), "Recorded")
    ok(simulator, "reserve_handle", "demo-other-admin", body={"handle": "Reserved"})
    ok(simulator, "create_gateway_endpoint", "demo-other-admin", userId="me", body={"kind": "RTMP"})
    return simulator


def _removed(simulator: Simulator) -> dict[str, set[object]]:
    """Make a channel of the demo client with something of each kind in it that a channel takes along, and delete it."""
    deleted = _Gone(simulator.service.world)

    def done(operation: str, caller: str = "demo-owner", **arguments: Any) -> Any:
        made = ok(simulator, operation, caller, **arguments)
        entry = simulator.service.journal.last()
        assert entry is not None
        deleted.follow(entry)
        return made

    uuid = recorded(ours(simulator), "Recorded")
    done("set_event_room_state", uuid=uuid, state="enable")
    breakout = done("create_breakout_session", uuid=uuid, body={})["id"]
    done("create_breakout_room", uuid=uuid, breakoutSession=breakout, body={})
    done("upload_channel_media", uuid=uuid, name="one", body=b"x")
    done("set_events_state", "demo-customer-admin", state="enable")
    token = done("create_api_token", "demo-customer-admin", body={})["id"]
    endpoint = done("add_events_endpoint", "demo-customer-admin", body={"url": "https://gone.example/"})["id"]
    deleted.refresh(simulator.service.world)
    done("delete_api_token", "demo-customer-admin", tokenId=token)
    done("remove_events_endpoint", "demo-customer-admin", id=endpoint)
    done("set_events_state", "demo-customer-admin", state="disable")
    done("delete_channel", uuid=uuid)
    return deleted.known()


def _played(name: str, start: Simulator, removed: dict[str, set[object]]) -> Iterator[Case]:
    """The calls of a scenario that succeeded, from a start, before which things had been removed."""
    simulator = start.fork()
    simulator.requests.most = 100_000
    context = simulator.control.context
    deleted = _Gone(simulator.service.world, removed)
    run_scenario(compile_scenario(name, {}), context)
    for entry in simulator.service.journal:
        call = api_call(context, entry)
        if call.operation is not None and entry.response.status < 400:
            is_json, body = json_of(entry.request.body)
            arguments = Arguments(call.texts, call.values, body if is_json else entry.request.body or None)
            yield Case(call.operation, call.token, arguments, entry.before, entry.at, deleted.known())
        deleted.follow(entry)


def _ids(world: World) -> dict[str, set[object]]:
    """The ids of the things of the demo client, by table."""
    return {
        table: set(ids) for client in (CUSTOMER, PARTNER) for table, ids in IdPool(world, client).by_table().items()
    }


def _other_id(world: World, place: Place) -> object | None:
    """An id of a thing of the unrelated client that is none of ours."""
    if place.kind == "clients":
        return OTHER
    ours = {str(id) for client in (CUSTOMER, PARTNER) for id in IdPool(world, client).all()}
    found = IdPool(world, OTHER)
    return next((id for id in found.list_ids(place.kind) if str(id) not in ours and place.fits(id)), None)


def _gone_id(case: Case, place: Place) -> object | None:
    """The id of a thing of ours that was deleted."""
    pool = IdPool(case.world, CUSTOMER)
    pool._ids = {table: sorted(ids, key=str) for table, ids in case.gone.items()}
    there = {str(id) for client in (CUSTOMER, PARTNER, OTHER) for id in IdPool(case.world, client).all()}
    return next((id for id in pool.list_ids(place.kind) if str(id) not in there and place.fits(id)), None)


#: Why there is no id of a kind to try: cells by whose it is to be and its kind.
IMPOSSIBLE = {
    **{
        f"a deleted id of {kind}": "no call deletes any"
        for kind in ("app_sessions", "clients", "sources", "validators")
    },
    **{
        f"{whose} id of asset_tokens": "it is no id but the credential of a call without a caller: signed, not stored, "
        "and open to whoever has it"
        for whose in (_OTHERS, _GONE)
    },
}


class Found(NamedTuple):
    """What was found of one cell of the matrix; ``problem`` is empty where all is as it is to be.

    ``tried`` is False where there is no such id, nor a way to one: ``IMPOSSIBLE`` says why.
    """

    operation: str
    cell: str
    problem: str = ""
    tried: bool = True


def tenants(case: Case) -> Iterator[Found]:
    """Each place of the call, with an id of somebody else and with one that is gone.

    A public call names any client there is: that is what it is for.
    """
    operation, caller, arguments = case.operation, case.caller, case.arguments
    for place in places(operation, arguments):
        if operation.public and place.kind == "clients":
            continue
        for whose in (_OTHERS, _GONE):
            there, id = _to_try(case, place, whose)
            where = f"{place.where} {place.name}"
            if id is None:
                yield Found(operation.name, f"{whose} id of {place.kind}", tried=False)
                continue
            missing = place.missing
            expected = _reported(there.ask(caller, place.put(arguments, missing)), missing)
            found = _reported(there.ask(caller, place.put(arguments, id)), id)
            problem = "" if found == expected else f"{where}: {found} in place of {expected}"
            if there is not case and there.ask(caller, arguments)[0] >= 400:
                problem = f"{where}: where one more was made, the call itself is refused"
            yield Found(operation.name, f"{whose} id", problem)


def _to_try(case: Case, place: Place, whose: str) -> tuple[Case, object | None]:
    """An id to try there, of the world of the case or of one more thing in it; None where there can be none."""
    id = _other_id(case.world, place) if whose is _OTHERS else _gone_id(case, place)
    if id is not None:
        return case, id
    simulator = case.begin()
    one = made((theirs if whose is _OTHERS else ours)(simulator), place.kind, case.arguments)
    if one is None:
        return case, None
    id, remove = one
    if whose is _GONE:
        if remove is None:
            return case, None
        remove()
    return case._replace(world=simulator.service.world, at=simulator.clock.now), id


def _reported(found: tuple[int, Any], id: object) -> tuple[int, Any]:
    return found[0], found[1].replace(str(id), "ID")


def credentials(case: Case) -> Iterator[Found]:
    """The call without a token, with one that nobody has, and with an expired one; a public call needs none."""
    operation, arguments = case.operation, case.arguments
    simulator = case.begin()
    expired = simulator.token(1002, "1s")
    simulator.clock.advance("1s")
    tokens = {"no token": None, "an unknown token": "nobody", "an expired token": expired}
    codes = dict(zip(tokens, ("credential_missing", "credential_invalid", "credential_expired"), strict=True))
    for which, token in tokens.items():
        status, body = answer(simulator.fork(), operation, token, arguments)
        refused = status == 401 and codes[which] in body
        right = refused is not operation.public
        yield Found(operation.name, which, "" if right else f"{which}: {status} {body}")


def roles(case: Case) -> Iterator[Found]:
    """The call of somebody of too low a role: refused for it, before or after what is missing as the profile says.

    A missing input is never reported before the role.
    """
    operation, arguments = case.operation, case.arguments
    if operation.public:
        return
    simulator = case.begin()
    low = simulator.make_user(CUSTOMER, "Nobody of note", registered=True).token
    world = simulator.service.world
    case = case._replace(world=world)
    status, body = case.ask(low, arguments)
    if status != 403 or not any(f'"code":"{code}"' in body for code in _ROLE):
        return
    yield Found(operation.name, "a lower role", "")
    if '"operation":"for_client"' in body:  # which comes before existence, in either order
        return
    objects = {parameter.name for parameter in operation.path_parameters if not parameter.is_input}
    for place in places(operation, arguments):
        there = place.put(arguments, place.missing)
        is_object = place.where == "path" and place.name in objects
        may = case.ask(case.caller, there) if is_object else (status, body)
        for order, expected in (({}, may), (ROLE_FIRST, (status, body))):
            found = case.ask(low, there, profile=order)
            name = "a lower role, and a missing id" + (", role first" if order else "")
            yield Found(operation.name, name, "" if found == expected else f"{place.name}: {found}, not {expected}")
