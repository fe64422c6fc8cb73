"""``confsim explain``, ``confsim guide`` and ``confsim reference``."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from confsim import guides
from confsim.cli import confsim, explaining, listing, printing
from confsim.inspector import manual
from kit.processes.commands import run


def test_names_are_explained():
    """Several at once, or as JSON; an unknown one is a mistake."""
    code, output, _ = run("explain", "R094", "auth.presentation")
    assert code == 0
    assert output.startswith("R094: rule\n\n")
    assert "\nauth.presentation: assumption\n" in output
    assert json.loads(run("explain", "--json", "G353")[1])[0]["kind"] == "gap"
    code, output, errors = run("explain", "reserve_hnadle")
    assert (code, output) == (1, "")
    assert "did you mean 'reserve_handle'" in errors


def test_words_of_one_name_are_one_name():
    """Of a machine, of a place in the documents; several names stay several."""
    for words, first in (
        (("P1", "L236"), "P1 L236: place in the documents"),
        (("lobby", "door"), "lobby door: state machine"),
        (("exit", "2"), "exit 2: exit code"),
        (("handle-taken",), "handle_taken: refusal"),
        (("409",), "409: status"),
    ):
        code, output, _ = run("explain", *words)
        assert (code, output.splitlines()[0]) == (0, first)


def test_another_form_of_the_words_of_one_name_is_that_name():
    """It is explained, what is near it is named beside it."""
    for word, name in (("handle_reserved", "handle reservation"), ("channels", "channel")):
        code, output, errors = run("explain", word)
        assert (code, errors) == (0, "")
        assert output.startswith(f"{name}: state machine\n\nNothing is called {word}: this is the nearest name.")
    beside = run("explain", "handle_reserved")[1].splitlines()[2]
    assert "`handle_taken`" in beside
    assert "`reserve_handle`" in beside


def test_a_part_of_names_is_answered_with_what_is_near(tmp_path):
    """And exits with 1, since nothing has the name; a code that a profile has set is that of its refusal."""
    code, output, _ = run("explain", "reservation")
    assert code == 1
    near = [line[3:-1] for line in output.splitlines() if line.startswith("- `")]
    assert {"handle reservation", "reservation_not_found"} <= set(near[:4])
    profile = tmp_path / "acme.toml"
    profile.write_text('[code]\nhandle-taken = "E-1042"\n')
    assert run("explain", "E-1042", "--profile", str(profile))[1].startswith("handle_taken: refusal\n")


@pytest.mark.parametrize(
    "arguments", [["machines"], ["explain", "lobby door"], ["guide", "faults"], ["reference", "faults"]]
)
def test_tables_and_titles_fit_the_terminal(monkeypatch, arguments):
    """Those of explanations, guides and the reference too; code stays as it is."""
    for module in (explaining, listing, printing):
        monkeypatch.setattr(module, "terminal_width", lambda: 90)
    output = CliRunner().invoke(confsim, arguments).output
    lines = re.sub(r"^```.*?^```$", "", output, flags=re.M | re.S).splitlines()
    assert len(lines) > 10
    assert [line for line in lines if len(line) > 90] == []
    assert not [line for line in lines if line.startswith("|")]


def test_the_reference_is_printed():
    """Page by page; without a name all are listed."""
    assert [line.split()[0] for line in run("reference")[1].splitlines()] == list(manual.REFERENCE)
    for name in ("faults", "python", "control-plane"):
        assert run("reference", name)[1] == manual.reference(name).rstrip("\n") + "\n"
    code, _, errors = run("reference", "fault")
    assert (code, "did you mean 'faults'" in errors) == (1, True)


def test_a_guide_is_printed():
    """As it stands; without a name all are listed."""
    assert run("guide", "faults")[1] == guides.get("faults").text.rstrip("\n") + "\n"
    assert [line.split()[0] for line in run("guide")[1].splitlines()] == list(guides.NAMES)
    code, _, errors = run("guide", "fault")
    assert (code, "did you mean 'faults'" in errors, "Traceback" in errors) == (1, True, False)


def test_the_shell_completes_names():
    """Those that can be explained, guides, scenarios, worlds; and no files beside them, for which bash forgets them."""
    for words, word, offered in (
        ("confsim explain reserve_h", 2, "reserve_handle"),
        ("confsim guide fau", 2, "faults"),
        ("confsim reference wor", 2, "world-files"),
        ("confsim run lob", 2, "lobby"),
        ("confsim serve --scenario lob", 3, "lobby"),
        ("confsim exec --world de", 3, "demo"),
        ("confsim mcp --scenario lob", 3, "lobby"),
    ):
        given = {"_CONFSIM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(word)}
        lines = run(**given)[1].splitlines()
        assert f"plain,{offered}" in lines
        assert not [line for line in lines if line.startswith("file")]
    given = {"_CONFSIM_COMPLETE": "bash_complete", "COMP_WORDS": "confsim run ./own", "COMP_CWORD": "2"}
    assert run(**given)[1].splitlines() == ["file,./own"]
