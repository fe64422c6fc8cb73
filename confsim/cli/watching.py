"""The watch over the files of a served world, which restarts when one of them changes.

Own code: a few files are compared at each tick of the server, without a thread or a compiled package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os.path import isfile
from pathlib import Path

from confsim.kernel.refusal import Misuse
from confsim.simulator import Simulator

#: The version of a file: modification time in nanoseconds and size; None when it does not exist.
Stamp = tuple[int, int] | None


class Watch:
    """Restarts a simulator from its files when they have changed: call it periodically.

    An invalid file, or one that is missing while an editor writes it, leaves the world as it is.
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
        self._stamps = self._versions_of_files()

    def __call__(self) -> None:
        """Restart if a file has changed since the last call."""
        stamps = self._versions_of_files()
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

    def _versions_of_files(self) -> dict[Path, Stamp]:
        return {file: _stamp(file) for file in self.files}


def _files(given: Iterable[str | None]) -> set[Path]:
    """Return the names that are files, and not shipped worlds or scenarios."""
    return {Path(each) for each in given if each is not None and isfile(each)}


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
