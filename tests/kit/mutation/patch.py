"""A mutant put into force: in functions that there are already, or while its module is imported."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .operators import Mutant, mutated

#: What imports all modules that mutants are made of.
EVERYTHING = ("confsim.api.catalogue", "confsim.transport.in_process")
Place = tuple[str, str, tuple[Any, ...]]


class FixedTooEarlyError(Exception):
    """The change cannot be made in functions that there are: it shows only when the module is imported anew."""


class Functions:
    """The functions of a package that are alive, by the place of their code."""

    def __init__(self, root: Path, sources: Path) -> None:
        self.root = root
        self._compiled: dict[str, CodeType] = {}
        self._found: dict[Place, list[FunctionType]] = {}
        gc.unfreeze()
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(str(sources)):
                self._found.setdefault(place_of(thing.__code__), []).append(thing)
        gc.freeze()

    def changed(self, mutant: Mutant) -> list[tuple[CodeType, CodeType]]:
        """The code that the mutant changes, each in its old and its new form."""
        path = self.root / mutant.path
        source = path.read_text()
        if mutant.path not in self._compiled:
            self._compiled[mutant.path] = _compiled(source, path)
        return list(_differing(self._compiled[mutant.path], _compiled(mutated(source, mutant.number), path)))

    def change(self, codes: list[tuple[CodeType, CodeType]]) -> None:
        """Let the functions run the new code. Raises FixedTooEarlyError when that changes nothing."""
        done = False
        for old, new in codes:
            for function in self._found.get(place_of(old), ()):
                if len(new.co_freevars) != len(function.__code__.co_freevars):
                    raise FixedTooEarlyError
                function.__code__ = new
                done = True
        if not done:
            raise FixedTooEarlyError


def _compiled(code: Any, path: Path) -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as "is" with a literal
        return compile(code, str(path), "exec", dont_inherit=True)


def place_of(code: CodeType) -> Place:
    """The file, the qualified name and the position of code."""
    position = next((place for place in code.co_positions() if place[2]), (code.co_firstlineno,))
    return code.co_filename, code.co_qualname, (code.co_firstlineno, *position)


def _differing(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Code that differs, each in its old and its new form, from the outside in."""
    if old == new:
        return
    yield old, new
    inner = [[each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new)]
    if len(inner[0]) == len(inner[1]):
        for pair in zip(*inner, strict=True):
            yield from _differing(*pair)


class Importer:
    """Imports a module as its mutant; everything else as it is."""

    def __init__(self, root: Path, mutant: Mutant) -> None:
        self.path = root / mutant.path
        self.name = ".".join(Path(mutant.path).with_suffix("").parts).removesuffix(".__init__")
        self.mutant = mutant

    def load(self) -> None:
        """Import confsim with the mutant in it, before pytest does. Raises what the mutant raises."""
        assert not any(name.startswith("confsim.") for name in sys.modules)
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]
        for name in EVERYTHING:
            importlib.import_module(name)
        importlib.import_module(self.name)
        assert isinstance(sys.modules[self.name].__loader__, _Loader)

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of this name, as the protocol of finders asks."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=_Loader(name, self.path, self.mutant))


class _Loader(SourceFileLoader):
    """Loads the mutant of a module."""

    def __init__(self, name: str, path: Path, mutant: Mutant) -> None:
        super().__init__(name, str(path))
        self._number = mutant.number

    def get_code(self, _: str) -> CodeType:
        """The code of the mutant."""
        path = Path(self.path)
        return _compiled(mutated(path.read_text(), self._number), path)
