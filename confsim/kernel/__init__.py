"""The kernel: worlds, changes, tables, timers, machines, refusals. The rooms above import what they use from here."""

from msgspec.structs import replace

from .ids import as_token, as_uuid
from .influence import Cascade, Coupling, Need
from .machine import Call, Creation, Details, Machine, Refused, Trigger
from .refusal import Misuse, NotYet, Refusal, suggest, suggest_near
from .rows import ABSENT, EXISTS, Computed, Enabled, Field, Filled, Flag, Guard, OnOff, Row
from .tables.indexes import CREATED, Index, Order, Total, Unique
from .tables.states import TableState
from .tables.table import Record, SecretForm, Table
from .tables.views import View, merged
from .timers import NEVER
from .two_states import Collection, Toggle
from .world import AT_END, Change, World

__all__ = [
    "ABSENT",
    "AT_END",
    "CREATED",
    "EXISTS",
    "NEVER",
    "Call",
    "Cascade",
    "Change",
    "Collection",
    "Computed",
    "Coupling",
    "Creation",
    "Details",
    "Enabled",
    "Field",
    "Filled",
    "Flag",
    "Guard",
    "Index",
    "Machine",
    "Misuse",
    "Need",
    "NotYet",
    "OnOff",
    "Order",
    "Record",
    "Refusal",
    "Refused",
    "Row",
    "SecretForm",
    "Table",
    "TableState",
    "Toggle",
    "Total",
    "Trigger",
    "Unique",
    "View",
    "World",
    "as_token",
    "as_uuid",
    "merged",
    "replace",
    "suggest",
    "suggest_near",
]  # fmt: skip
