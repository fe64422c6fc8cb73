"""The catalogue of the control plane: every theme of operations, in the order of the reference."""

from __future__ import annotations

from .declare import CONTROL

__all__ = ["CONTROL"]

#: The modules of each area, in the order of the reference.
FAMILIES = {
    "info": "operations.info summary.operation playing.attempt",
    "worlds": "operations.worlds playing.stories",
    "state": "operations.state",
    "clock": "operations.clock",
    "people": "operations.people.accounts",
    "presence": "operations.people.presence",
    "calls": "operations.people.phones",
    "faults": "operations.faults",
    "provisioning": "operations.people.provisioning",
    "records": "operations.records operations.browse history.operation labels.operation search.operation",
    "mail": "operations.mail",
    "webhooks": "operations.webhooks",
    "journal": "operations.journal history.listing why.operation history.moved operations.what_if operations.coverage",
    "export": "export.operation",
    "wait": "operations.wait",
    "names": "operations.names",
}

CONTROL.arrange(__package__, FAMILIES)
