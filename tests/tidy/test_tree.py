"""What stands at the top of the repository, and that no tool left its own files there."""

from __future__ import annotations

import subprocess

from kit.source import REPOSITORY

#: What the repository holds at its top, with the dot files that tools read.
TOP = {
    ".ci",
    ".gitignore",
    "LICENSE",
    "README.md",
    "confsim",
    "fixtures",
    "pyproject.toml",
    "scenarios",
    "tests",
}
#: Folders and files that tools write, wherever they stand.
WRITTEN = ("__pycache__", ".pyc", ".schemathesis", ".hypothesis", ".coverage", "_cache", ".orig", ".rej", ".bak")


def tracked() -> list[str]:
    """The paths of the files that the repository holds; none where there is no git."""
    listing = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return listing.stdout.splitlines()


def test_the_top_holds_what_is_designed():
    """A new file or folder at the top needs a reason of its own."""
    assert {path.partition("/")[0] for path in tracked()} <= TOP


def test_no_tool_wrote_a_tracked_file():
    """Caches, crash reports and copies of editors are ignored, not tracked."""
    assert [path for path in tracked() if any(part.endswith(WRITTEN) for part in path.split("/"))] == []
