from __future__ import annotations

import sys
from pathlib import Path

import pytest

from confsim.arazzo import library
from confsim.kernel.refusal import Misuse

TEXT = """
arazzo: 1.0.1
info: {title: A test, version: "1"}
sourceDescriptions: [{name: api, url: openapi.json}]
workflows:
  - workflowId: w
    steps: [{stepId: me, operationId: get_me}]
"""


def test_a_file_may_be_yaml(tmp_path):
    """It is read as what it says."""
    path = tmp_path / "test.arazzo.yaml"
    path.write_text(TEXT)
    assert library.load(path).workflows[0].steps[0].operation_id == "get_me"


def test_yaml_without_pyyaml_is_reported(tmp_path, monkeypatch):
    """With what to do about it."""
    path = tmp_path / "test.yml"
    path.write_text(TEXT)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(Misuse, match=r"PyYAML is not installed: pip install 'confsim\[yaml\]'"):
        library.load(str(path))


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.json", "{", "it ends too early"),
        ("a.json", "[]", "an Arazzo document is an object"),
        ("a.json", b"\xff", "a.json"),
        ("a.yaml", "{", "while parsing"),
        ("a.yaml", "- 1", "an Arazzo document is an object"),
        ("a.json", None, "no such file"),
    ],
)
def test_files_that_are_none(tmp_path, name, text, problem):
    """The file and the problem are named."""
    path = tmp_path / name
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Misuse, match=problem):
        library.load(path)


def test_an_unknown_name_is_reported_with_those_there_are():
    """And that a file would do."""
    with pytest.raises(
        Misuse, match=r"there is no scenario 'no-such'; shipped are api-token-rotation, .* path of a file"
    ):
        library.load("no-such")


def test_a_file_of_another_kind_is_reported_as_such(tmp_path, monkeypatch):
    """It exists, so the error does not deny that; only its name does not say in which form it is."""
    (tmp_path / "README.md").write_text("# Scenarios")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse, match=r"'README.md': a file of one ends with .json, .yaml or .yml"):
        library.load("README.md")


def test_the_names_of_shipped_scenarios_are_those_of_the_files():
    """All of them, in order."""
    folder = Path(__file__).parents[2] / "scenarios"
    assert tuple(sorted(each.name.removesuffix(".arazzo.json") for each in folder.iterdir())) == library.SHIPPED
