"""``confsim explain`` and ``confsim guide``."""

from __future__ import annotations

import json

from confsim import guides
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


def test_a_guide_is_printed():
    """As it stands; without a name all are listed."""
    assert run("guide", "faults")[1] == guides.get("faults").text.rstrip("\n") + "\n"
    assert [line.split()[0] for line in run("guide")[1].splitlines()] == list(guides.NAMES)
    code, _, errors = run("guide", "fault")
    assert (code, "did you mean 'faults'" in errors, "Traceback" in errors) == (1, True, False)


def test_the_shell_completes_names():
    """Those that can be explained, guides, scenarios."""
    for words, word, offered in (
        ("confsim explain reserve_h", 2, "reserve_handle"),
        ("confsim guide fau", 2, "faults"),
        ("confsim run lob", 2, "lobby"),
    ):
        given = {"_CONFSIM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(word)}
        assert f"plain,{offered}" in run(**given)[1].splitlines()
