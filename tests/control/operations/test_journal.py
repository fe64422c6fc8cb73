"""The journal in the control plane: calls, their answers, the assumptions they used, the records they changed."""

from __future__ import annotations

from time import perf_counter

import pytest

from confsim import Misuse
from kit import CUSTOMER, START_MS

URL = {"url": "https://terms.example/new"}


def update(sim, url="https://terms.example/new", **more):
    """One call that changes something."""
    return sim.call("update_terms_url", "demo-api-token", body={"url": url, **more})


def last(plane):
    """The newest entry."""
    return plane("GET", "/requests")[1][-1]


def test_an_entry_tells_the_whole_call(plane, sim, people):
    """Request, answer, caller and the assumptions it used."""
    answer = sim.call("list_channels", "demo-owner", limit=1)
    entry = last(plane)
    assert entry["id"] == answer.headers["X-Confsim-Request-Id"]
    assert (entry["at"], entry["operation"], entry["status"]) == (START_MS, "list_channels", 200)
    assert (entry["method"], entry["path"], entry["query"]) == ("GET", "/v1_0/channels", {"limit": "1"})
    assert (entry["body"], entry["answer"]) == (None, answer.body)
    assert entry["caller"] == {
        "clientId": CUSTOMER,
        "userId": people["demo-owner"],
        "label": "Olaf Owner",
        "token": "demo-owner",
    }
    assert "size.page-most" in entry["assumptions"]


def test_the_calls_that_used_an_assumption_are_found(plane, sim):
    """Of every kind; an unknown id is a mistake."""
    sim.call("list_channels", "demo-owner", limit=1)
    update(sim)
    for found in (
        plane("GET", "/requests?assumption=size.page-most")[1],
        plane("GET", "/requests?assumption=size.page-most&kind=all")[1],
        plane("POST", "/requests/find", {"assumption": "size.page-most"})[1],
    ):
        assert [each["operation"] for each in found] == ["list_channels"]
    assert (
        sim.requests.matching(assumption="size.page-most") == len(sim.requests.find(assumption="size.page-most")) == 1
    )
    for kind in ("call", "control", "all"):
        status, problem = plane("GET", f"/requests?assumption=size.page-mots&kind={kind}")
        assert (status, "did you mean 'size.page-most'" in problem["detail"]) == (404, True)


def test_an_api_token_calls_as_nobody(plane, sim):
    """Its caller has no user."""
    update(sim)
    assert set(last(plane)["caller"]) == {"clientId", "apiToken", "label", "token"}


def test_calls_over_http_are_entries_too(plane, sim):
    """By the same words, in the same order."""
    sim.client("demo-owner").post("/terms", json=URL)
    update(sim)
    assert [each["path"] for each in plane("GET", "/requests")[1]] == ["/v1_0/terms", "/v1_0/terms"]


def test_changes_show_what_was_before_and_after(plane, sim):
    """Of a record that was there, the fields that differ."""
    update(sim)
    (change,) = last(plane)["changes"]
    assert (change["table"], change["client"], change["key"]) == ("clients", "", CUSTOMER)
    assert change["before"].keys() == change["after"].keys() == {"terms"}
    assert change["after"]["terms"]["url"] == URL["url"]


def test_changes_show_what_is_new_and_what_is_gone(plane, sim):
    """A record that is made has no before, one that is removed no after."""
    made = sim.call("create_api_token", "demo-customer-admin", body={"label": "x"}).body
    found = {change["table"]: change for change in last(plane)["changes"]}
    assert found["api tokens"]["before"] is None
    assert found["api tokens"]["after"]["label"] == "x"
    sim.call("delete_api_token", "demo-customer-admin", tokenId=made["id"])
    gone = {change["table"]: change["after"] for change in last(plane)["changes"]}
    assert gone == {"api tokens": None, "credentials": None}


def test_what_fell_due_before_a_call_is_reported(plane, sim):
    """On a clock that was moved or went on by itself, each at its instant, with the first call that came after it."""
    due = []
    for place in range(2):
        token = sim.call("reserve_handle", "demo-user", body={"handle": f"Held {place}"}).body["reservationToken"]
        due.append({"at": sim.clock.now + 900_000, "what": "handle reservation", "client": CUSTOMER, "subject": token})
        sim.clock.advance("1m")
    assert last(plane)["fired"] == []
    texts = [f"The reservation of Held {place} ends" for place in range(2)]
    fired = plane("POST", "/clock/advance", {"by": "15m"})[1]["fired"]
    assert ([each | due[place] for place, each in enumerate(fired)], [each["text"] for each in fired]) == (fired, texts)
    sim.call("get_me", "demo-user")
    fired = last(plane)["fired"]
    assert [each | due[place] for place, each in enumerate(fired)] == fired
    sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
    sim.service.clock.move(sim.clock.now + 900_000)
    sim.client().get("/nowhere")
    assert [each["at"] for each in last(plane)["fired"]] == [sim.clock.now]
    sim.call("get_me", "demo-user")
    assert [each.fired for each in sim.requests[-1:]] == [[]]


def test_what_fell_due_in_a_world_that_is_gone_is_forgotten(sim):
    """After a reset, a restored snapshot, a state that was put; and of very much only the latest calls stay."""
    sim.snapshot("start")
    document = sim.state
    ways = (sim.reset, lambda: sim.restore("start"), lambda: sim.control("put_state", **document))
    for leave in ways:
        sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
        assert sim.clock.advance("16m")
        leave()
        sim.call("get_me", "demo-user")
        assert sim.requests[-1].fired == []
    reserved = [
        sim.call("reserve_handle", "demo-user", body={"handle": f"Held {number}"}).body["reservationToken"]
        for number in range(1010)
    ]
    sim.clock.advance("16m")
    sim.call("get_me", "demo-user")
    assert [each.subject for each in sim.requests[-1].fired] == reserved[10:]


def test_a_refused_call_changed_nothing(plane, sim):
    """Its entry is there, without changes."""
    assert sim.call("update_terms_url", "demo-user", body=URL).status == 403
    assert (last(plane)["status"], last(plane)["changes"]) == (403, [])


def test_what_was_passed_over_is_reported(plane, sim):
    """Unknown fields of the body and unknown parameters, for_client where it does not count among them (G049)."""
    update(sim, colour="red", weight=5)
    assert last(plane)["ignored"] == {"body": ["colour", "weight"], "query": []}
    sim.call("get_me", "demo-owner", for_client=CUSTOMER, colour="red")
    assert last(plane)["ignored"] == {"body": [], "query": ["for_client", "colour"]}


def test_bytes_are_reported_by_their_number(plane, sim):
    """What is neither JSON nor text."""
    png = b"\x89PNG\r\n\x1a\n" + bytes(40)
    sim.call("set_user_image", "demo-user", userId="me", body=png)
    assert last(plane)["body"] == f"<{len(png)} bytes>"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 4),
        ("?operation=update_terms_url", 3),
        ("?method=get", 1),
        ("?path=/v1_0/terms", 3),
        ("?path=*/users/*", 1),
        ("?status=403", 1),
        ("?operation=update_terms_url&status=200", 2),
        ("?operation=promulgate_terms", 0),
        ("?limit=2", 2),
        ("?limit=0", 0),
    ],
)
def test_entries_are_picked(plane, sim, query, count):
    """By operation, method, path, status, and the last so many, newest last."""
    update(sim)
    sim.call("update_terms_url", "demo-user", body=URL)
    sim.call("get_user_terms", "demo-user")
    update(sim)
    found = plane("GET", f"/requests{query}")[1]
    assert len(found) == count
    assert [each["id"] for each in found] == sorted(each["id"] for each in found)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ({"url": "https://a.example/"}, 1),
        ({}, 2),
        ({"more": {"deep": [1, 2]}}, 1),
        ({"more": {"deep": [1]}}, 0),
        ({"more": {"deep": [True, 2]}}, 0),
        ({"url": None}, 0),
    ],
)
def test_entries_are_found_by_a_part_of_their_body(plane, sim, body, count):
    """Objects have at least these fields; everything else is equal, in type too."""
    update(sim, "https://a.example/", more={"deep": [1, 2], "other": 5})
    update(sim, "https://b.example/")
    pattern = {"operation": "update_terms_url", "body": body}
    assert plane("POST", "/requests/count", pattern) == (200, {"count": count, "dropped": 0})
    assert len(plane("POST", "/requests/find", pattern)[1]) == count


def test_entries_are_forgotten_one_by_one_or_all(plane, sim):
    """And what is not there is an error."""
    for _ in range(3):
        update(sim)
    assert plane("DELETE", "/requests/r2") == (200, {"count": 1})
    assert [each["id"] for each in plane("GET", "/requests")[1]] == ["r1", "r3"]
    assert plane("DELETE", "/requests/r2")[0] == 404
    assert plane("DELETE", "/requests") == (200, {"count": 2})
    assert plane("GET", "/requests")[1] == []


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("?operation=update_terms_url", ["r3"]),
        ("?status=403", ["r1", "r3"]),
        ("?method=get", ["r1", "r2"]),
        ("?path=*/users/*&status=200", ["r1", "r2"]),
        ("?operation=promulgate_terms", ["r1", "r2", "r3"]),
    ],
)
def test_entries_are_forgotten_by_what_they_are(plane, sim, query, left):
    """The same words as of the list; the assumptions that they used, and ids, stay as they were."""
    update(sim)
    sim.call("update_terms_url", "demo-user", body=URL)
    sim.call("get_user_terms", "demo-user")
    assert plane("DELETE", f"/requests{query}") == (200, {"count": 3 - len(left)})
    assert [each["id"] for each in plane("GET", "/requests")[1]] == left
    update(sim)
    assert last(plane)["id"] == "r4"


@pytest.mark.parametrize("query", ["?operation=nope", "?status=x", "?statuss=200", "?body={}"])
def test_nothing_is_forgotten_by_mistake(plane, sim, query):
    """A word that is not known forgets nothing."""
    update(sim)
    assert plane("DELETE", f"/requests{query}")[0] in (400, 404)
    assert len(plane("GET", "/requests")[1]) == 1


def test_the_number_of_stored_calls_is_reported(plane, sim):
    """The oldest go first, at once and later; resets and worlds made from this one keep as many."""
    for _ in range(4):
        update(sim)
    assert plane("PUT", "/requests", {"most": 2}) == (200, {"most": 2})
    assert [each["id"] for each in plane("GET", "/requests")[1]] == ["r3", "r4"]
    update(sim)
    assert [each["id"] for each in plane("GET", "/requests")[1]] == ["r4", "r5"]
    plane("POST", "/reset")
    for world in (sim, sim.fork(), sim.worlds.add("w1")):
        for _ in range(3):
            update(world)
        assert (len(world.requests), world.requests.most) == (2, 2)
    plane("PUT", "/requests", {"most": 0})
    assert update(sim).ok
    assert len(sim.requests) == 0


@pytest.mark.parametrize("body", [{}, {"most": -1}, {"most": "many"}, {"most": 5, "colour": 1}])
def test_what_no_journal_keeps_is_reported(plane, sim, body):
    """Less than nothing, and what is no number."""
    assert plane("PUT", "/requests", body)[0] == 400
    assert sim.requests.most == 1000


@pytest.mark.parametrize(
    ("method", "path", "nearest"),
    [
        ("GET", "/users/me/terms", "GET /v1_0/users/me/terms"),
        ("GET", "/v1_0/user/me", "GET /v1_0/users/me"),
        ("GET", "/v1_0/channels/x/setings", "GET /v1_0/channels/{uuid}/settings"),
        ("PUT", "/v1_0/terms", "POST /v1_0/terms"),
    ],
)
def test_a_call_that_reached_nothing_is_reported_with_the_nearest_route(plane, sim, method, path, nearest):
    """A mistyped path shows what was probably meant."""
    assert sim.client().open(f"http://any.example{path}", method=method).status_code in {404, 405}
    (found,) = plane("GET", "/requests/unmatched")[1]
    assert (found["method"], found["path"]) == (method, path)
    assert found["nearest"] == nearest


def test_very_long_paths_hold_nobody_up(plane, sim):
    """The server answers nobody else while it looks for what was meant."""
    for number in range(10):
        sim.client().get(f"/users/{number}{'x' * 60_000}/{'images/' * 500}")
    begun = perf_counter()
    assert len(plane("GET", "/requests/unmatched")[1]) == 10
    assert perf_counter() - begun < 20


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/requests?operation=nope", None),
        ("POST", "/requests/find", {"operation": "nope"}),
        ("POST", "/requests/count", {"operation": "nope"}),
    ],
)
def test_an_unknown_operation_is_reported(plane, method, path, body):
    """A mistyped name finds nothing silently nowhere."""
    status, problem = plane(method, path, body)
    assert status == 404
    assert "nope" in problem["detail"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/requests?limit=x", None),
        ("/requests?statuss=200", None),
        ("/requests/count", {"colour": 1}),
        ("/requests/find", {"status": "ok"}),
        ("/requests/find", b"["),
    ],
)
def test_a_wrong_pattern_is_reported(plane, path, body):
    """Unknown words and wrong types are problems."""
    assert plane("GET" if body is None else "POST", path, body)[0] == 400


def test_the_journal_in_python(sim):
    """A sequence of calls, with the same questions."""
    update(sim)
    sim.call("get_user_terms", "demo-user")
    assert [each.operation for each in sim.requests] == ["update_terms_url", "get_user_terms"]
    assert sim.requests[-1].status == 200
    assert len(sim.requests[:1]) == 1
    assert sim.requests.matching(operation="update_terms_url", body=URL) == 1
    assert sim.requests.find(status=500) == []
    sim.client().get("/nope")
    assert len(sim.requests.unmatched) == 1
    assert sim.requests.clear(operation="update_terms_url") == 1
    assert [each.operation for each in sim.requests] == ["get_user_terms", None]
    sim.requests.forget(sim.requests[0].id)
    with pytest.raises(Misuse, match="no request 'r1'"):
        sim.requests.forget("r1")
    assert sim.requests.clear() == 1
    assert len(sim.requests) == 0
    sim.requests.most = 3
    assert sim.requests.most == 3
    with pytest.raises(Misuse):
        sim.requests.most = -1
