"""Modules that a pytest run inside a test imports: they stay.

Pytest forgets them after the run. What is imported again is there twice, and an exception of one copy is not caught by
the name of the other. A plugin of such runs (``-p kit.processes.imported``).
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

_imported: dict[str, ModuleType] = {}


def pytest_configure() -> None:
    """Begin with what earlier runs of the test imported."""
    restore()


def pytest_unconfigure() -> None:
    """Remember what was imported, but for the files of the run itself."""
    here = os.path.join(os.getcwd(), "")
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name != "__main__" and not (file and file.startswith(here)):  # thousands: Path takes longer than most runs
            _imported[name] = module


def restore() -> None:
    """Import again, as it was, what has been forgotten."""
    for name, module in _imported.items():
        sys.modules.setdefault(name, module)
    _imported.clear()
