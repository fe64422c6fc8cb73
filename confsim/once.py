"""Modules of confsim are imported once in a process.

They declare assumptions, tables and machines, which exist once. Some tools take modules out of ``sys.modules``, such as
``mock.patch.dict(sys.modules)`` and pyfakefs, which remove what was imported while they were active. With the next
import of any module of confsim, those that were there are there again: second ones would be at odds with the first.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class ImportedOnce:
    """Finds the modules of a package that were imported before; ``importlib.reload`` leaves them as they are."""

    def __init__(self, package: ModuleType) -> None:
        self._package = package
        #: The names of all that were imported, those first that others are in.
        self._names = [package.__name__]

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module that was imported before is imported again; None for any other."""
        if name.partition(".")[0] != self._package.__name__:
            return None
        module = target or self._imported(name)
        if module is None:
            self._names.append(name)
            return None
        own = module.__spec__
        assert own is not None
        # importing importlib.abc, for its base classes, takes longer than all of this module
        spec = ModuleSpec(name, self, origin=own.origin, loader_state=own)  # type: ignore[arg-type]
        spec.submodule_search_locations = own.submodule_search_locations
        return spec

    def _imported(self, name: str) -> ModuleType | None:
        """Return the module of a name, which its parent holds once it is imported."""
        parent, _, last = name.rpartition(".")
        if not parent:
            return self._package
        module = vars(sys.modules[parent]).get(last) if parent in sys.modules else None
        return module if isinstance(module, ModuleType) and module.__name__ == name else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module that was imported before."""
        return self._imported(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is, with its own specification, and bring back all others."""
        spec = module.__spec__
        assert spec is not None
        module.__spec__ = spec.loader_state
        module.__loader__ = spec.loader_state.loader
        for each in self._names:
            if each not in sys.modules and (found := self._imported(each)) is not None:
                sys.modules[each] = found


def import_once(package: ModuleType) -> None:
    """Import the modules of a package once from now on."""
    sys.meta_path.insert(0, ImportedOnce(package))
