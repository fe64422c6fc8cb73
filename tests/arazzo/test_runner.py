from __future__ import annotations

import json

import pytest

from confsim import Simulator
from confsim.control.scenarios import run_scenario as run_in
from confsim.kernel.refusal import Misuse
from kit import START, START_MS

OK = {"successCriteria": [{"condition": "$statusCode == 200"}]}


def me(id="me", **more):
    """A step that calls get_me."""
    return {"stepId": id, "operationId": "get_me", **more}


def action(type_, name="a", **more):
    """An action after a step."""
    return {"name": name, "type": type_, **more}


def steps(report):
    """The steps of a report in the order in which they were tried."""
    return [result.step for result in report.results]


# Requests


def test_a_request_is_made_from_the_step(play):
    """Path, query, headers and body hold what the parameters and the payload say, evaluated."""
    whole = {
        "stepId": "s",
        "operationId": "upload_channel_media",
        "parameters": [
            {"name": "uuid", "in": "path", "value": "a/b"},
            {"name": "name", "in": "query", "value": "{$inputs.file}.txt"},
            {"name": "X-Trace", "in": "header", "value": 5},
            {"name": "first", "in": "cookie", "value": "1"},
            {"name": "second", "in": "cookie", "value": "2"},
        ],
        "requestBody": {"contentType": "text/plain", "payload": "Hello {$inputs.file}"},
    }
    inputs = {"properties": {"file": {"default": "ä b"}}}
    _, transport = play([{"workflowId": "w", "inputs": inputs, "steps": [whole]}])
    (sent,) = transport.sent
    assert (sent.method, sent.target) == ("POST", "/v1_0/channels/a%2Fb/media")
    assert sent.query == "name=%C3%A4+b.txt"
    assert sent.headers == {"x-trace": "5", "cookie": "first=1; second=2", "content-type": "text/plain"}
    assert sent.body == "Hello ä b".encode()


@pytest.mark.parametrize(
    ("body", "raw"),
    [
        ({"payload": {"handle": "$inputs.name", "n": [1]}}, b'{"handle":"Ada","n":[1]}'),
        ({"payload": '{"handle": "{$inputs.name}"}'}, b'{"handle": "Ada"}'),
        ({"payload": "plain {$inputs.name}"}, b'"plain Ada"'),
        ({"payload": None}, b"null"),
        ({}, b""),
        (
            {"payload": {"a": [{"b": 1}]}, "replacements": [{"target": "/a/0/b", "value": "$inputs.name"}]},
            b'{"a":[{"b":"Ada"}]}',
        ),
    ],
)
def test_bodies(play, body, raw):
    """A payload is JSON, or a text that becomes JSON once it is evaluated; replacements go to their places."""
    inputs = {"properties": {"name": {"default": "Ada"}}}
    post = {"stepId": "s", "operationId": "reserve_handle", "requestBody": body}
    _, transport = play([{"workflowId": "w", "inputs": inputs, "steps": [post]}])
    assert transport.sent[0].body == raw


def test_a_replacement_where_nothing_stands_fails_the_step(play):
    """The problem names the place."""
    body = {"payload": {}, "replacements": [{"target": "/a/b", "value": 1}]}
    report, transport = play([[{"stepId": "s", "operationId": "reserve_handle", "requestBody": body}]])
    assert "replacement at '/a/b'" in report.failure.problem
    assert transport.sent == []


def test_parameters_of_the_workflow_go_where_they_fit(play):
    """Those of a step win; one that an operation does not have is left out."""
    shared = [
        {"name": "Authorization", "in": "header", "value": "Bearer a"},
        {"name": "limit", "in": "query", "value": 3},
    ]
    listed = {"stepId": "list", "operationId": "list_users"}
    own = me(parameters=[{"name": "Authorization", "in": "header", "value": "Bearer b"}])
    _, transport = play([{"workflowId": "w", "parameters": shared, "steps": [listed, own]}])
    assert [(sent.query, sent.headers) for sent in transport.sent] == [
        ("limit=3", {"authorization": "Bearer a"}),
        ("", {"authorization": "Bearer b"}),
    ]


def test_tokens_are_presented_as_the_profile_says(play):
    """And routes are those of the profile."""
    profile = {"auth.presentation": ("X-Token: {token}",), "route.list_supported_languages": "GET /tongues"}
    who = [{"name": "Authorization", "in": "header", "value": "Bearer t"}]
    _, transport = play(
        [[{"stepId": "s", "operationId": "list_supported_languages", "parameters": who}]], profile=profile
    )
    assert (transport.sent[0].target, transport.sent[0].headers) == ("/v1_0/tongues", {"x-token": "t"})


def test_a_query_parameter_tells_operations_of_one_route_apart(play):
    """As on the server."""
    by_id = [{"name": "meetingId", "in": "query", "value": 1}]
    report, transport = play([[{"stepId": "s", "operationId": "list_channels", "parameters": by_id}]])
    assert transport.calls[0].operation.name == "find_channel_by_meeting_id"
    assert report.passed


# Criteria and outputs


def test_a_step_without_criteria_is_to_succeed(play):
    """Any status below 400 will do."""
    assert play([[me()]], (204, None))[0].passed
    report, _ = play([[me()]], (404, None))
    assert report.failure.failed == ["$statusCode < 400"]


def test_a_failing_step_is_reported(play):
    """With the step, every criterion that does not hold, the request and the answer."""
    criteria = [{"condition": "$statusCode == 201"}, {"condition": "$response.body#/id == 1"}]
    post = {
        "stepId": "s",
        "operationId": "reserve_handle",
        "requestBody": {"payload": {"handle": "Neo"}},
        "successCriteria": criteria,
    }
    report, _ = play([[post, me()]], (200, {"id": 2}))
    details = report.failure.details()
    assert steps(report) == ["s"]
    assert "step 's' of workflow 'w1'" in details
    assert "criterion  $statusCode == 201\n  criterion  $response.body#/id == 1" in details
    assert "request    POST http://there/v1_0/users/handle/reserve  (reserve_handle)" in details
    assert '{"handle":"Neo"}' in details
    assert 'answer     200 {"id":2}' in details


def test_outputs_go_from_step_to_step_and_out(play):
    """A step sees those before it; the workflow gives what it says."""
    first = me("first", outputs={"id": "$response.body#/id", "trace": "$response.header.X-Trace"})
    second = {
        "stepId": "second",
        "operationId": "get_user",
        "parameters": [{"name": "userId", "in": "path", "value": "$steps.first.outputs.id"}],
    }
    outputs = {
        "user": "$steps.first.outputs.id",
        "text": "no. {$steps.first.outputs.id} ({$steps.first.outputs.trace})",
    }
    report, transport = play([{"workflowId": "w", "steps": [first, second], "outputs": outputs}], (200, {"id": 7}))
    assert transport.sent[1].target == "/v1_0/users/7"
    assert report.outputs == {"user": 7, "text": "no. 7 (t-1)"}


@pytest.mark.parametrize("part", ["step", "workflow"])
def test_an_output_of_nothing_fails(play, part):
    """The problem is the expression that named nothing."""
    first = me(outputs={"id": "$response.body#/id"} if part == "step" else {"all": "$response.body"})
    outputs = {} if part == "step" else {"id": "$steps.me.outputs.all#/id"}
    report, _ = play([{"workflowId": "w", "steps": [first], "outputs": outputs}], (200, {}))
    assert not report.passed
    assert "names nothing that is there" in report.failure.problem


# Inputs


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({"count": "x"}, "inputs.count: 'x' is not of type 'integer'"),
        ({}, "'count' is a required property"),
        ({"count": 1, "colour": 1}, "no workflow has an input 'colour'"),
    ],
)
def test_inputs_are_judged_by_their_schema(play, inputs, problem):
    """Wrong, missing and unknown ones are refused before any request."""
    schema = {"properties": {"count": {"type": "integer"}}, "required": ["count"]}
    with pytest.raises(Misuse, match=problem):
        play([{"workflowId": "w", "inputs": schema, "steps": [me()]}], inputs=inputs)


def test_inputs_have_defaults(play):
    """What is given wins."""
    schema = {"properties": {"a": {"default": 1}, "b": {"default": 2}}}
    outputs = {"a": "$inputs.a", "b": "$inputs.b"}
    report, _ = play([{"workflowId": "w", "inputs": schema, "steps": [me()], "outputs": outputs}], inputs={"b": 3})
    assert report.outputs == {"a": 1, "b": 3}


# What comes after a step


def test_success_may_end_a_workflow(play):
    """The steps after it are left out, and its outputs are there."""
    ends = me("first", onSuccess=[action("end", criteria=[{"condition": "$statusCode == 200"}])])
    report, _ = play([{"workflowId": "w", "steps": [ends, me("second")], "outputs": {"o": "$inputs.i"}, **INPUT}])
    assert (steps(report), report.passed, report.outputs) == (["first"], True, {"o": 1})


INPUT = {"inputs": {"properties": {"i": {"default": 1}}}}


def test_the_first_action_whose_criteria_hold_counts(play):
    """Others are passed over; without any, the next step comes."""
    actions = [
        action("end", "no", criteria=[{"condition": "$statusCode == 500"}]),
        action("goto", "yes", stepId="third", criteria=[{"condition": "$statusCode == 200"}]),
        action("end", "too late"),
    ]
    report, _ = play([[me("first", onSuccess=actions), me("second"), me("third")]])
    assert steps(report) == ["first", "third"]


def test_an_action_holds_for_the_status_of_a_profile_too(play):
    """Scenarios are written without regard to profiles: what is 204 by one counts as the 200 of the defaults."""
    ends = action("end", criteria=[{"condition": "$statusCode == 200"}])
    version = {"name": "version", "in": "path", "value": "1"}
    accepting = {"stepId": "first", "operationId": "accept_terms", "parameters": [version], "onSuccess": [ends]}
    for profile, tried in (({"encode.empty": "204"}, ["first"]), ({}, ["first", "second"])):
        report, _ = play([[accepting, me("second")]], (204, None), profile=profile)
        assert steps(report) == tried


def test_failure_may_go_elsewhere(play):
    """A step that fails and is dealt with does not fail the workflow."""
    deals = me("first", onFailure=[action("goto", stepId="third")], **OK)
    report, _ = play([[deals, me("second"), me("third")]], (404, None), (200, {}))
    assert (steps(report), report.passed) == (["first", "third"], True)


def test_failure_may_end_a_workflow(play):
    """Then it has failed, and those after it do not run."""
    report, _ = play([[me("first", onFailure=[action("end")], **OK)], [me("other")]], (404, None))
    assert (steps(report), report.passed, report.failure.step) == (["first"], False, "first")


def test_a_step_is_tried_again(play):
    """As often as it says, after as long as it says."""
    again = me(onFailure=[action("retry", retryAfter=1.5, retryLimit=3)], **OK)
    report, transport = play([[again]], (503, None), (503, None), (200, {}))
    assert [result.attempt for result in report.results] == [1, 2, 3]
    assert transport.waited == [1.5, 1.5]
    assert report.passed


@pytest.mark.parametrize(("more", "attempts"), [({}, 2), ({"retryLimit": 4}, 5), ({"retryLimit": 0}, 1)])
def test_no_step_is_tried_for_ever(play, more, attempts):
    """Without a limit it is tried once again."""
    report, _ = play([[me(onFailure=[action("retry", **more)], **OK)]], (503, None))
    assert (len(report.results), report.passed) == (attempts, False)


@pytest.mark.parametrize(
    "steps",
    [
        [me(onSuccess=[action("goto", stepId="me")])],
        [me(onSuccess=[action("goto", workflowId="w1")])],
        [{"stepId": "me", "workflowId": "w1"}],
    ],
    ids=["to a step", "to a workflow", "into a workflow"],
)
def test_going_round_for_ever_is_misuse(play, steps):
    """A run has a bound."""
    with pytest.raises(Misuse, match=r"goes round for ever: .* at 'me'"):
        play([steps])


def test_actions_of_the_workflow_are_for_every_step(play):
    """An action of a step takes the place of the one of its name."""
    shared = [action("goto", "out", stepId="last")]
    first, second = me("first"), me("second", onSuccess=[action("end", "out")])
    plain = {
        "workflowId": "w",
        "successActions": shared,
        "steps": [first, second, me("last", onSuccess=[action("end", "out")])],
    }
    assert steps(play([plain])[0]) == ["first", "last"]
    assert steps(play([{**plain, "steps": plain["steps"][1:]}])[0]) == ["second"]


def test_going_to_a_workflow(play):
    """What follows in the first one is left out; the outputs are those of the other."""
    one = {"workflowId": "one", "steps": [me("a", onSuccess=[action("goto", workflowId="two")]), me("b")]}
    two = {"workflowId": "two", "steps": [me("c")], "outputs": {"o": "$inputs.i"}, **INPUT}
    report, _ = play([one, two])
    assert steps(report) == ["a", "c", "c"]
    assert report.outputs == {"o": 1}


# Workflows


def test_a_step_may_call_a_workflow(play):
    """With inputs of its own, and its outputs for the step."""
    inner = {
        "workflowId": "inner",
        "steps": [me("i", outputs={"id": "$response.body#/id"})],
        "outputs": {"pair": "{$inputs.i}-{$steps.i.outputs.id}"},
        **INPUT,
    }
    call = {
        "stepId": "call",
        "workflowId": "inner",
        "parameters": [{"name": "i", "value": 5}],
        "successCriteria": [{"condition": "$outputs.pair == '5-7'"}],
        "outputs": {"got": "$outputs.pair", "same": "$workflows.inner.outputs.pair"},
    }
    outer = {"workflowId": "outer", "steps": [call], "outputs": {"o": "$steps.call.outputs.got"}}
    report, _ = play([outer, inner], (200, {"id": 7}))
    assert steps(report) == ["i", "call", "i"]
    assert report.outputs == {"o": "5-7", "pair": "1-7"}


def test_a_workflow_that_fails_fails_the_step_that_called_it(play):
    """The Misuse names the step."""
    call = {"stepId": "call", "workflowId": "inner"}
    report, _ = play(
        [{"workflowId": "outer", "steps": [call]}, {"workflowId": "inner", "steps": [me("i")]}], (500, None)
    )
    assert report.failure.problem == "workflow 'inner' failed at its step 'i'"
    assert steps(report) == ["i", "call"]


def test_workflows_run_one_after_the_other(play):
    """Later ones see the outputs of earlier ones; after a failure none runs."""
    first = {"workflowId": "first", "steps": [me("a")], "outputs": {"o": "$inputs.i"}, **INPUT}
    second = {"workflowId": "second", "steps": [me("b")], "outputs": {"p": "$workflows.first.outputs.o"}}
    assert play([first, second])[0].outputs == {"o": 1, "p": 1}
    assert steps(play([first, second], (500, None))[0]) == ["a"]


# In a world


def test_waiting_moves_the_clock_of_the_world(written, compiled):
    """A retry waits by the world's clock, not by ours."""
    sim = Simulator(clock=START)
    held = sim.call("reserve_handle", "demo-owner", body={"handle": "Neo"})
    assert held.ok
    reserve = {
        "stepId": "s",
        "operationId": "reserve_handle",
        "parameters": [{"name": "Authorization", "in": "header", "value": "Bearer demo-user"}],
        "requestBody": {"payload": {"handle": "Neo"}},
        "onFailure": [action("retry", retryAfter=450, retryLimit=2)],
        **OK,
    }
    report = run_in(compiled(written([reserve])), sim.control.context)
    assert [result.status for result in report.results] == [409, 409, 200]
    assert sim.clock.now == START_MS + 900_000


def test_a_lonely_surrogate_is_no_trouble(play):
    """Answers that are no JSON are texts."""
    report, _ = play([[me(outputs={"all": "$response.body"})]], (200, b"\xff{"))
    assert json.dumps(report.results[0].outputs["all"])
