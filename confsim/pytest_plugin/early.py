"""Imports before the tests: pyfakefs removes the modules that are imported while it replaces the file system.

Those of confsim are there again when they are needed, but they would keep the replaced file system; compiled ones of
other packages can be imported only once in a process.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules, walk_packages

import pytest

#: Modules of other packages that confsim imports with the first call that needs them.
_LATER = (
    "cryptography.x509",
    "jsonpath_rfc9535",
    "jsonschema",
    "jwt",
    "phonenumbers",
    "regex",
    "standardwebhooks",
    "websockets",
)
#: Parts of confsim that no simulator uses.
_APART = {"__main__", "assistant", "cli", "testing"}


#: Fixtures whose tests use confsim, and those of pyfakefs, whose tests may import it.
_USING = {"_confsim_test", "confsim_module", "confsim_session", "fs", "fs_class", "fs_module", "fs_session"}


def import_before_fakes(items: list[pytest.Item]) -> None:
    """Import all of confsim if tests use it or may do so under a replaced file system, which takes most of a second."""
    if "confsim.simulator" in sys.modules or any(_USING & set(getattr(each, "fixturenames", ())) for each in items):
        import confsim

        names = [f"confsim.{each.name}" for each in iter_modules(confsim.__path__) if each.name not in _APART]
        for name in names:
            within = getattr(import_module(name), "__path__", ())
            for each in walk_packages(within, f"{name}."):
                with suppress(ImportError):  # a client whose package is not installed
                    import_module(each.name)
        for name in _LATER:
            import_module(name)
