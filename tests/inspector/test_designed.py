"""What the pages tell at a glance: what is wrong, why, how it came to it, and what to do next."""

from __future__ import annotations

from urllib.parse import quote

import msgspec
import pytest

from confsim import Simulator
from confsim.inspector.pages import records, what_if
from confsim.service.entries import ControlCall
from kit import ADMIN, CUSTOMER, OWNER, ROOM, START, USER


@pytest.fixture
def sim():
    """The demo world, in which nothing has happened."""
    return Simulator(clock=START)


def shown(page):
    """The text of a page, with single spaces."""
    return " ".join(page.text.split())


def refused(sim):
    """Reserve a handle, let it run out, use it: the id of the refused call."""
    nonce = [*sim.call("reserve_handle", USER, body={"handle": "Neo"}, expect=200).json().values()][-1]
    sim.clock.advance("16m")
    sim.call("change_handle_with_reservation", USER, nonce=str(nonce), expect=404)
    return sim.requests[-1].id


def test_an_empty_world_teaches(browse):
    """A call to copy, the tokens with who they are, a test to begin with."""
    text = shown(browse("/_confsim/"))
    for each in ("This world waits for its first call", "curl http", "demo-owner", "Olaf Owner", "confsim exec"):
        assert each in text, each


def test_the_landing_page_says_what_is_wrong(sim, browse):
    """Refused calls with their reasons, the endpoint that does not take, who waits, what falls due, by their names."""
    refused(sim)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close", expect=200)
    sim.presence.join(ROOM, OWNER)
    sim.presence.join(ROOM, USER)
    sim.call("reserve_handle", USER, body={"handle": "Trinity"}, expect=200)
    page = browse("/_confsim/")
    text = shown(page)
    for each in (
        "Two things need a look",
        "The reservation of “Neo” ran out",
        "Uma User waits in ",
        "The reservation of Trinity ends",
        "in 15 min",
    ):
        assert each in text, each
    assert "/_confsim/inspector/requests?status=4xx" in page.links()
    assert "Journal 1 refused" in text
    assert "People 1 waiting" in text
    assert ("button", {"class": "btn small", "name": "action", "value": "admit"}) in page.elements


def test_a_refused_call_says_why(sim, browse):
    """One sentence, the entries that led to it, the rule that decided, the record while it was there: all links."""
    id = refused(sim)
    page = browse(f"/_confsim/inspector/requests/{id}")
    text = shown(page)
    assert "The reservation of “Neo” ran out" in text
    assert "How it came to it r1 Uma User" in text
    assert "t1 The reservation of Neo ends" in text
    links = page.links()
    assert "/_confsim/inspector/requests/t1" in links
    assert "/_confsim/inspector/explain/R095" in links
    assert any("/records/reservations/" in each and each.endswith("at=r1") for each in links)
    assert "How it came to it" not in browse("/_confsim/inspector/requests/r1").text


def test_filters_of_the_journal_stay(sim, browse):
    """In the address, at every link of the list, beside an entry, and when one of them is a mistake."""
    sim.call("create_channel", "demo-guest", body={"name": "x"}, expect=403)
    sim.call("get_me", USER, expect=200)
    page = browse("/_confsim/inspector/requests?status=4xx&text=channel")
    assert "/_confsim/inspector/requests/r1?status=4xx&text=channel" in page.links()
    assert not [each for each in page.links() if "/requests/r2" in each]
    beside = browse("/_confsim/inspector/requests/r1?status=4xx&text=channel")
    assert "/_confsim/inspector/requests?text=channel" in beside.links()
    mistake = browse("/_confsim/inspector/requests?status=4yy&text=channel")
    assert mistake.status == 400
    values = [attrs.get("value") for tag, attrs in mistake.elements if tag == "input"]
    assert {"channel", "4yy"} <= set(values)
    assert "/_confsim/inspector/requests" in mistake.links()
    assert not [each for each in mistake.links() if "4yy" in each]


def test_calls_of_one_caller_are_listed(sim, browse):
    """By the name of the caller, which the page offers."""
    sim.call("get_me", USER, expect=200)
    sim.call("list_channels", OWNER, expect=200)
    assert "Olaf Owner (1)" in shown(browse("/_confsim/inspector/requests"))
    page = browse("/_confsim/inspector/requests?caller=1002")
    assert "/_confsim/inspector/requests/r2?caller=1002" in page.links()
    assert "/_confsim/inspector/requests/r1?caller=1002" not in page.links()


def test_like_calls_are_one_line(sim, browse):
    """Which opens to the calls; a call that changed something stands for itself."""
    for _ in range(3):
        sim.call("get_me", USER, expect=200)
        sim.call("get_me", USER, expect=200)
    sim.call("create_channel", OWNER, body={"name": "x"}, expect=200)
    page = browse("/_confsim/inspector/requests")
    assert "get_me, all 200" in shown(page)
    assert page.text.count(", all 200") == 1
    assert "/_confsim/inspector/requests/r3" in page.links()


def test_a_record_has_a_history(sim, browse):
    """What made and changed it, newest first, by whom; also after it is gone, and all around it."""
    made = sim.call("create_channel", OWNER, body={"name": "Board"}, expect=200).json()["channelUuid"]
    sim.call("set_channel_description", OWNER, uuid=made, body={"description": "Daily"}, expect=200)
    sim.presence.join(made, OWNER)
    path = f"/_confsim/inspector/records/channels/{made}"
    text = shown(browse(path))
    assert "r2 Olaf Owner calls set_channel_description, Board" in text
    assert "is Daily" in text
    assert text.index("calls set_channel_description") < text.index("calls create_channel")
    assert "join_channel" not in text.partition("History")[2].partition("Fields")[0]
    assert "join_channel" in browse(f"{path}?timeline=true").text
    sim.call("delete_channel", OWNER, uuid=made)
    gone = browse(path)
    assert gone.status == 200
    assert "no such record in this world any longer" in gone.text
    assert "calls delete_channel" in gone.text


def test_a_record_is_changed_by_its_form(sim, browse, submit):
    """Only the fields that are filled in; a value of another type is reported."""
    page = browse(f"/_confsim/inspector/records/channels/{ROOM}")
    assert ("label", {"for": "set-maxUsers"}) in page.elements
    answer = submit(
        "records", kind="channels", id=ROOM, **{"set-maxUsers": "7", "set-star": "true", "set-reputation": ""}
    )
    assert answer.status == 303
    record = sim.control("get_record", "channels", ROOM).record
    assert (record["max_users"], record["star"]) == (7, True)
    assert submit("records", kind="channels", id=ROOM, **{"set-maxUsers": "many"}).status == 400
    assert submit("records", kind="channels", id=ROOM).status == 400


#: Texts of form fields by the type of their values.
TEXTS = {"integer": "3", "boolean": "true", "array": "[]", "string": "5"}


def test_every_editable_field_is_set_by_its_form(sim, browse, submit):
    """With the value that its text stands for; each page offers the fields that the control plane sets."""
    sim.control("play_scenario", scenario="running-a-meeting")
    edited = set()
    for kind in {each.kind for each in sim.control("list_records", limit=0).kinds}:
        id = sim.control("list_records", kind=kind, limit=1).records[0].id
        for field in sim.control("get_record", kind, id).editable:
            types = {each.get("type", "string") for each in field.schema.get("anyOf", (field.schema,))}
            text = field.schema["enum"][0] if "enum" in field.schema else TEXTS[min(types - {"null"})]
            page = browse(f"/_confsim/inspector/records/{quote(kind)}/{quote(id)}")
            assert ("label", {"for": f"set-{field.name}"}) in page.elements
            if field.name == "outcome":
                continue  # the recording is done
            assert submit("records", kind=kind, id=id, **{f"set-{field.name}": text}).status == 303
            call = [each for each in sim.service.journal.between if isinstance(each, ControlCall)][-1]
            expected = text if "string" in types else msgspec.json.decode(text)
            assert msgspec.json.decode(call.body) == {field.name: expected}
            edited.add(f"{kind}: {field.name}")
    assert {"users: authKind", "channels: populationLimit", "sessions: groupId", "clients: reseller"} <= edited
    id = sim.control("list_records", kind="channels", limit=1).records[0].id
    assert submit("records", kind="channels", id=id, **{"set-populationLimit": "null"}).status == 303
    assert sim.control("get_record", "channels", id).record["population_limit"] is None


def test_each_kind_has_columns_of_its_own(sim, browse):
    """The fields that tell its records from each other."""
    heads = [attrs for tag, attrs in browse("/_confsim/inspector/records?kind=users").elements if tag == "th"]
    assert len(heads) > 5
    text = shown(browse("/_confsim/inspector/records?kind=users"))
    assert "NameState" in text
    assert "email" in text.partition("Paula Partner")[0]
    assert "meeting id" in shown(browse("/_confsim/inspector/records?kind=channels"))


def test_records_are_sorted_by_the_heads_of_their_columns(sim, browse):
    """By links, which keep the filters and turn the order of the column that is sorted; a wrong one is reported."""
    for name in ("Beta", "alpha"):
        sim.call("create_channel", OWNER, body={"name": name}, expect=200)
    path = "/_confsim/inspector/records?kind=channels"
    assert f"{path}&sort=label" in browse(path).links()
    page = browse(f"{path}&client={CUSTOMER}&sort=label&offset=0")
    text = shown(page)
    assert text.index("alpha") < text.index("Beta") < text.index("Demo Room")
    assert f"{path}&client={CUSTOMER}&sort=-label" in page.links()
    heads = [attrs.get("aria-sort") for tag, attrs in page.elements if tag == "th" and "aria-sort" in attrs]
    assert (heads[0], {*heads[1:]}) == ("ascending", {"none"})
    assert ("input", {"type": "hidden", "name": "sort", "value": "label"}) in page.elements
    text = shown(browse(f"{path}&sort=-label"))
    assert text.index("Demo Room") < text.index("Beta") < text.index("alpha")
    wrong = browse(f"{path}&sort=nam")
    assert wrong.status == 200
    assert "Not sorted. sort: 'nam' is not a field of channels" in shown(wrong)


def test_a_page_sorts_a_part_of_very_many_records(sim, browse, monkeypatch):
    """It says of how many, and a link leads to the others."""
    monkeypatch.setattr(records, "_SORTED", 2)
    for name in ("Beta", "Alpha"):
        sim.call("create_channel", OWNER, body={"name": name}, expect=200)
    path = "/_confsim/inspector/records?kind=channels&sort=label"
    page = browse(path)
    assert "In order are 2 records, those that are newest." in shown(page)
    assert "Demo Room" not in page.text
    assert f"{path}&start=2" in page.links()
    assert "Demo Room" in browse(f"{path}&start=2").text


@pytest.fixture
def endpoint(sim):
    """Deliveries to an endpoint that answers none, the first tried, the second behind it."""
    sim.call("add_events_endpoint", ADMIN, body={"url": "https://hooks.example/"}, expect=200)
    sim.call("set_events_state", ADMIN, state="enable", expect=200)
    sim.webhooks.deliver_to(lambda *_: 503)
    sim.call("create_channel", OWNER, body={"name": "First"}, expect=200)
    sim.call("create_channel", OWNER, body={"name": "Second"}, expect=200)
    return [each.id for each in sim.control("list_deliveries")]


def test_a_delivery_says_how_it_stands(sim, browse, submit, endpoint):
    """What was answered, what waits behind it and why, what caused it; it is sent again by a button."""
    first, second = endpoint[0], endpoint[-1]
    text = shown(browse(f"/_confsim/inspector/webhooks/{first}"))
    assert "later: a retry" in text
    assert "503" in text
    assert "of 2 to this endpoint" in text
    behind = browse(f"/_confsim/inspector/webhooks/{second}")
    assert "waits behind channel.created: First" in shown(behind)
    assert f"/_confsim/inspector/webhooks/{first}" in behind.links()
    assert "/_confsim/inspector/requests/r4" in behind.links()
    before = len(sim.control("get_delivery", first).attempts)
    assert submit("deliveries", id=first).status == 303
    assert len(sim.control("get_delivery", first).attempts) == before + 1
    assert submit("deliveries", id="none").status == 404
    listed = browse("/_confsim/inspector/webhooks?state=later&text=First")
    assert f"/_confsim/inspector/webhooks/{first}?state=later&text=First" in listed.links()
    assert not [each for each in listed.links() if second in each]
    assert browse("/_confsim/inspector/webhooks?state=nonsense").status == 400


def test_a_mail_is_read_beside_the_list(sim, browse):
    """Its code and the call that uses it can be copied; what became of it is said."""
    sim.call("set_user_email", USER, userId=1004, body={"email": "uma@example.com"}, expect=200)
    (mail,) = [each for each in sim.control("list_mail") if each.to == "uma@example.com"]
    page = browse(f"/_confsim/inspector/mail/{mail.id}")
    text = shown(page)
    assert f"Code{mail.code}" in text
    assert f"/email/verify/{mail.code}" in text
    assert "Not used yet" in text
    assert "/_confsim/inspector/requests/r1" in page.links()
    assert {attrs["data-copy"] for _, attrs in page.elements if "data-copy" in attrs} >= {"code", "use"}
    assert browse("/_confsim/inspector/mail/99999").status == 404


def test_any_moment_is_seen_forked_and_gone_back_to(sim, browse, submit):
    """By the slider's place or by its id: what is different now, a fork that has it, the world as it was."""
    sim.call("create_channel", OWNER, body={"name": "First"}, expect=200)
    sim.call("create_channel", OWNER, body={"name": "Second"}, expect=200)
    for query in ("at=r1", "place=0"):
        text = shown(browse(f"/_confsim/inspector/time?{query}"))
        assert "Right after r1" in text
        assert "New channel Second" in text
        assert "New channel First" not in text
    assert ("input", {"type": "range", "id": "place", "name": "place", "min": "0", "max": "2", "value": "2"}) in browse(
        "/_confsim/inspector/time"
    ).elements
    answer = submit("worlds", action="fork", name="before", moment="r1")
    assert dict(answer.headers)["Location"] == "/w/before/_confsim/"
    names = [each.label for each in sim.worlds["before"].control("list_records", kind="channels").records]
    assert "First" in names
    assert "Second" not in names
    assert submit("moments", id="r1").status == 303
    names = [each.label for each in sim.control("list_records", kind="channels").records]
    assert "First" in names
    assert "Second" not in names
    assert browse("/_confsim/inspector/time?at=r99").status == 404
    assert browse("/_confsim/inspector/time?place=x").status == 400


def test_forms_come_back_to_their_page(sim, submit):
    """To the page of the inspector that they name, and nowhere else."""
    for back, target in (
        ("/_confsim/inspector/requests?status=4xx", "/_confsim/inspector/requests?status=4xx"),
        ("https://evil.example/", "/_confsim/inspector/time"),
        ("//evil.example/", "/_confsim/inspector/time"),
        ("/_confsim/\r\nSet-Cookie: x", "/_confsim/inspector/time"),
    ):
        assert dict(submit("clock", by="1s", back=back).headers)["Location"] == target


def test_an_operation_is_tried_by_a_form(sim, browse, submit):
    """Its fields come from the declaration, its suggestions from the records; then the answer and what it changed."""
    page = browse("/_confsim/inspector/operations/create_channel")
    fields = [attrs.get("name") for tag, attrs in page.elements if tag in {"input", "select", "textarea"}]
    assert {"token", "body-name", "body-description", "body", "other"} <= set(fields)
    assert "Olaf Owner, owner" in shown(page)
    answer = submit("operations", operation="create_channel", token="demo-owner", **{"body-name": "Tried"})
    assert (answer.status, dict(answer.headers)["Location"]) == (
        303,
        "/_confsim/inspector/operations/create_channel?tried=r1",
    )
    text = shown(browse("/_confsim/inspector/operations/create_channel?tried=r1"))
    assert "200 Answered r1" in text
    assert "New channel Tried" in text
    submit("operations", operation="create_channel", token="demo-owner", **{"body-name": "Tried"})
    text = shown(browse("/_confsim/inspector/operations/create_channel?tried=r2"))
    assert "409 Refused r2 Tried exists already, made by Olaf Owner" in text
    assert sim.requests[-1].body == {"name": "Tried"}
    assert submit("operations", operation="nonsense").status == 404


def test_values_of_a_form_are_of_their_types(sim, submit):
    """Numbers and lists of JSON as such, texts as they are, what is left out not at all; a whole body as it is."""
    submit("operations", operation="set_lobby_door", token="demo-owner", **{"path-uuid": ROOM, "path-state": "close"})
    assert sim.requests[-1].status == 200
    submit("operations", operation="list_channels", token="demo-owner", **{"query-limit": "1", "query-search": ""})
    assert sim.requests[-1].query == {"limit": "1"}
    submit("operations", operation="create_channel", other="demo-user", body='{"name": 5}', **{"body-name": "x"})
    assert sim.requests[-1].body == {"name": 5}
    assert sim.requests[-1].caller.userId == 1004
    submit("operations", operation="create_channel", token="")
    assert sim.requests[-1].status == 401


def test_a_call_is_tried_again_as_it_was(sim, browse):
    """From the page of the call, with its path and its body filled in."""
    sim.call("set_channel_description", OWNER, uuid=ROOM, body={"description": "Daily"}, expect=200)
    page = browse("/_confsim/inspector/operations/set_channel_description?call=r1")
    values = {attrs.get("name"): attrs.get("value") for tag, attrs in page.elements if tag == "input"}
    assert values["path-uuid"] == ROOM
    assert values["body-description"] == "Daily"


@pytest.mark.own_ways
def test_a_scenario_is_played_in_an_empty_world(sim, browse, submit):
    """Each by a button; its calls are in the journal then."""
    page = browse("/_confsim/")
    names = [attrs.get("value") for tag, attrs in page.elements if tag == "button" and attrs.get("name") == "name"]
    assert {each.name for each in sim.control("list_scenarios")} <= set(names)
    assert submit("scenarios", name="lobby").status == 303
    assert sim.requests
    assert "This world waits" not in browse("/_confsim/").text
    assert submit("scenarios", name="nonsense").status == 404


def test_a_scenario_that_stops_says_where(sim, submit):
    """At which step, and what came instead."""
    sim.faults.add("reserve_handle", times="always", do={"status": 503})
    answer = submit("scenarios", name="handle-reservation")
    assert answer.status == 409
    assert b"the scenario stopped at " in answer.body


def test_a_call_of_a_web_page_that_no_client_allows_says_so(sim, browse):
    """By its origin, with the operation that allows it; no other call has this notice."""
    client = sim.client(USER)
    client.get("/v1_0/users/me", headers={"Origin": "http://localhost:5173"})
    page = browse("/_confsim/inspector/requests/r1")
    assert "does not allow web pages of http://localhost:5173, so the browser keeps this answer from them" in shown(
        page
    )
    assert "/_confsim/inspector/operations/set_origins" in page.links()
    client.get("/v1_0/users/me")
    assert 'id="h-why"' not in browse("/_confsim/inspector/requests/r2").text
    client.get("/v1_0/users/nobody", headers={"Origin": "http://localhost:5173"})
    page = browse("/_confsim/inspector/requests/r3")
    assert "A browser keeps this answer from the page at http://localhost:5173" in shown(page)


def test_long_answers_are_compared_from_where_they_differ():
    """A part of each, so that a page stays small; it says how many lines are left out."""
    old = [f"line {place}" for place in range(1000)]
    new = [*old[:500], "another", *old[501:]]
    left, right = what_if._halves("\n".join(old), "\n".join(new))
    assert left[0] == right[0] == (False, "… 497 equal lines")
    assert left[4] == (True, "line 500")
    assert right[4] == (True, "another")
    assert left[-1][1] == "… 303 more lines"
    assert len(left) == len(right) == 202
    same, _ = what_if._halves("\n".join(old), "\n".join(old))
    assert not any(is_other for is_other, _ in same)
