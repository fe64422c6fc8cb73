"""The things that one can ask of a world: pages, control calls, exports, bundles, state, commands, tools, coverage.

``ASKS`` is the one table of them. Each yields the problems that it finds in a world: a crash, an answer that is not
well formed or shows what only Python knows, an export that does not replay, a total that is not the number of things.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import msgspec

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.assistant.tools import TOOLS, Tools, as_text
from confsim.control.bundle.document import decoded
from confsim.control.bundle.replay import replay
from confsim.control.coverage.collector import Collector
from confsim.control.declare import PREFIX
from confsim.control.scenarios import compile_scenario, direct, run_scenario
from confsim.inspector.pages import PAGES
from kit import OWNER, START
from kit.crowded import BUILDERS, SHARED, control
from kit.crowded.answers import Answer, Page
from kit.crowded.calls import send
from kit.crowded.happenings import Network
from kit.crowded.lines import asked, lines
from kit.crowded.texts import HOSTILE

#: Yields what is wrong when it is asked of the world of this name.
Ask = Callable[[str], Iterator[str]]
ASKS: dict[str, Ask] = {}
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
#: Pages of a sort that are opened (the campaign opens all), and of what-if, which replays the journal.
_PAGES, _WHAT_IFS = 1, 1


def ask(function: Ask) -> Ask:
    """Declare something that one can ask of a world."""
    ASKS[function.__name__.replace("_", " ")] = function
    return function


def _bugs(sim: Simulator) -> Iterator[str]:
    return (f"a bug was stored: {bug!r} {getattr(bug, '__notes__', '')}" for bug in sim.service.bugs)


# Pages


@ask
def pages(world: str) -> Iterator[str]:
    """Every page of the inspector: from the overview on, and with every filter that a form offers."""
    yield from crawl(SHARED[world](), _PAGES, _WHAT_IFS)


def crawl(sim: Simulator, most: int, what_ifs: int) -> Iterator[str]:
    """Open the pages that links lead to, at most so many of a sort, and yield what is wrong with them."""
    waiting, seen = _first_pages(sim), set[str]()
    linked: dict[str, str] = {}
    sorts: Counter[str] = Counter()
    for place in waiting:  # which grows
        target, _, query = place.partition("#")[0].partition("?")
        if place in seen or not target.startswith(f"{PREFIX}/"):
            continue
        seen.add(place)
        sort = _sort(target, query)
        sorts[sort] += 1
        if sorts[sort] > (what_ifs if "what-if" in sort else most):
            continue
        response = send(sim, "GET", target, query, accept=BROWSER)
        answer = Answer(place, response.status, dict(response.headers).get("Content-Type", ""), response.body)
        if response.status != 200 and place in linked:
            yield f"{place}: {response.status}, and the page {linked[place]} has a link to it"
        yield from answer.problems()
        found = Page()
        found.feed(answer.text)
        waiting += found.links
        linked |= {link: place for link in found.links if link not in linked}
    yield from _bugs(sim)
    shown = {place.partition("?")[0].removeprefix(f"{PREFIX}/inspector/").partition("/")[0] for place in seen}
    yield from (f"no link leads to the page {name}" for name in PAGES if name and name not in shown)


def _sort(target: str, query: str) -> str:
    """What a page shows: its first word, whether of one thing, and the names of its filters."""
    words = target.removeprefix(PREFIX).split("/")
    return f"{words[2:3]} {len(words)} {sorted(pair.partition('=')[0] for pair in query.split('&'))}"


#: Pages of things that there are not.
_WRONG_PAGES = tuple(
    f"{PREFIX}/inspector/{path}"
    for path in ("nothing", "requests/r0", "records/nothing/1", "machines/x", "worlds/x", "guides/x", "explain/xyz")
)


def _first_pages(sim: Simulator) -> list[str]:
    """The overview, one call of each sort, searches for hostile texts, and filters with wrong values."""
    calls = {
        (each.status, each.kind, repr(each.fault)[:60]): each.id for each in sim.control("list_requests", kind="all")
    }
    page = f"{PREFIX}/inspector"
    filters = [
        *(f"requests?{urlencode({name: text[:80]})}" for text in HOSTILE.values() for name in ("path", "operation")),
        *(f"search?{urlencode({'q': text[:80]})}" for text in HOSTILE.values()),
        *(
            f"{name}?search={urlencode({'': text[:80]})[1:]}"
            for text in HOSTILE.values()
            for name in ("records", "assumptions")
        ),
        *(
            f"{name}?offset={offset}"
            for name in ("requests", "records", "mail", "webhooks", "worlds")
            for offset in ("-1", "x", "9999")
        ),
        "requests?status=x",
        "requests?kind=x",
        "records?kind=x",
        "records?client=x",
        "records?at=r0",
        "presence?channel=x",
        f"what-if?{urlencode({'id': 'channels.unique-names', 'value': HOSTILE['HTML']})}",
        "what-if?id=x&value=1",
    ]
    own = [f"{page}/{each}" for each in filters]
    return [f"{PREFIX}/", *(f"{page}/requests/{id}" for id in calls.values()), *own, *_WRONG_PAGES]


# The control plane


@ask
def control_reads(world: str) -> Iterator[str]:
    """Every control call that reads, with right and wrong arguments."""
    sim = SHARED[world]()
    yield from _ordered(world, sim, changing=False)
    yield from _bugs(sim)


def _ordered(world: str, sim: Simulator, *, changing: bool) -> Iterator[str]:
    """What is wrong with the answers of control calls; in the crowded world every operation succeeds at least once."""
    succeeded: dict[str, bool] = {}
    for answer in control.orders(sim, changing=changing):
        name = answer.question.partition(" ")[0]
        succeeded[name] = succeeded.get(name, False) or answer.status < 300
        yield from answer.problems()
    yield from (f"{name}: no right call" for name, done in succeeded.items() if world == "crowded" and not done)


@ask
def control_changes(world: str) -> Iterator[str]:
    """Every control call that changes something, with right and wrong arguments; then the pages again."""
    sim = BUILDERS[world]()
    yield from _ordered(world, sim, changing=True)
    for name in PAGES:
        answer = send(sim, "GET", f"{PREFIX}/inspector/{name}", accept=BROWSER)
        yield from Answer(name, answer.status, "text/html", answer.body).problems()
    yield from _bugs(sim)


# What is written to be played again


@ask
def exports(world: str) -> Iterator[str]:
    """The journal as curl lines, a HAR, a test and a scenario, each of which is run again or counted."""
    sim = SHARED[world]()
    calls = len(sim.service.journal)
    plain = sum(not each.handshake for each in sim.service.journal)
    yield from _curl(sim.requests.export("curl"), range(plain, plain + len(sim.service.journal.control_calls) + 1))
    archive = json.loads(sim.requests.export("har"))
    if len(archive["log"]["entries"]) != calls:
        yield f"har: {len(archive['log']['entries'])} entries for {calls} calls"
    yield from _raised("pytest", lambda: _passes(sim.requests.export("pytest")))
    yield from _raised("scenario", lambda: _runs(sim.requests.export("scenario"), sim))
    yield from _bugs(sim)


def _raised(what: str, call: Callable[[], object]) -> Iterator[str]:
    """What a call raises; pytest fails by an exception that is not an Exception."""
    try:
        call()
    except (Exception, SystemExit) as error:
        yield f"{what}: {type(error).__name__}: {str(error)[:400]}"


def _curl(text: str, expected: range) -> Iterator[str]:
    """Run the lines in a shell in which curl only counts: it is called for each call, and nothing else is."""
    script = f"curl() {{ cat > /dev/null < /dev/null; echo called; }}\n{text}"
    with TemporaryDirectory() as directory:
        path = [shutil.which("bash") or "bash", "--norc", "-s"]
        done = subprocess.run(path, input=script.encode(), capture_output=True, cwd=directory, timeout=60, check=False)
        written = list(Path(directory).iterdir())
    lines = done.stdout.decode(errors="replace").splitlines()
    others = [line for line in lines if line != "called"]
    if len(lines) not in expected or others or written or done.stderr:
        yield f"curl: {len(lines)} of {expected} calls; {others[:3]}; wrote {written}; {done.stderr[:300]!r}"


def _passes(text: str) -> None:
    names: dict[str, Any] = {}
    exec(compile(text, "exported", "exec"), names)
    names["test_journal"](Simulator)


def _runs(text: str, exported: Simulator) -> None:
    document = json.loads(text)
    sim = Simulator(clock=START, profile=exported.service.profile)
    report = run_scenario(compile_scenario(document, sim.service.profile), sim.control.context)
    if report.failure is not None:
        raise AssertionError(report.failure.details())


@ask
def bundles(world: str) -> Iterator[str]:
    """The bundle, with secrets and without, is played again to the byte."""
    sim = SHARED[world]()
    for mask in (False, True):
        parting = replay(decoded(sim.control("get_bundle", mask=mask).data)).parting
        if parting is not None:
            yield f"bundle{' masked' * mask}: parts at {parting}"[:700]


@ask
def state(world: str) -> Iterator[str]:
    """The state is taken over by another simulator, which has the same digest and exports the same bytes."""
    sim = SHARED[world]()
    exported = sim.control("get_state").data
    other = Simulator(clock=START, profile=sim.service.profile)
    other.service.webhooks.send_with(Network())  # type: ignore[arg-type]  (so that what is sent stays so)
    other.state = json.loads(exported)
    if other.control("get_state").data != exported:
        yield "state: another simulator exports other bytes"
    if other.control("get_state_digest") != sim.control("get_state_digest"):
        yield "state: another simulator has another digest"
    with TemporaryDirectory() as directory:
        sim.save(f"{directory}/state.json")
        other.load(f"{directory}/state.json")
    if other.service.world.digest() != sim.service.world.digest():
        yield "state: a saved world has another digest"


# Other faces


@ask
def commands(world: str) -> Iterator[str]:
    """Every command, of the world that is served and of what was written of it."""
    sim = BUILDERS[world]()
    with TemporaryDirectory() as directory, sim.serve() as server:
        folder = Path(directory)
        sim.save(folder / "state.json")
        (folder / "a.toml").write_bytes(send(sim, "GET", f"{PREFIX}/accounts").body)
        for line in lines(server, folder):
            code, output, errors = asked(line)
            question = f"confsim {' '.join(line)}"
            if code not in (0, 1, 2) or "Traceback" in errors:
                yield f"{question}: {code} {errors[-500:]}"
            media = "text/x-terminal" if "--mask" not in line else "application/json"
            yield from Answer(question, 200, media, output.encode()).problems()
            yield from Answer(question, 200, "text/x-terminal", errors.encode()).problems()
    yield from _bugs(sim)


@ask
def documents(world: str) -> Iterator[str]:
    """The documents of the API, of the control plane and for assistants, and the index for programs."""
    sim = BUILDERS[world]()
    for target in (
        "/openapi.json",
        f"{PREFIX}/openapi.json",
        f"{PREFIX}/llms.txt",
        "/",
        f"{PREFIX}/",
        f"{PREFIX}/accounts",
    ):
        response = send(sim, "GET", target)
        yield from Answer(target, response.status, dict(response.headers)["Content-Type"], response.body).problems()
    found = json.loads(send(sim, "GET", "/openapi.json").body)
    names = {operation["operationId"] for path in found["paths"].values() for operation in path.values()}
    if lacking := {each.name for each in API if not each.variant_of} - names:
        yield f"/openapi.json: lacks {sorted(lacking)}"


@ask
def tools(world: str) -> Iterator[str]:
    """Every tool of assistants, right and wrong."""
    sim = BUILDERS[world]()
    used = Tools(direct(sim.control.context), sim.service.profile)
    questions: dict[str, tuple[dict[str, Any], ...]] = {
        "find_operations": ({}, *({"words": text[:200]} for text in HOSTILE.values())),
        "describe_operation": ({"operation": "create_channel"}, {"operation": "reset_world", "plane": "control"}),
        "explain": tuple({"name": text[:60]} for text in ("R094", *HOSTILE.values())),
        "call_operation": tuple(
            {"operation": "create_channel", "caller": OWNER, "body": {"name": text[:80]}} for text in HOSTILE.values()
        ),
        "control_world": (
            {"operation": "list_mail"},
            {"operation": "search", "arguments": {"text": "e"}},
            {"operation": "x"},
        ),
        "read_journal": ({"limit": 200}, {"status": 404}, {"operation": "x"}),
        "list_assumptions": ({}, {"used": False}),
        "what_if": ({"assumptions": {"encode.empty": "204"}}, {"assumptions": {}}),
    }
    yield from (f"no question for the tool {name}" for name in TOOLS if name not in questions)
    for name, given in questions.items():
        for arguments in given:
            question = f"{name} {arguments}"
            try:
                text = as_text(used.run(name, arguments))
            except Misuse as misuse:
                text = msgspec.json.encode(str(misuse)).decode()
            media = "" if "more characters" in text[-80:] else "application/json"
            yield from Answer(question, 200, media, text.encode()).problems()
    yield from _bugs(sim)


@ask
def objects(world: str) -> Iterator[str]:
    """How the things of a world are shown in a test, and how a failed assertion about them explains itself."""
    sim = SHARED[world]()
    lists: Mapping[str, Any] = {
        "simulator": [sim, sim.clock, sim.control, sim.worlds, sim.app],
        "requests": [sim.requests, *sim.requests[:]],
        "mail": [sim.mail, *sim.mail],
        "webhooks": [sim.webhooks, *sim.webhooks.find()],
        "faults": [sim.faults, *sim.faults, *sim.faults.held],
        "calls": sim.calls(),
        "unmatched": sim.requests.unmatched,
        "events": sim.requests.between(),
    }
    for name, found in lists.items():
        for shown in map(repr, found):
            if shown.startswith("<") and " object at 0x" not in shown:
                yield from Answer(f"repr of {name}", 200, "", shown.encode(errors="replace")).problems()
    for about in (
        lambda: sim.requests.assert_called("create_channel", times=10_000),
        lambda: sim.mail.assert_sent(to="nobody@x.example"),
        lambda: sim.webhooks.assert_delivered("channel.created", times=10_000),
    ):
        try:
            about()
        except AssertionError as error:
            yield from Answer("assertion", 200, "text/x-terminal", str(error).encode(errors="replace")).problems()


@ask
def what_ifs(world: str) -> Iterator[str]:
    """An alternative that changes nothing: the page says so of the calls that were replayed, and of no other."""
    sim = SHARED[world]()
    query = urlencode({"id": "handles.reservation-bearer", "value": '"maker"'})
    response = send(sim, "GET", f"{PREFIX}/inspector/what-if", query, accept=BROWSER)
    answer = Answer(f"what-if {query}", response.status, "text/html", response.body)
    yield from answer.problems()
    replayed = sim.control("ask_what_if", assumptions={"handles.reservation-bearer": "maker"}).calls
    if "Every call" in answer.text and replayed != min(replayed, 100):
        yield f"what-if: says every call of 100, and there are {replayed}"


@ask
def coverage(world: str) -> Iterator[str]:
    """What calls cover, counted while the world is built: the totals are those of the journal."""
    collector = Collector()
    collector.attach()
    try:
        sim = BUILDERS[world]()
        response = send(sim, "GET", f"{PREFIX}/coverage")
        yield from Answer("coverage", response.status, "application/json", response.body).problems()
        page = send(sim, "GET", f"{PREFIX}/inspector/coverage", accept=BROWSER)
        yield from Answer("page of coverage", page.status, "text/html", page.body).problems()
    finally:
        collector.detach()
    if response.status == 200:
        held = {each.request for each in sim.control("list_held")}  # they count once they are answered
        calls = Counter(each.operation for each in sim.service.journal if each.id not in held)
        yield from _totals(json.loads(response.body), calls)


def _totals(report: Mapping[str, Any], called: Counter[str]) -> Iterator[str]:
    """Hold the totals of a report against its areas, and its areas against the calls of the journal."""
    areas = report["areas"].values()
    met = {name: count for area in areas for name, count in area["operations"]["met"].items()}
    of_api = {name for name in called if name in API.operations}
    if missing := of_api - met.keys():
        yield f"coverage: {sorted(missing)} were called and do not count"
    if fewer := {name for name in of_api if met.get(name, 0) < called[name]}:
        yield f"coverage: {sorted(fewer)} count less often than they were called"
    for kind in ("operations", "assumptions"):
        counted = {name for area in areas for name in area[kind]["met"]}
        possible = counted | {name for area in areas for name in area[kind]["missing"]}
        if report["totals"][kind] != {"met": len(counted), "of": len(possible)}:
            yield f"coverage: {report['totals'][kind]} of {kind}, but {len(counted)} of {len(possible)} are listed"
    for kind in ("refusals", "transitions"):
        counted = {(group, name) for area in areas for group, names in area[kind]["met"].items() for name in names}
        if report["totals"][kind]["met"] != len(counted):
            yield f"coverage: {report['totals'][kind]} of {kind}, but {len(counted)} are listed"


@cache
def judged(world: str, name: str) -> tuple[str, ...]:
    """Return what is wrong when something is asked of a world, asked once in this process."""
    return tuple(ASKS[name](world))
