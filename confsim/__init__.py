"""confsim: a service double of a multi-tenant web-conferencing REST API, in process and in pure Python."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from confsim.once import import_once as _import_once

from .version import __version__

if TYPE_CHECKING:
    from . import demo
    from .control.coverage.report import CoverageReport
    from .control.facade.assertions import Mails
    from .control.facade.clock import ClockFacade
    from .control.facade.faults import FaultsFacade
    from .control.facade.people import CallsFacade, PresenceFacade
    from .control.facade.requests import RequestsFacade
    from .control.facade.webhooks import WebhooksFacade
    from .control.facade.worlds import WorldsFacade
    from .control.journal_view import RequestInfo
    from .control.labels.timer import FiredTimer
    from .control.operations.faults import FaultInfo
    from .control.operations.mail import MailInfo
    from .control.operations.people.accounts import MadeClient, MadeUser, RedeemedInvitation
    from .control.operations.people.phones import DialedIn, PhoneCall
    from .control.operations.people.presence import InChannel, JoinedChannel
    from .control.operations.people.provisioning import MadeValidator
    from .control.operations.webhooks import DeliveryInfo
    from .demo import Demo, DemoUser
    from .http.clients import Client
    from .http.clients_httpx import HttpxTransport
    from .http.live.serving import Serving
    from .kernel.refusal import Misuse
    from .operation_names import OperationName
    from .pytest_plugin.worlds import MakeConfsim, Server
    from .service.clock import Clock
    from .service.durable.recorder import DurableWorlds
    from .service.messages import Answer, HeaderLines, StatusError
    from .service.webhooks.receivers import Message
    from .simulator import Simulator
    from .transport.undeclared import IgnoredInputWarning

_MODULES = {
    "Answer": ".service.messages",
    "CallsFacade": ".control.facade.people",
    "Client": ".http.clients",
    "Clock": ".service.clock",
    "ClockFacade": ".control.facade.clock",
    "CoverageReport": ".control.coverage.report",
    "DeliveryInfo": ".control.operations.webhooks",
    "Demo": ".demo",
    "DemoUser": ".demo",
    "DialedIn": ".control.operations.people.phones",
    "DurableWorlds": ".service.durable.recorder",
    "FaultInfo": ".control.operations.faults",
    "FaultsFacade": ".control.facade.faults",
    "FiredTimer": ".control.labels.timer",
    "HeaderLines": ".service.messages",
    "HttpxTransport": ".http.clients_httpx",
    "IgnoredInputWarning": ".transport.undeclared",
    "InChannel": ".control.operations.people.presence",
    "JoinedChannel": ".control.operations.people.presence",
    "MadeClient": ".control.operations.people.accounts",
    "MadeUser": ".control.operations.people.accounts",
    "MadeValidator": ".control.operations.people.provisioning",
    "MailInfo": ".control.operations.mail",
    "Mails": ".control.facade.assertions",
    "MakeConfsim": ".pytest_plugin.worlds",
    "Message": ".service.webhooks.receivers",
    "Misuse": ".kernel.refusal",
    "OperationName": ".operation_names",
    "PhoneCall": ".control.operations.people.phones",
    "PresenceFacade": ".control.facade.people",
    "RedeemedInvitation": ".control.operations.people.accounts",
    "RequestInfo": ".control.journal_view",
    "RequestsFacade": ".control.facade.requests",
    "Server": ".pytest_plugin.worlds",
    "Serving": ".http.live.serving",
    "Simulator": ".simulator",
    "StatusError": ".service.messages",
    "WebhooksFacade": ".control.facade.webhooks",
    "WorldsFacade": ".control.facade.worlds",
}

__all__ = [
    "Answer",
    "CallsFacade",
    "Client",
    "Clock",
    "ClockFacade",
    "CoverageReport",
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
    "IgnoredInputWarning",
    "InChannel",
    "JoinedChannel",
    "MadeClient",
    "MadeUser",
    "MadeValidator",
    "MailInfo",
    "Mails",
    "MakeConfsim",
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

_import_once(sys.modules[__name__])

if not TYPE_CHECKING:  # a type checker must report unknown names

    def __getattr__(name: str) -> object:
        """Import a public name on first use."""
        __tracebackhide__ = True
        from importlib import import_module

        if name == "demo":
            return import_module(".demo", __name__)
        if name in _MODULES:
            value: object = getattr(import_module(_MODULES[name], __name__), name)
            globals()[name] = value
            return value
        from confsim.kernel.refusal import suggest_near

        meant = "" if name.startswith("_") else suggest_near(name, __all__)
        raise AttributeError(f"module 'confsim' has no attribute {name!r}{meant}")
