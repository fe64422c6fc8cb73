"""What is printed of a difference can be made again: as a test and as a script, any number of times."""

from __future__ import annotations

import ast
import builtins
import json
import os
import re
import shutil
import subprocess
import traceback

import pytest
from msgspec.structs import replace

from confsim import Simulator
from confsim.service.files.profile import read_profile
from confsim.service.messages import Response
from confsim.testing import Wsgi
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Difference, reply_of
from confsim.testing.verifying.printing.printer import Printer
from confsim.testing.verifying.replay import made_by, needed, replayed
from confsim.transport.wsgi import WsgiTransport
from kit import ROOM
from kit.beside import Beside

JSON = "application/json"


class Altered(WsgiTransport):
    """A service of which the answer to one request, by its number from 1, is altered."""

    def __init__(self, simulator, number, alter):
        super().__init__(simulator.wsgi)
        self._left, self._alter = number, alter

    def exchange(self, request):
        """Send a request, and alter the response to that one."""
        self._left -= 1
        response = super().exchange(request)
        return self._alter(response) if self._left == 0 else response


def with_body(change):
    """What alters the body of a response."""

    def alter(response):
        body = json.loads(response.body)
        changed = change(body)
        return Response(response.status, response.headers, json.dumps(body if changed is None else changed).encode())

    return alter


def with_status(response):
    """The response with a status that no operation answers with."""
    return Response(418, response.headers, response.body)


class Printed:
    """Runs what is printed of the journeys of one run."""

    def __init__(self, run):
        self.run = run

    def took(self, *calls):
        """Make calls on both sides, each given as (operation, role or token, arguments, body)."""
        tokens, steps = self.run.accounts.tokens, []
        for name, caller, path, body in calls:
            token = tokens.get(caller, caller)
            call = ModelCall(name, token, path, {}, body, None if body is None else JSON)
            steps.append(self.run.take(call))
        return steps

    def differing(self, steps, alter):
        """The steps, the last of which is answered in another way; None where that is no difference."""
        *_, last = steps
        raw = b"" if last.reply.body is None else json.dumps(last.reply.body).encode()
        reply = reply_of(alter(Response(last.reply.status, list(last.reply.headers.items()), raw)))
        made = self.run.things if self.run.scope.is_open(last.call) else None
        count = self.run.known.count
        difference = self.run.comparison.difference(last.call.declared, last.predicted.reply, reply, made)
        self.run.known.undo(count)
        return difference and [*steps[:-1], replace(last, difference=difference, reply=reply)]


@pytest.fixture
def printed():
    """A run that has made nothing yet."""
    return Printed(Beside().verifier()._make())


@pytest.fixture(scope="module")
def journeys():
    """A run, and its calls with those that they depend on, each made again and answered as the model says."""
    verifier = Beside().verifier(examples=9, most=150)
    make, runs = verifier._make, []
    verifier._make = lambda: runs.append(make()) or runs[-1]
    assert verifier.run().divergences == []
    (run,) = runs
    run.service._most = None
    history, found = list(run.history), {}
    origin = made_by(history, run.shapes)
    for last in range(len(history)):
        places = needed(history, [last], origin)
        found.setdefault(tuple(history[place].call.operation for place in places), places)
    made = [
        replayed(run, [history[place] for place in places], f"cvtestr{number}")
        for number, places in enumerate(found.values())
    ]
    return Printed(run), made


@pytest.fixture(autouse=True)
def tokens(monkeypatch):
    """The tokens of the accounts in the environment, as what is printed expects them."""
    monkeypatch.setenv("BASE_URL", "")
    for role, token in Beside().accounts.tokens.items():
        monkeypatch.setenv(role.replace("-", "_").upper(), token)


def run_test(text, simulator, number=0, alter=None):
    """Run a printed test; returns the line that failed, "" for none."""
    target = Wsgi(simulator)
    target.transport = Altered(simulator, number, alter)
    scope = {"Url": lambda *_: target}
    exec(compile(text.replace("from confsim.testing import Url", ""), "printed", "exec"), scope)
    try:
        next(each for name, each in scope.items() if name.startswith("test_"))()
    except AssertionError as error:
        number = max(each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == "printed")
        return text.splitlines()[number - 1].strip()
    return ""


def undefined_in_test(text):
    """The names that a test uses before it defines them."""
    known, found = set(dir(builtins)), []
    function = ast.parse(text).body[-1]
    known |= {each.asname or each.name for node in ast.walk(ast.parse(text)) for each in getattr(node, "names", ())}
    for statement in function.body:
        names = [each for each in ast.walk(statement) if isinstance(each, ast.Name)]
        found += [each.id for each in names if isinstance(each.ctx, ast.Load) and each.id not in known]
        known |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return found


def undefined_in_script(text):
    """The variables that a script uses before it defines or asks for them."""
    known, found = set(), []
    for line in text.splitlines():
        known |= set(re.findall(r'^: "\$\{(\w+):\?', line))
        found += [each for each in re.findall(r"(?<!\\)\$\{?([A-Z]\w*)", line) if each not in known]
        known |= set(re.findall(r"^(\w+)=", line))
    return found


def fields(body, place=()):
    """The places of all values in a body."""
    items = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for name, each in items:
        yield (*place, name)
        yield from fields(each, (*place, name))


def other(value):
    """Another value of the same type, of a list one more element."""
    if isinstance(value, list):
        return [*value, *value[:1]]
    if isinstance(value, bool):
        return not value
    return value + 1_000_000 if isinstance(value, int | float) else f"{value}x" if isinstance(value, str) else value


def changed(place, change):
    """What replaces the value at a place of a body by what ``change`` makes of it."""

    def alter(body):
        holder = body
        for part in place[:-1]:
            holder = holder[part]
        change(holder, place[-1])

    return with_body(alter)


def put_other(holder, name):
    """Put another value in the place of one."""
    holder[name] = other(holder[name])


def put_null(holder, name):
    """Put null in the place of a value."""
    holder[name] = None


def drop(holder, name):
    """Remove a value."""
    del holder[name]


def test_every_symbol_is_defined_before_its_use(journeys):
    """In the script and in the test of every journey, of which many have symbols."""
    printed, made = journeys
    captured = 0
    for steps in made:
        printer = Printer(printed.run, printed.differing(steps, with_status))
        assert undefined_in_script(printer.curl()) == []
        assert undefined_in_test(printer.test()) == []
        captured += "ANSWER=" in printer.curl()
    assert captured > 20


def test_what_is_printed_can_be_run_again(journeys):
    """The true service passes the test of every journey twice; one that differs fails where it does."""
    printed, made = journeys
    simulator = Beside().simulator
    for steps in made:
        text = Printer(printed.run, printed.differing(steps, with_status)).test()
        assert [run_test(text, simulator) for _ in range(2)] == ["", ""], text
        assert run_test(text, simulator, len(steps), with_status) == text.splitlines()[-1].strip()


@pytest.mark.parametrize("change", [put_other, put_null, drop])
def test_a_test_fails_wherever_an_answer_differs(journeys, change):
    """Each value of an answer is another, null or missing; the true service passes, the altered one fails at the end.

    Only an id that no earlier answer shows may be any.
    """
    printed, made = journeys
    simulator, tried = Beside().simulator, 0
    for steps in made:
        for place in fields(steps[-1].reply.body):
            alter = changed(place, change)
            differing = printed.differing(steps, alter)
            if differing is None:
                continue
            text = Printer(printed.run, differing).test()
            claims = [each.strip() for each in text.partition("# the service")[2].splitlines()[1:]]
            if claims[-1].startswith("#"):
                shown = printed.run.known.service(*differing[-1].difference.things[0])
                assert str(shown) not in str([each.reply.body for each in steps[:-1]])
                continue
            assert undefined_in_test(text) == []
            assert run_test(text, simulator) == "", text
            assert run_test(text, simulator, len(steps), alter) in claims[1:], text
            tried += 1
    assert tried > 50


def test_the_service_is_addressed_as_in_the_run():
    """The test has the values of the profile that say how tokens and operations are sent, and no others."""
    chosen = {
        "auth.presentation": ["X-Api-Key: {token}"],
        "route.get_guest_access": "GET /moved/channels/{uuid}/guests",
        "route.get_user_email": "GET /moved/users/{userId}/email",
        "status.created": 201,
    }
    profile = read_profile(chosen)
    printed = Printed(Beside(profile).verifier(profile=profile)._make())
    steps = printed.differing(printed.took(("get_user_email", "owner", {"userId": "me"}, None)), with_status)
    text = Printer(printed.run, steps).test()
    addressed = {id: chosen[id] for id in ("auth.presentation", "route.get_user_email")}
    assert f'    service = Url(os.environ["BASE_URL"], {addressed!r})' in text.splitlines()
    assert run_test(text, Simulator(profile=profile)) == ""


def test_a_failure_says_which_step_it_is_of(journeys):
    """A step before the last that is answered with another status fails there."""
    printed, made = journeys
    steps = next(each for each in made if len(each) > 2)
    text = Printer(printed.run, printed.differing(steps, with_status)).test()
    first = next(place for place, line in enumerate(text.splitlines()) if "service.call(" in line)
    assert run_test(text, Beside().simulator, 1, with_status) == text.splitlines()[first + 1].strip()


def test_what_was_there_before_the_run_is_printed_as_it_is(printed):
    """The user of a token, also where an answer has shown the id."""
    steps = printed.took(("get_me", "partner-admin", {}, None), ("get_user", "partner-admin", {"userId": "1000"}, None))
    for shown in (steps, steps[1:]):
        printer = Printer(printed.run, printed.differing(shown, changed(("handle",), put_other)))
        assert printer.curl().splitlines()[1] == ': "${PARTNER_ADMIN:?is to be the token of the partner-admin}"'
        command = 'curl -sS -i "$BASE_URL/users/1000" -H "authorization: Bearer ${PARTNER_ADMIN}"'
        assert printer.curl().splitlines()[-1] == command
        assert "service.call('get_user', partner_admin, userId='1000')" in printer.test()


def test_what_a_call_names_before_an_answer_shows_it_is_printed_as_it_is(printed):
    """A channel of which the call that made it is not among the steps."""
    (made,) = printed.took(("create_channel", "owner", {}, {"name": "cvtest one"}))
    read = ("get_channel", "owner", {"uuid": made.predicted.reply.body["channelUuid"]}, None)
    printer = Printer(printed.run, printed.differing(printed.took(read, read), with_status))
    assert printer.curl().count(made.reply.body["channelUuid"]) == 2
    assert "ANSWER" not in printer.curl()


def test_names_are_made_anew_and_ids_are_taken_from_answers(printed):
    """The script fails early where an earlier call does, and shows status and headers of the last."""
    made, described = printed.took(
        ("create_channel", "owner", {}, {"name": "cvtest {one}", "description": "CVTEST"}),
        ("get_channel", "owner", {"uuid": ROOM}, None),
    )
    (last,) = printed.took(("get_channel", "owner", {"uuid": made.predicted.reply.body["channelUuid"]}, None))
    assert described.reply.status == 200
    printer = Printer(printed.run, printed.differing([made, last], changed(("channelName",), put_other)))
    script, text = printer.curl().splitlines()[2:], printer.test()
    assert script[0].startswith("TAG=cv$(")
    assert script[1] == 'CAPITALS=$(printf %s "$TAG" | tr a-z A-Z)'
    assert script[2].startswith('ANSWER=$(curl -sSf -X POST "$BASE_URL/channels/create"')
    assert r"\"${TAG} {one}\"" in script[2]
    assert script[3] == 'CHANNEL_1=$(printf %s "$ANSWER" | jq -r .channelUuid)'
    assert script[4].startswith('curl -sS -i "$BASE_URL/channels/${CHANNEL_1}"')
    assert "body={'name': f'{tag} {{one}}', 'description': capitals}" in text
    assert text.endswith("    assert answer.body['channelName'] == f'{tag} {{one}}'\n")


@pytest.mark.skipif(shutil.which("jq") is None, reason="the script needs jq")
def test_the_script_can_be_run_again(printed):
    """It shows the status of its last call, twice, and nothing goes wrong before."""
    (made,) = printed.took(("create_channel", "owner", {}, {"name": "cvtest one"}))
    (last,) = printed.took(("delete_channel", "owner", {"uuid": made.predicted.reply.body["channelUuid"]}, None))
    differing = printed.differing([made, last], with_status)
    with Simulator().serve() as server:
        printed.run.base_url = server.base_url
        script = Printer(printed.run, differing).curl()
        for _ in range(2):
            done = subprocess.run(["sh", "-uc", script], env=os.environ, capture_output=True, text=True)
            assert (done.stderr, done.stdout.partition("\n")[0].split()[1]) == ("", "200")


@pytest.mark.parametrize(
    "alter",
    [
        lambda response: Response(200, [], response.body),
        lambda response: Response(200, [("content-type", "text/plain")], response.body),
        lambda response: Response(200, response.headers, b""),
    ],
)
def test_another_media_type_fails(printed, alter):
    """One that is missing, another, and no body at all."""
    steps = printed.took(("get_me", "owner", {}, None))
    text = Printer(printed.run, printed.differing(steps, alter)).test()
    simulator = Beside().simulator
    assert run_test(text, simulator) == ""
    failed = run_test(text, simulator, 1, alter)
    assert "content-type" in failed or failed == "assert answer.body is not None"


def test_another_thing_fails(printed):
    """A channel that is asked for is to be that which was made, whatever its id is this time."""
    one, two = printed.took(
        ("create_channel", "owner", {}, {"name": "cvtest one"}), ("create_channel", "owner", {}, {"name": "cvtest two"})
    )
    ids = [each.predicted.reply.body["channelUuid"] for each in (one, two)]
    (last,) = printed.took(("get_channel", "owner", {"uuid": ids[0]}, None))
    there = two.reply.body["channelUuid"]
    differing = printed.differing([one, two, last], with_body(lambda body: {**body, "channelUuid": there}))
    text = Printer(printed.run, differing).test()
    assert text.endswith("    assert answer.body['channelUuid'] == channel_1\n")
    assert run_test(text, Beside().simulator) == ""


def test_a_list_that_others_are_in_is_to_have_what_the_run_made(printed):
    """However many others there are."""
    (made,) = printed.took(("create_api_token", "customer-admin", {}, {"label": "cvtest"}))
    (last,) = printed.took(("list_api_tokens", "customer-admin", {}, None))
    differing = printed.differing([made, last], with_body(lambda body: body[:-1]))
    text = Printer(printed.run, differing).test()
    assert text.endswith("    assert str(api_token_1) in str(answer.body)\n")
    simulator = Beside().simulator
    assert [run_test(text, simulator) for _ in range(2)] == ["", ""]


def test_an_element_of_a_list_that_others_are_in_is_found_by_what_it_names(printed):
    """Wherever it stands, the label of the token that the run made is asserted."""
    (made,) = printed.took(("create_api_token", "customer-admin", {}, {"label": "cvtest"}))
    (last,) = printed.took(("list_api_tokens", "customer-admin", {}, None))
    alter = changed((-1, "label"), put_other)
    text = Printer(printed.run, printed.differing([made, last], alter)).test()
    found = "next(each for each in answer.body if str(api_token_1) in str(each))"
    assert text.endswith(f"    assert {found}['label'] == tag\n")
    simulator = Beside().simulator
    assert [run_test(text, simulator) for _ in range(2)] == ["", ""]
    assert run_test(text, simulator, 2, alter) == text.splitlines()[-1].strip()


def test_a_header_that_is_missing_is_asserted(printed):
    """By its name in lower case."""
    (step,) = printed.took(("get_me", "owner", {}, None))
    differing = [replace(step, difference=Difference("header ETag", "x", None))]
    assert Printer(printed.run, differing).test().endswith("    assert 'etag' in answer.headers\n")
