"""The judge of pages finds each fault in a small page that has it, and none in a page without."""

from __future__ import annotations

import pytest

from browser.judge import faults_of_drawing, faults_of_words
from browser.python_names import Shown, python_names

#: Words whose width is known: each character of 16 px in this font takes 9.6 px or so.
STYLE = "body { margin: 0; font: 16px/1.4 sans-serif } code, pre { font: 16px monospace }"
LONG = "abcdefghij" * 12
COMPACT = '{"languages":[],"joins":[1]},' * 9
SCROLLED = "overflow-x: auto; white-space: nowrap; width: 300px"

#: By name: the page, and the rule by which it is found at 360 px with a part of the text; None for a sound page.
DRAWN = {
    "two texts on each other": ('<p>One</p><p style="margin-top: -2.2em">Another</p>', "overlap", "Another"),
    "lines too close": ('<p style="line-height: .4">One line<br>Other line</p>', "overlap", "Other line"),
    "labels of a drawing": (
        '<svg width="200" height="60"><text x="9" y="30">leave</text><text x="20" y="34">send</text></svg>',
        "overlap",
        "send",
    ),
    "a word over its cell": (
        '<table style="table-layout: fixed; width: 90px"><tr><td>Administrator<td>of all</table>',
        "overlap",
        "of all",
    ),
    "in what is scrolled": (
        f'<div style="{SCROLLED}"><span>{LONG}</span><span style="margin-left: -5em">last</span></div>',
        "overlap",
        "last",
    ),
    "in what is folded up": (
        '<details><summary>More</summary><p>One</p><p style="margin-top: -2.2em">Another</p></details>',
        "overlap",
        "Another",
    ),
    "a long word": (f"<p>{LONG}</p>", "beyond", LONG[:30]),
    "to the left": ('<p style="margin-left: -1em">One</p>', "beyond", "One"),
    "a wide box": ('<div style="width: 500px; background: red">.</div>', "beyond", "<div>"),
    "a wide picture": ('<svg width="500" height="20"><rect width="500" height="20"/></svg>', "beyond", "<rect>"),
    "a box that hides the rest": (
        '<p style="overflow: hidden; width: 3em; white-space: nowrap">All of it, and more</p>',
        "cut",
        "All",
    ),
    "a label out of its drawing": (
        '<svg width="90" height="30"><text x="70" y="20">leave</text></svg>',
        "cut",
        "leave",
    ),
    "a label beside its drawing": (
        '<svg width="90" height="30"><text x="95" y="20">leave</text></svg>',
        "cut",
        "leave",
    ),
    "half a line": ('<p style="overflow: hidden; height: 9px">Text</p>', "cut", "Text"),
    "a word broken anywhere": (
        '<p style="word-break: break-all">Some words and the administrators of all customers</p>',
        "broken",
        "customers",
    ),
    "an identifier at its hyphen": (
        '<p style="width: 140px">Here <code>customer-admin</code></p>',
        "broken",
        "customer-admin",
    ),
    "an address": ('<p style="width: 230px">It is at http://local-host:21311/v1_0</p>', "broken", "local-host"),
    "an address at its query": (
        '<p style="width: 240px">It is at http://localhost/files?name=x</p>',
        "broken",
        "localhost",
    ),
    "through elements": (
        '<p style="word-break: break-all; width: 100px">Of the cust<b>omer</b>s</p>',
        "broken",
        "customers",
    ),
    "in a narrow cell": (
        '<table style="overflow-wrap: anywhere"><tr><td>administrator<td style="width: 100%">all that there is</table>',
        "broken",
        "administrator",
    ),
    "in a table of fixed columns": (
        '<table style="overflow-wrap: anywhere; table-layout: fixed; width: 20em">'
        "<tr><td style='width: 3em'>administrator<td>all that there is</table>",
        "broken",
        "administrator",
    ),
    "in a box that need not be narrow": (
        '<p>Of <code style="display: inline-block; max-width: 4em; overflow-wrap: anywhere">administrator</code></p>',
        "broken",
        "administrator",
    ),
    "beside a long word in a row": (
        '<div style="display: grid; grid-template-columns: 330px 1fr; overflow-wrap: anywhere">'
        "<i>x</i><b>admin</b></div>",
        "broken",
        "admin",
    ),
    "in a table that is scrolled anyway": (
        '<div style="overflow-x: auto"><table style="overflow-wrap: anywhere">'
        f'<tr><td>administrator<td style="white-space: nowrap">{LONG}</table></div>',
        "broken",
        "administrator",
    ),
    "a scrolled table": (f'<div style="{SCROLLED}"><table><tr><td>{LONG}<td>{LONG}</table></div>', None, ""),
    "a word longer than the line": (f'<p style="overflow-wrap: anywhere">{LONG}</p>', None, ""),
    "a compound in prose": ("<p>The states of a machine and its well-known self-evident state-machine</p>", None, ""),
    "a script without spaces": (
        '<p style="width: 300px">Some text that stands before it 漢字仮名漢字仮名漢字仮名漢字</p>',
        None,
        "",
    ),
    "a role in a listing": (
        '<pre style="white-space: pre-wrap; width: 200px">self or a customer-admin</pre>'
        '<p style="width: 170px"><code>["me",<wbr>"customer-admin"]</code></p>',
        None,
        "",
    ),
    "spaces at the end of a line": (
        f'<pre style="white-space: pre-wrap">{"some text".ljust(60)}{"and more".ljust(60)}</pre>',
        None,
        "",
    ),
    "a long word beside a shorter one": (
        '<table style="overflow-wrap: anywhere; width: 200px"><tr>'
        "<td>administratorsofall<td style='width: 110px'>administrator</table>",
        None,
        "",
    ),
    "lines close to each other": ('<p style="line-height: .9">One line<br>Other line</p>', None, ""),
    "a place to break": ("<p>/clients/{clientId}/<wbr>users/{userId}/<wbr>channels/{uuid}</p>", None, ""),
    "JSON without spaces": (f"<pre style='white-space: pre-wrap'>{COMPACT}</pre>", None, ""),
    "text for screen readers": (
        '<p>One</p><p style="position: absolute; width: 1px; height: 1px; overflow: hidden; top: 16px">Another</p>',
        None,
        "",
    ),
    "text that is clipped away": (
        '<p>One</p><p style="clip-path: inset(50%); margin-top: -2.2em">Another</p>',
        None,
        "",
    ),
    "a link that is out of sight": ('<a style="position: absolute; left: -999em">Skip</a><p>One</p>', None, ""),
    "an ellipsis": (
        '<p style="overflow: hidden; text-overflow: ellipsis; width: 3em; white-space: nowrap">All of it, and more</p>',
        None,
        "",
    ),
    "a bar above the text": (
        '<header style="position: fixed; top: 0; background: white">Bar</header><p style="margin: 0">One</p>',
        None,
        "",
    ),
    "hidden text": ('<p>One</p><p hidden>Another</p><p style="opacity: 0; margin-top: -2.2em">Third</p>', None, ""),
    "two columns": ('<div style="display: flex; gap: 1em"><p>One text</p><p>Another text</p></div>', None, ""),
}


@pytest.fixture(scope="module")
def window(chromium):
    """A window of the browser."""
    page = chromium.new_page()
    yield page
    page.close()


def opened(window, body: str):
    """The window, showing a page of this body."""
    window.set_content(f"<!doctype html><title>x</title><style>{STYLE}</style>{body}")
    return window


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_badly_is_found(window, name):
    """At the width of a phone, by its rule and by no other; a page that is drawn well passes."""
    body, rule, text = DRAWN[name]
    found = list(faults_of_drawing(opened(window, body), [360]))
    assert {each.rule for each in found} == ({rule} if rule else set()), found
    if rule:
        assert any(text in each.text.replace("|", "") for each in found), found
        assert found[0].widths == (360,)


def test_every_width_is_judged(window):
    """A fault says at which widths it is."""
    page = opened(window, '<div style="width: 1000px">A wide box</div>')
    assert [each.widths for each in faults_of_drawing(page)] == [(360, 768)]


def test_judging_leaves_the_page_as_it_was(window):
    """What is held together to see whether it could be is let go again."""
    body = DRAWN["in a table of fixed columns"][0]
    page = opened(window, body)
    assert list(faults_of_drawing(page, [360]))
    after = page.evaluate("[document.body.innerHTML, document.body.getBoundingClientRect().height]")
    assert list(faults_of_drawing(page, [360]))
    assert page.evaluate("[document.body.innerHTML, document.body.getBoundingClientRect().height]") == after


PYTHON = (
    "DeliveryState.WAITING",
    "<DeliveryState.WAITING: 'waiting'>",
    "<confsim.service.Service object at 0x7f00>",
    "<class 'int'>",
    "dict_keys(['a'])",
    "None",
    "answer: None",
    "the id, None for an API token",
    '{"a": True}',
    "{'a': 1}",
    "['self']",
    "b'bytes'",
    "confsim.service.webhooks",
    "Traceback (most recent call last):",
    "ConnectionRefusedError: [Errno 111]",
    "Fault(operation='get_me')",
    "Expected `str`, got `int`",
    "NoneType",
    "__class__",
)
NOT_PYTHON = (
    *('{"a": true, "b": null}', "None of these is a word.", "not one of: true, false", "OWNER", "v1.0", "E.164"),
    *("http://confsim.test/files", "It's the owner's.", "confsim serve", "GET /users/{userId}", "Error", "a.B"),
)


@pytest.mark.parametrize("text", PYTHON)
def test_python_is_found(text):
    """Reprs, modules, exceptions and Python's own words in the text of a page."""
    assert list(python_names([Shown(text)]))
    assert list(python_names([Shown(text, is_block=True)]))


@pytest.mark.parametrize("text", NOT_PYTHON)
def test_what_is_not_python_passes(text):
    """JSON, English and addresses."""
    assert list(python_names([Shown(text)])) == []


def test_programs_may_be_python():
    """A block that is a program and a page about Python may name Python's things, but never show a repr."""
    program = "from confsim import Simulator\n\nassert Simulator().call('get_me', None) is None\n"
    assert list(python_names([Shown(program, is_block=True)])) == []
    assert list(python_names([Shown("confsim.testing"), Shown("None")], is_about_python=True)) == []
    assert list(python_names([Shown("DeliveryState.WAITING")], is_about_python=True))


def test_words_are_sought_everywhere(window):
    """Also in attributes, in what is folded up, and in the title."""
    body = '<p title="A.B">x</p><details><summary>y</summary><b>Kind.LOST</b></details><input value="Kind.SENT">'
    found = [each.text for each in faults_of_words(opened(window, body))]
    assert [each.split("'")[1] for each in found] == ["Kind.LOST", "Kind.SENT"]
