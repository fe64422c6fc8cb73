"""The roof of the control plane: every theme of operations, in the order of the reference."""

from __future__ import annotations

from .declare import CONTROL
from .operations import (
    calls,
    clock,
    export,
    faults,
    info,
    journal,
    mail,
    names,
    numbers,
    people,
    presence,
    records,
    state,
    validators,
    wait,
    webhooks,
    worlds,
)

__all__ = ["CONTROL"]

CONTROL.arrange(
    {
        "info": (info,),
        "worlds": (worlds,),
        "state": (state,),
        "clock": (clock,),
        "people": (people,),
        "presence": (presence,),
        "calls": (calls,),
        "faults": (faults,),
        "validators": (validators,),
        "numbers": (numbers,),
        "records": (records,),
        "mail": (mail,),
        "webhooks": (webhooks,),
        "journal": (journal,),
        "export": (export,),
        "wait": (wait,),
        "names": (names,),
    }
)
