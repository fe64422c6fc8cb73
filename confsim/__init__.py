"""confsim: a service double of a multi-tenant web-conferencing REST API, in process and in pure Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .version import __version__

if TYPE_CHECKING:
    from . import demo
    from .control.assertions import Mails
    from .control.journal_view import RequestInfo
    from .control.operations.calls import DialedIn, PhoneCall
    from .control.operations.faults import FaultInfo
    from .control.operations.mail import MailInfo
    from .control.operations.people import MadeClient, MadeUser, RedeemedInvitation
    from .control.operations.presence import InChannel, JoinedChannel
    from .control.operations.webhooks import DeliveryInfo
    from .kernel.refusal import Misuse
    from .operation_names import OperationName
    from .pytest_plugin.worlds import Server
    from .service.clock import Clock
    from .service.messages import Answer, StatusError
    from .service.webhooks.receivers import Message
    from .simulator import Simulator

_MODULES = {
    "Answer": ".service.messages",
    "Clock": ".service.clock",
    "DeliveryInfo": ".control.operations.webhooks",
    "DialedIn": ".control.operations.calls",
    "FaultInfo": ".control.operations.faults",
    "InChannel": ".control.operations.presence",
    "JoinedChannel": ".control.operations.presence",
    "MadeClient": ".control.operations.people",
    "MadeUser": ".control.operations.people",
    "MailInfo": ".control.operations.mail",
    "Mails": ".control.assertions",
    "Message": ".service.webhooks.receivers",
    "Misuse": ".kernel.refusal",
    "OperationName": ".operation_names",
    "PhoneCall": ".control.operations.calls",
    "RedeemedInvitation": ".control.operations.people",
    "RequestInfo": ".control.journal_view",
    "Server": ".pytest_plugin.worlds",
    "Simulator": ".simulator",
    "StatusError": ".service.messages",
}

__all__ = [
    "Answer",
    "Clock",
    "DeliveryInfo",
    "DialedIn",
    "FaultInfo",
    "InChannel",
    "JoinedChannel",
    "MadeClient",
    "MadeUser",
    "MailInfo",
    "Mails",
    "Message",
    "Misuse",
    "OperationName",
    "PhoneCall",
    "RedeemedInvitation",
    "RequestInfo",
    "Server",
    "Simulator",
    "StatusError",
    "__version__",
    "demo",
]


def __getattr__(name: str) -> object:
    """The public names, imported when they are first asked for."""
    from importlib import import_module

    if name == "demo":
        return import_module(".demo", __name__)
    if name in _MODULES:
        value: object = getattr(import_module(_MODULES[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'confsim' has no attribute {name!r}")
