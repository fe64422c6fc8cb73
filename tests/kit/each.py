"""One test over many cases, where a test for each would cost more than what it checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def each(names: str, cases: Iterable[Any], ids: Callable[[Any], str] | None = None) -> Callable[..., Any]:
    """Return a decorator that runs a test for every case, as ``pytest.mark.parametrize`` does, but as one test.

    All cases are run; the test fails with a group of every failure, each noted with the name of its case (``ids`` of
    the case, by default its repr). Fixtures are set up once, so a check that changes one works on a fork of it.
    ``names`` are those of the parameters, parted by commas; a case of several is a tuple. Raises ValueError where
    there is no case.
    """
    parameters, cases = [name.strip() for name in names.split(",")], list(cases)
    if not cases:
        raise ValueError(f"no case of {names}")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def whole(**fixtures: Any) -> None:
            failed = []
            for case in cases:
                values = case if len(parameters) > 1 else [case]
                try:
                    test(**fixtures, **dict(zip(parameters, values, strict=True)))
                except Exception as error:
                    error.add_note(f"case: {ids(case) if ids else repr(case)}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(cases)} cases", failed)

        signature = inspect.signature(test)
        others = [each for name, each in signature.parameters.items() if name not in parameters]
        whole.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return whole

    return decorate


def by_name(thing: Any) -> str:
    """The name of an operation, a reason or a machine, for ``ids``."""
    return str(thing.name)
