"""confsim: a service double of a multi-tenant web-conferencing REST API, in process and in pure Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .kernel.refusal import Misuse
    from .service.clock import Clock
    from .service.messages import Answer
    from .simulator import Simulator

__version__ = "0.1.0"
__all__ = ["Answer", "Clock", "Misuse", "Simulator", "__version__"]

_MODULES = {
    "Answer": ".service.messages",
    "Clock": ".service.clock",
    "Misuse": ".kernel.refusal",
    "Simulator": ".simulator",
}


def __getattr__(name: str) -> object:
    """The public names, imported when they are first asked for."""
    if name in _MODULES:
        from importlib import import_module

        value: object = getattr(import_module(_MODULES[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'confsim' has no attribute {name!r}")
