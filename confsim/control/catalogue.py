"""The catalogue of the control plane: every theme of operations, in the order of the reference."""

from __future__ import annotations

from .declare import CONTROL
from .export import operation as export
from .operations import (
    browse,
    clock,
    coverage,
    faults,
    info,
    journal,
    mail,
    names,
    records,
    state,
    wait,
    webhooks,
    what_if,
    worlds,
)
from .operations.people import accounts, phones, presence, provisioning
from .search import operation as search

__all__ = ["CONTROL"]

CONTROL.arrange(
    {
        "info": (info,),
        "worlds": (worlds,),
        "state": (state,),
        "clock": (clock,),
        "people": (accounts,),
        "presence": (presence,),
        "calls": (phones,),
        "faults": (faults,),
        "provisioning": (provisioning,),
        "records": (records, browse, search),
        "mail": (mail,),
        "webhooks": (webhooks,),
        "journal": (journal, what_if, coverage),
        "export": (export,),
        "wait": (wait,),
        "names": (names,),
    }
)
