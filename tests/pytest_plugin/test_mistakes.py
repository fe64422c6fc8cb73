"""Mistakes that people make with the fixtures, the browser and clients: each message says what, where and what to do.

A row has the mistake, the text that says what is wrong and where, and the text that says what to do.
"""

from __future__ import annotations

import re

import pytest

from kit import ROOM

pytest_plugins = ["pytester"]

#: The line of a test, what is wrong with it, and what to do.
IN_TESTS = [
    ('confsim.call("make_room", "demo-owner")', "no operation 'make_room'", "did you mean|confsim operations"),
    ('confsim.call("get_mee", "demo-owner")', "no operation 'get_mee'", "did you mean 'get_me'"),
    ('confsim.call("get_channel", "demo-owner", uid="x")', "get_channel", "did you mean 'uuid'|uuid"),
    ('confsim.call("get_me", "demo-ownr", expect=200)', "answered 401", "did you mean 'demo-owner'"),
    (
        'confsim.call("create_channel", "demo-owner", body={"nam": "x"}, expect=200)',
        "answered 400",
        "did you mean 'name'|it takes",
    ),
    ('confsim.call("get_me", "demo-owner", expect="200")', "expect is a status", "such as 200"),
    ('confsim.requests.assert_called("get_mee")', "get_mee", "did you mean 'get_me'"),
    ('confsim.requests.assert_called(method="GETT")', "method: there is no 'GETT'", "did you mean 'GET'"),
    ('confsim.requests.assert_called("get_me", times=-1)', "not -1", "whole number from 0"),
    ("confsim.requests[0]", "[0] of 0 requests", "requests"),
    ('confsim.requests.why("r9")', "no request 'r9'", "the journal has no call yet"),
    ('confsim.mail.assert_sent(kind="recordng")', "kind: there is no 'recordng'", "did you mean 'recording'"),
    ('confsim.faults.add("get_mee", do={"status": 503})', "get_mee", "did you mean 'get_me'"),
    ('confsim.faults.add("get_me", do={"stauts": 503})', "stauts", "did you mean 'status'"),
    ('confsim.faults.add(thing="recrding", do="stuck")', "recrding", "did you mean 'recording'"),
    ('confsim.clock.advance("soon")', "'soon'", "15m"),
    ('confsim.clock.advance("-15m")', "-15m", "forward|reset|restore"),
    ('confsim.restore("foo")', "no snapshot 'foo'", "snapshots|take|snapshot"),
    ('confsim.worlds["nope"]', "no world 'nope'", "there (are|is)|did you mean|worlds"),
    ('confsim.worlds.add("a b")', "'a b'", "1 to 64 of A-Z"),
    ('confsim.worlds.add("ok", "lobbi")', "lobbi", "did you mean 'lobby'"),
    ("confsim.demo.ownr", "no demo user 'ownr'", "did you mean 'owner'"),
    ("confsim.webhooks.deliver_to(5)", "deliver_to|receiver", "function|list"),
    (f'confsim.presence.admit("{ROOM}", 1004)', "not in the channel", "join"),
    ('confsim.presence.join("nowhere", 1004)', "nowhere", "channel"),
    ("confsim.serve(port=99999).start()", "port: 99999", "from 0 to 65535"),
    (
        'confsim.serve(allow_origins=["localhost:5173"])',
        "'localhost:5173' is not an origin",
        "e.g. http://localhost:5173",
    ),
    ('confsim.serve(allow_origins=["http://localhost:5173/"])', "is not an origin", "scheme, host and port alone"),
    ('confsim.call("get_me").headers["Content-Typ"]', "no header 'Content-Typ'", "did you mean 'Content-Type'"),
    ("confsim_shared_server.make_world(sed=3)", "POST /_confsim/worlds: *body", "did you mean 'seed'"),
    ('confsim_shared_server.make_world(from_="lobbi")', "lobbi", "did you mean 'lobby'"),
    ('confsim_shared_server.control("POST", "/clok/advance", {"by": "1m"})', "/_confsim/clok/advance", "clock/advance"),
    ('confsim_shared_server.control("POST", "/clock/advance", {"bye": "1m"})', "bye", "did you mean 'by'"),
    ("make_confsim(profil={})", "does not take profil", "did you mean 'profile'"),
    ('make_confsim(profile={"status.role-mising": 1})', "status.role-mising", "did you mean 'status.role-missing'"),
    ('make_confsim(world="dmo")', "no world 'dmo'", "did you mean 'demo'"),
    ('make_confsim(scenario="lobbi")', "lobbi", "did you mean 'lobby'"),
    ('make_confsim(clock="noon")', "noon", "ISO 8601|epoch"),
    ('make_confsim(seed="four")', "seed", "whole number"),
]

FIXTURES = ("confsim_shared_server", "make_confsim")


def test_a_mistake_in_a_test_is_told_with_its_remedy(run):
    """What is wrong, and what to do; the traceback ends at the line."""
    tests = []
    for number, (line, *_) in enumerate(IN_TESTS):
        fixture = next((name for name in FIXTURES if line.startswith(name)), "confsim")
        tests.append(f"def test_{number}({fixture}):\n    {line}\n")
    result = run("\n".join(tests))
    shown = re.split(r"^_+ test_\d+ _+$", result.stdout.str(), flags=re.MULTILINE)[1:]
    assert len(shown) == len(IN_TESTS)
    weak = []
    for (line, what, remedy), text in zip(IN_TESTS, shown, strict=True):
        said = "\n".join(part for part in text.splitlines() if part.startswith("E  "))
        if not re.search(what.replace("[", r"\["), said) and what not in said:
            weak.append((line, "what", said))
        elif not re.search(remedy, said):
            weak.append((line, "remedy", said))
        elif re.search("(?<!_)confsim/", text):
            weak.append((line, "where", text))
    assert weak == []


#: A file and options, what is wrong, and what to do; each is one usage error before the first test.
PROFILE = ("--confsim-profile=acme.toml",)
AT_START = [
    ("", ("--confsim-profile=nowhere.toml",), "profile '.*nowhere.toml'", "no such file"),
    ("[status\nroute-not-found = 410\n", PROFILE, "acme.toml", "line 1"),
    (
        "[status]\nroute-not-fond = 410\n",
        PROFILE,
        "acme.toml: .*route-not-fond",
        "did you mean 'status.route-not-found'",
    ),
    ("[status]\nroute-not-found = 'x'\n", PROFILE, "acme.toml: .*status.route-not-found", "from 200 to 599"),
    ("", ("--confsim-coverage=test.py",), "not 'test.py'", "percentage from 0 to 100"),
    ("", ("--confsim-fuzz-report=f.json",), "--confsim-fuzz-report", "needs --confsim-fuzz"),
]


@pytest.mark.parametrize(("profile", "options", "what", "remedy"), AT_START)
def test_a_mistake_of_the_run_is_one_usage_error(run, pytester, profile, options, what, remedy):
    """However many tests there are, none is run, and the message is not cut off."""
    (pytester.path / "acme.toml").write_text(profile)
    result = run("def test_one(confsim):\n    pass\n\ndef test_two(confsim):\n    pass\n", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = result.stderr.str()
    assert re.search(what, said), said
    assert re.search(remedy, said), said
    assert said.count("ERROR") == 1
    assert "test_one" not in said
