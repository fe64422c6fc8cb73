"""confsim: a service double of a multi-tenant web-conferencing REST API, in process and in pure Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .version import __version__

if TYPE_CHECKING:
    from . import demo
    from .control.assertions import Mails
    from .control.facade import ClockFacade, FaultsFacade, RequestsFacade, WebhooksFacade
    from .control.facade_people import CallsFacade, PresenceFacade
    from .control.facade_worlds import WorldsFacade
    from .control.journal_view import FiredTimer, RequestInfo
    from .control.operations.calls import DialedIn, PhoneCall
    from .control.operations.faults import FaultInfo
    from .control.operations.mail import MailInfo
    from .control.operations.people import MadeClient, MadeUser, RedeemedInvitation
    from .control.operations.presence import InChannel, JoinedChannel
    from .control.operations.provisioning import MadeValidator
    from .control.operations.webhooks import DeliveryInfo
    from .demo import Demo, DemoUser
    from .http.clients import Client
    from .http.clients_httpx import HttpxTransport
    from .http.live.serving import Serving
    from .kernel.refusal import Misuse
    from .operation_names import OperationName
    from .pytest_plugin.worlds import Server
    from .service.clock import Clock
    from .service.durable.recorder import DurableWorlds
    from .service.messages import Answer, HeaderLines, StatusError
    from .service.webhooks.receivers import Message
    from .simulator import Simulator

_MODULES = {
    "Answer": ".service.messages",
    "CallsFacade": ".control.facade_people",
    "Client": ".http.clients",
    "Clock": ".service.clock",
    "ClockFacade": ".control.facade",
    "DeliveryInfo": ".control.operations.webhooks",
    "Demo": ".demo",
    "DemoUser": ".demo",
    "DialedIn": ".control.operations.calls",
    "DurableWorlds": ".service.durable.recorder",
    "FaultInfo": ".control.operations.faults",
    "FaultsFacade": ".control.facade",
    "FiredTimer": ".control.journal_view",
    "HeaderLines": ".service.messages",
    "HttpxTransport": ".http.clients_httpx",
    "InChannel": ".control.operations.presence",
    "JoinedChannel": ".control.operations.presence",
    "MadeClient": ".control.operations.people",
    "MadeUser": ".control.operations.people",
    "MadeValidator": ".control.operations.provisioning",
    "MailInfo": ".control.operations.mail",
    "Mails": ".control.assertions",
    "Message": ".service.webhooks.receivers",
    "Misuse": ".kernel.refusal",
    "OperationName": ".operation_names",
    "PhoneCall": ".control.operations.calls",
    "PresenceFacade": ".control.facade_people",
    "RedeemedInvitation": ".control.operations.people",
    "RequestInfo": ".control.journal_view",
    "RequestsFacade": ".control.facade",
    "Server": ".pytest_plugin.worlds",
    "Serving": ".http.live.serving",
    "Simulator": ".simulator",
    "StatusError": ".service.messages",
    "WebhooksFacade": ".control.facade",
    "WorldsFacade": ".control.facade_worlds",
}

__all__ = [
    "Answer",
    "CallsFacade",
    "Client",
    "Clock",
    "ClockFacade",
    "DeliveryInfo",
    "Demo",
    "DemoUser",
    "DialedIn",
    "DurableWorlds",
    "FaultInfo",
    "FaultsFacade",
    "FiredTimer",
    "HeaderLines",
    "HttpxTransport",
    "InChannel",
    "JoinedChannel",
    "MadeClient",
    "MadeUser",
    "MadeValidator",
    "MailInfo",
    "Mails",
    "Message",
    "Misuse",
    "OperationName",
    "PhoneCall",
    "PresenceFacade",
    "RedeemedInvitation",
    "RequestInfo",
    "RequestsFacade",
    "Server",
    "Serving",
    "Simulator",
    "StatusError",
    "WebhooksFacade",
    "WorldsFacade",
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
