"""A refused call leaves no trace in the world, no matter who makes it and whatever is wrong with it."""

from __future__ import annotations

from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.control.catalogue import CONTROL
from confsim.kernel.refusal import Misuse
from confsim.testing.samples import IdPool, invalid, valid
from confsim.transport.address import address
from kit import CUSTOMER, START
from kit.catalogue_walk import call
from kit.each import by_name, each

OPERATIONS = list(API)
#: Asking for something in the making starts the making: the one refusal that keeps its change (G345).
STARTS_SOMETHING = {"get_streaming_proxy"}


def left_as_it_was(simulator, operation, caller, arguments):
    """Make the call in a fork; a refusal must leave the digest as it was, and nothing may be a bug."""
    fork = simulator.fork()
    before = fork.service.world
    answer = call(fork, operation, caller, arguments)
    assert fork.service.bugs == [], (arguments.about, caller)
    if answer.status >= 400 and not (answer.status == 409 and operation.name in STARTS_SOMETHING):
        after = fork.service.world
        assert after is before or after.digest() == before.digest(), (arguments.about, caller)
    return answer


@each("operation", OPERATIONS, ids=by_name)
def test_bad_callers_leave_no_trace(lived, operation):
    """Callers without, with a wrong or with another client's token, guests and plain users."""
    pool = IdPool(lived.service.world, CUSTOMER)
    callers = (None, "", "nobody", "demo-guest", "demo-user", "demo-other-admin", "demo-partner-admin")
    for caller in callers:
        left_as_it_was(lived, operation, caller, valid(operation, pool, 1))


@each("operation", OPERATIONS, ids=by_name)
def test_bad_arguments_leave_no_trace(lived, operation):
    """Every way to spoil ids, parameters and bodies, by callers who may make the call."""
    pool = IdPool(lived.service.world, CUSTOMER)
    for arguments in invalid(operation, pool):
        for caller in ("demo-owner", "demo-customer-admin", "demo-api-token"):
            left_as_it_was(lived, operation, caller, arguments)


def around(simulator):
    """Everything that a command can change."""
    service, server = simulator.service, simulator.app.worlds
    worlds = {name: each.world.digest() for name, each in server.items()}
    history = service.history.origin.digest(), tuple(service.history.snapshots)
    return (
        worlds,
        history,
        service.clock.values(),
        service.faults.state(),
        service.settings,
        simulator.app.worlds.settings,
    )


@each("operation", [operation for operation in CONTROL if not operation.waits], ids=by_name)
def test_bad_commands_leave_no_trace(operation):
    """Every way to spoil what a command of the control plane takes is refused, and nothing has changed."""
    simulator = Simulator(clock=START)
    simulator.snapshot("saved")
    before = around(simulator)
    for arguments in invalid(operation, IdPool(simulator.service.world, CUSTOMER)):
        try:
            call = address(operation, {**arguments.path, **arguments.query}, {}, body=arguments.raw() or None)
        except Misuse:
            continue  # what cannot be sent at all
        response = simulator.app(replace(call.request, headers={"content-type": "application/json"}))
        assert response.status < 500, (arguments.about, response.body)
        if response.status >= 400:
            assert around(simulator) == before, arguments.about
        else:
            simulator = Simulator(clock=START)
            simulator.snapshot("saved")
