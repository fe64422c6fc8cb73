"""Guides, reference and explanations as pages."""

from __future__ import annotations

import re
import sys

import pytest

from confsim import guides
from confsim.api.catalogue import API
from confsim.cli import confsim as commands
from confsim.control.catalogue import CONTROL
from confsim.domain.fault_points import FAULT_POINTS
from confsim.inspector import manual, markdown
from confsim.service.faults.words import WORDS
from confsim.simulator import Simulator
from kit.each import by_name, each

INSPECTOR = "/_confsim/inspector"


@pytest.mark.parametrize("name", guides.NAMES)
def test_a_guide_is_a_page(browse, name):
    """With its title, and links from names to what they stand for."""
    page = browse(f"{INSPECTOR}/guides/{name}")
    assert page.status == 200
    assert guides.get(name).title in page.text
    assert "```" not in page.text


def test_names_in_a_text_lead_to_what_they_stand_for(browse):
    """From the guide to the assumption, from there to the operation."""
    assert f"{INSPECTOR}/explain/G353" in browse(f"{INSPECTOR}/guides/choosing").links()
    page = browse(f"{INSPECTOR}/explain/r94")
    assert "R094: rule" in page.text
    assert f"{INSPECTOR}/explain/reserve_handle" in page.links()
    assert browse(f"{INSPECTOR}/explain?name=handle_taken").status == 200
    assert browse(f"{INSPECTOR}/explain/nowhere-at-all").status == 404
    assert browse(f"{INSPECTOR}/guides/nowhere").status == 404
    assert browse(f"{INSPECTOR}/reference/nowhere").status == 404


def test_the_reference_has_everything_that_is_declared(browse):
    """Each operation of the control plane, each word and thing of faults, each option of a command, each method."""
    pages = {name: browse(f"{INSPECTOR}/reference/{name}") for name in manual.REFERENCE}
    assert {page.status for page in pages.values()} == {200}
    assert {f"{INSPECTOR}/operations/{name}" for name in CONTROL.operations} <= set(pages["control-plane"].links())
    assert all(word in pages["faults"].text for word in (*WORDS, *FAULT_POINTS))
    for name, command in commands.every().items():
        assert f"confsim {name}" in pages["command-line"].text
        for parameter in command.params:
            assert all(option in pages["command-line"].text for option in parameter.opts if option.startswith("--"))
    public = [name for name in vars(Simulator) if not name.startswith("_")]
    assert all(name in pages["python"].text for name in public)
    assert "ClientFile" in pages["world-files"].text
    assert "Channel" in pages["state-documents"].text


@each("operation", list(CONTROL), ids=by_name)
def test_an_operation_of_the_control_plane_shows_what_it_takes_and_answers(operation):
    """Route, every parameter, every field of the body; the whole reference has it too."""
    text = manual.operation_beside(operation.name)
    assert f"`{operation.route({})[0]} /_confsim{operation.route({})[1]}`" in text
    for parameter in (*operation.path_parameters, *operation.query_parameters):
        assert f"| `{parameter.name}` |" in text
    assert ("Body:" in text) is (operation.body is not None)
    assert f"### {operation.name}\n" in manual.reference(manual.CONTROL_PLANE)


def test_the_python_page_needs_no_pytest(monkeypatch):
    """Anyone who serves a world need not have it: what the fixture gives is read, not imported."""
    manual.reference.cache_clear()
    monkeypatch.setitem(sys.modules, "pytest", None)
    assert "## Server" in manual.reference("python")
    assert "answer_to(" in manual.reference("python").partition("## Server")[2]


@each("operation", list(API), ids=by_name)
def test_an_operation_shows_what_it_takes_and_answers(operation):
    """Every parameter, every field of the body."""
    text = manual.operation(operation.name, {})
    for parameter in (*operation.path_parameters, *operation.query_parameters):
        assert f"| `{parameter.name}` |" in text
    assert ("Body:" in text) is (operation.body is not None)


def test_every_word_of_a_fault_is_described():
    """In the reference, and in the table of the guide."""
    assert all(word.description for word in WORDS.values())
    table = re.findall(r"^\| (`.*?) \|", guides.get("faults").text, re.M)
    assert set(re.findall(r"`(\w+)`", " ".join(table))) == set(WORDS)


def test_html_in_a_text_is_text():
    """Names of others get into tables; nothing of them is an element."""
    shown = markdown.render("# T\n\n<script>x</script> `<b>`\n\n[a](javascript:alert(1))", lambda name: None).html
    assert "<script" not in shown
    assert "<b>" not in shown
    assert "href" not in shown


def test_state_documents_are_described_in_the_words_of_json():
    """A field without a value is null there; None is Python's word."""
    text = manual.reference("state-documents")
    assert "null" in text
    assert not re.search(r"\bNone\b", text)


def test_a_range_of_numbers_is_one_word():
    """A browser would end a line at its hyphen; other words with a hyphen may end there."""
    html = markdown.render("Of state-machines: P2 L304-305, R489-R498 & `a-1`.", lambda name: None).html
    assert '<span class="whole">L304-305,</span>' in html
    assert "state-machines: P2" in html
    assert "R489-R498 &amp; <code>a-1</code>" in html
