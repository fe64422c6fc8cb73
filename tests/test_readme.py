"""What the README shows is what happens."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from confsim import __version__, guides
from confsim.control.bundle import document
from confsim.service.files.formats import FORMAT
from confsim.service.files.profile import read_profile
from kit.processes.commands import run_pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = {
    match[1]: match[0] for match in re.findall(r"^```python\n((?:# (test_\w+\.py)\n).*?)^```$", README, re.M | re.S)
}


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[[str], pytest.RunResult]:
    """Runs a block of the README as the file that it is."""

    def running(name: str) -> pytest.RunResult:
        pytester.makepyfile(**{name.removesuffix(".py"): BLOCKS[name]})
        return run_pytest()

    return running


@pytest.mark.parametrize(("name", "passed"), [("test_rooms.py", 1), ("test_my_client.py", 2)])
def test_the_tests_of_the_readme_pass(run: Callable[[str], pytest.RunResult], name: str, passed: int) -> None:
    """Each block is a file that pytest runs as it stands."""
    run(name).assert_outcomes(passed=passed)


def test_the_first_test_passes(pytester: pytest.Pytester) -> None:
    """The one before everything else."""
    pytester.makepyfile(re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S)[0])
    run_pytest(autoload=True).assert_outcomes(passed=1)


def test_the_profile_of_the_readme_is_one() -> None:
    """Every key names an assumption, every value is taken."""
    block = re.search(r"^```toml\n(.*?)^```$", README, re.M | re.S)
    assert block is not None
    profile = read_profile(tomllib.loads(block[1]))
    assert profile["encode.empty"] == "204"
    assert len(profile) == 3


def test_the_first_two_commands_are_the_ones_to_set_up() -> None:
    """One runs it, one tests it; both are one line."""
    commands = re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S)
    assert [len(command.strip().splitlines()) for command in commands] == [1, 1]
    assert "confsim serve" in commands[0]
    assert "pytest" in commands[1]


def test_every_file_that_the_readme_shows_is_there() -> None:
    """Guides, all of them, and screenshots of a size that a page can hold."""
    linked = re.findall(r"\]\((confsim/[^)]+)\)", README)
    root = Path(__file__).parent.parent
    assert [each for each in linked if not (root / each).is_file()] == []
    assert {Path(each).stem for each in linked if "/guides/" in each and each.endswith(".md")} == set(guides.NAMES)
    assert all((root / each).stat().st_size < 200_000 for each in linked if each.endswith(".png"))


def test_what_an_index_shows_leads_nowhere_else() -> None:
    """The page of the package there has no links and pictures of the checkout, and shows every extra of use."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / project["readme"]).read_text(encoding="utf-8")
    assert re.findall(r"\]\((?!https?://)", page) == []
    shown = set(re.findall(r"`confsim\[(\w+)\]`", page))
    assert shown == set(project["optional-dependencies"]) - {"test", "browser"}


def test_the_changelog_has_the_version_and_the_formats() -> None:
    """What is stored, by its number; the newest version first."""
    text = guides.get("changelog").text
    assert re.findall(r"^## (\S+)$", text, re.M)[0] == __version__
    assert f"State files and state directories are of format {FORMAT}." in text
    assert f"Bundles are of format {document.FORMAT}:" in text


def test_the_readme_is_short():
    """Guides hold what does not fit."""
    assert len((ROOT / "README.md").read_text().splitlines()) < 200
