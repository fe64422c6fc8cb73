"""Watching the files that a served world is made from, so that it starts again when one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from confsim.kernel.refusal import Misuse
from confsim.simulator import Simulator

#: The version of a file: its time of modification in nanoseconds and its size; None when it was removed.
Stamp = tuple[int, int] | None


class Watch:
    """Lets a simulator start again from its files: call it now and then.

    A file that is wrong, or gone for a moment while an editor writes it, leaves the world as it is.
    """

    def __init__(
        self,
        simulator: Simulator,
        world: str,
        seed: int,
        profile: str | None,
        scenario: str | None,
        say: Callable[[str], object],
    ) -> None:
        self._simulator, self._say = simulator, say
        self._made_from = (world, seed, profile, scenario)
        self.files = sorted(_files((world, profile, scenario)))
        self._stamps = self._look()

    def __call__(self) -> None:
        """Start again if a file has changed since the last call."""
        stamps = self._look()
        changed = [str(file) for file in self.files if stamps[file] is not None and stamps[file] != self._stamps[file]]
        if not changed:
            return
        self._stamps = stamps
        try:
            self._simulator.start_again(*self._made_from)
        except Misuse as misuse:
            self._say(f"{', '.join(changed)} changed; the world stays as it is: {misuse}")
        else:
            self._say(f"{', '.join(changed)} changed; the world has started again")

    def _look(self) -> dict[Path, Stamp]:
        return {file: _stamp(file) for file in self.files}


def _files(given: Iterable[str | None]) -> set[Path]:
    """Those of the names that are files, and not shipped worlds or scenarios."""
    return {Path(each) for each in given if each is not None and Path(each).is_file()}


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
