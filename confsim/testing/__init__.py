"""Property-based contract testing: strategies for arguments, targets to call, journeys that drive them side by side.

``verify``, ``calibrate`` and ``observe`` compare a real service with a model of it, and return reports; ``probes`` and
``RAW_PROBES`` are the known calls and requests that show values of assumptions, ``seen`` has the best of each, and
``unseen`` why some have none. This is the only package that imports hypothesis; install ``confsim[testing]`` for the
parts that use it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confsim.reference.probes import Probe, ProbeCall, probes
    from confsim.reference.raw_probes import RAW_PROBES, RawProbe
    from confsim.transport.in_process import overriding

    from .bundles import ApiJourney
    from .calibrating.calibrator import CalibrateReport
    from .calibrating.learner import Contradiction
    from .calibrating.seeing import seen, unseen
    from .calibrating.session import calibrate, profile_text
    from .journey import Journey
    from .learning.accounts import Accounts, accounts_of, read_accounts
    from .learning.comparing.comparison import Comparison, Difference, Reply
    from .learning.comparing.correspondence import Correspondence
    from .learning.comparing.places import Shapes
    from .observing.observer import Observer
    from .observing.proxy import Proxy
    from .observing.report import Evidence, ObserveReport
    from .observing.session import observe
    from .rules_of_operations import api_journey
    from .samples import Arguments
    from .strategies import arguments
    from .targets import Core, Outcome, Target, Url, Wsgi
    from .verifying.findings import Divergence, VerifyReport
    from .verifying.session import verify

__all__ = [
    "RAW_PROBES",
    "Accounts",
    "ApiJourney",
    "Arguments",
    "CalibrateReport",
    "Comparison",
    "Contradiction",
    "Core",
    "Correspondence",
    "Difference",
    "Divergence",
    "Evidence",
    "Journey",
    "ObserveReport",
    "Observer",
    "Outcome",
    "Probe",
    "ProbeCall",
    "Proxy",
    "RawProbe",
    "Reply",
    "Shapes",
    "Target",
    "Url",
    "VerifyReport",
    "Wsgi",
    "accounts_of",
    "api_journey",
    "arguments",
    "calibrate",
    "observe",
    "overriding",
    "probes",
    "profile_text",
    "read_accounts",
    "seen",
    "unseen",
    "verify",
]

_MODULES = {
    "ApiJourney": "bundles",
    "Arguments": "samples",
    "Journey": "journey",
    "api_journey": "rules_of_operations",
    "arguments": "strategies",
    **dict.fromkeys(("Accounts", "accounts_of", "read_accounts"), "learning.accounts"),
    **dict.fromkeys(("Comparison", "Difference", "Reply"), "learning.comparing.comparison"),
    "Correspondence": "learning.comparing.correspondence",
    "Shapes": "learning.comparing.places",
    "CalibrateReport": "calibrating.calibrator",
    "Contradiction": "calibrating.learner",
    **dict.fromkeys(("seen", "unseen"), "calibrating.seeing"),
    **dict.fromkeys(("calibrate", "profile_text"), "calibrating.session"),
    **dict.fromkeys(("Evidence", "ObserveReport"), "observing.report"),
    "Observer": "observing.observer",
    "Proxy": "observing.proxy",
    "observe": "observing.session",
    **dict.fromkeys(("Divergence", "VerifyReport"), "verifying.findings"),
    # Of the package above:
    **dict.fromkeys(("Probe", "ProbeCall", "probes"), ".reference.probes"),
    **dict.fromkeys(("RAW_PROBES", "RawProbe"), ".reference.raw_probes"),
    "overriding": ".transport.in_process",
    "verify": "verifying.session",
    **dict.fromkeys(("Core", "Outcome", "Target", "Url", "Wsgi"), "targets"),
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that the parts without hypothesis work when it is not installed.

    No module here has the name of a public attribute: once imported, the module would hide that attribute.
    """
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
