from __future__ import annotations

import pytest

from confsim.kernel.refusal import Misuse

ME = {"stepId": "me", "operationId": "get_me"}
USER = {"name": "userId", "in": "path", "value": 1}


def step(**more):
    """A step that calls get_me."""
    return {**ME, **more}


def test_a_document_that_can_work(written, compiled):
    """Operations of both descriptions are found, with and without the name of theirs."""
    scenario = compiled(written([ME, {"stepId": "now", "operationId": "$sourceDescriptions.control.get_clock"}]))
    assert [each.operation.path for each in scenario.steps["w1"]] == ["/users/me", "/clock"]
    assert scenario.sources["api"].endswith(":8080/openapi.json")


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ({"arazzo": "2.0.0"}, "reads Arazzo 1.0"),
        ({"colour": "red"}, "unknown field `colour`"),
        ({"info": {"title": "no version"}}, "missing required field `version`"),
        ({"workflows": []}, "no workflow"),
        ({"sourceDescriptions": []}, "no sourceDescriptions"),
        (
            {"sourceDescriptions": [{"name": "a", "url": "b.json", "type": "arazzo"}]},
            "'a' of type arazzo is not supported",
        ),
        ({"workflows": [{"workflowId": "w", "steps": []}]}, "workflow 'w': there is no stepId"),
        ({"workflows": [{"workflowId": "w 1", "steps": [ME]}]}, "'w 1' is not made of"),
        ({"workflows": [{"workflowId": "w", "steps": [ME]}] * 2}, "workflowId 'w' is there twice"),
        ({"workflows": [{"workflowId": "w", "steps": [ME, ME]}]}, "stepId 'me' is there twice"),
        ({"workflows": [{"workflowId": "w", "steps": [ME], "parameters": [{"name": "a", "value": 1}]}]}, "has no in"),
    ],
)
def test_a_document_of_the_wrong_form(written, compiled, part, problem):
    """What is unknown, missing or there twice is named."""
    with pytest.raises(Misuse, match=problem):
        compiled(written([ME], **part))


def test_extensions_are_passed_over(written, compiled):
    """Fields that start with x- may stand everywhere; in data they are data."""
    body = {"payload": {"x-colour": 1}, "x-b": 2}
    post = {"stepId": "p", "operationId": "reserve_handle", "requestBody": body, "x-c": 3}
    scenario = compiled(written([post], **{"x-a": 1}))
    assert scenario.steps["w1"][0].step.request_body.payload == {"x-colour": 1}


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"operationId": "get_mee"}, "there is no operation 'get_mee'; did you mean 'get_me'?"),
        ({"operationId": "$sourceDescriptions.control.get_me"}, "there is no operation 'get_me'"),
        ({"operationId": "$sourceDescriptions.apx.get_me"}, "no sourceDescription 'apx'; did you mean 'api'?"),
        ({"workflowId": "w1"}, "exactly one of operationId and workflowId"),
        (
            {"operationId": None, "operationPath": "{$sourceDescriptions.api.url}#/paths/~1"},
            "operationPath is not supp",
        ),
        ({"operationId": None, "workflowId": "w2"}, "no workflow 'w2'; there are w1"),
        ({"operationId": None, "workflowId": "$sourceDescriptions.x.w"}, "other documents are not supported"),
        ({"operationId": "get_user"}, "get_user needs the path parameter 'userId'"),
        (
            {"operationId": "rename_channel", "parameters": [{**USER, "name": "uuid"}]},
            "needs the query parameter 'name'",
        ),
        ({"parameters": [USER]}, "get_me has no path parameter 'userId'"),
        ({"parameters": [{"name": "imgsize", "in": "query", "value": 1}]}, "did you mean 'imgSize'"),
        ({"parameters": [{"name": "imgSize", "value": 1}]}, "'imgSize' has no in"),
        ({"requestBody": {"payload": {}}}, "get_me takes no requestBody"),
        ({"successCriteria": [{"condition": "$steps.mee.outputs.id == 1"}]}, "no step 'mee'; did you mean 'me'?"),
        ({"successCriteria": [{"condition": "$steps.me.outputs.id == 1"}]}, "'me' has no output 'id'"),
        ({"outputs": {"a": "$inputs.b"}}, "there is no input 'b'"),
        ({"outputs": {"a": "$workflows.w2.outputs.b"}}, "there is no workflow 'w2'"),
        ({"outputs": {"a": "$workflows.w1.outputs.b"}}, "'w1' has no output 'b'"),
        ({"outputs": {"a": "$sourceDescriptions.b.url"}}, "no sourceDescription 'b'"),
        ({"onSuccess": [{"name": "a", "type": "goto"}]}, "action 'a': goto takes one of stepId and workflowId"),
        ({"onSuccess": [{"name": "a", "type": "end", "stepId": "me"}]}, "end neither"),
        ({"onSuccess": [{"name": "a", "type": "goto", "stepId": "mi"}]}, "no step 'mi'; there are me"),
        ({"onSuccess": [{"name": "a", "type": "goto", "workflowId": "w7"}]}, "no workflow 'w7'"),
        ({"onSuccess": [{"name": "a", "type": "retry"}]}, "onSuccess knows end and goto, not retry"),
        ({"onFailure": [{"name": "a", "type": "retry", "stepId": "me"}]}, "by way of another step or workflow"),
        ({"onFailure": [{"name": "a", "type": "stop"}]}, "Invalid enum value 'stop'"),
        ({"colour": 1}, "unknown field `colour`"),
    ],
)
def test_a_step_that_cannot_work(written, compiled, more, problem):
    """A name that nothing has is Misuse with the nearest one, and nothing runs."""
    whole = {name: value for name, value in step(**more).items() if value is not None}
    with pytest.raises(Misuse, match=problem):
        compiled(written([whole]))


def test_the_place_is_reported(written, compiled):
    """Document, workflow and step stand before the problem."""
    with pytest.raises(Misuse, match=r"^test, workflow 'w1', step 'me': get_me has no query parameter 'a'"):
        compiled(written([step(parameters=[{"name": "a", "in": "query", "value": 1}])]))


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ([{"name": "b", "value": 1}], "workflow 'inner' has no input 'b'"),
        ([{"name": "a", "in": "query", "value": 1}], "parameter 'a' of a workflow has no in"),
    ],
)
def test_inputs_of_a_workflow_that_is_called(written, compiled, parameters, problem):
    """They are those that it declares, and have no place."""
    inner = {"workflowId": "inner", "inputs": {"properties": {"a": {}}}, "steps": [ME]}
    with pytest.raises(Misuse, match=problem):
        compiled(written(inner, [{"stepId": "s", "workflowId": "inner", "parameters": parameters}]))


def test_a_workflow_takes_no_body(written, compiled):
    """Only operations do."""
    call = {"stepId": "s", "workflowId": "inner", "requestBody": {"payload": 1}}
    with pytest.raises(Misuse, match="no requestBody"):
        compiled(written({"workflowId": "inner", "steps": [ME]}, [call]))


def test_workflows_run_after_those_they_depend_on(written, compiled):
    """The order is that of the document, what is depended on first."""
    first = {"workflowId": "first", "dependsOn": ["last"], "steps": [ME]}
    scenario = compiled(written(first, {"workflowId": "middle", "steps": [ME]}, {"workflowId": "last", "steps": [ME]}))
    assert scenario.order == ("last", "first", "middle")


@pytest.mark.parametrize(("depends", "problem"), [("a", "a -> a"), ("b", "a -> b -> a"), ("c", "no workflow 'c'")])
def test_workflows_that_depend_on_themselves(written, compiled, depends, problem):
    """A circle is refused, as is what is not there."""
    one = {"workflowId": "a", "dependsOn": [depends], "steps": [ME]}
    with pytest.raises(Misuse, match=problem):
        compiled(written(one, {"workflowId": "b", "dependsOn": ["a"], "steps": [ME]}))


def test_components_stand_in_for_what_refers_to_them(written, compiled):
    """Parameters, actions and inputs; a reference may give a parameter another value."""
    components = {
        "parameters": {"who": {"name": "Authorization", "in": "header", "value": "Bearer a"}},
        "failureActions": {"again": {"name": "again", "type": "retry"}},
        "inputs": {"common": {"properties": {"a": {"default": 1}}}},
    }
    uses = step(
        parameters=[{"reference": "$components.parameters.who", "value": "Bearer b"}],
        onFailure=[{"reference": "$components.failureActions.again"}],
        outputs={"a": "$inputs.a"},
    )
    workflow = {"workflowId": "w", "inputs": {"$ref": "#/components/inputs/common"}, "steps": [uses]}
    bound = compiled(written(workflow, components=components)).steps["w"][0]
    assert (bound.step.parameters[0].value, bound.on_failure[0].action.type) == ("Bearer b", "retry")


@pytest.mark.parametrize(
    "reference", [{"reference": "$components.parameters.b"}, {"reference": "$components.parameters.a", "in": "path"}]
)
def test_references_that_lead_nowhere(written, compiled, reference):
    """They are refused by name."""
    components = {"parameters": {"a": {"name": "a", "in": "header", "value": "1"}}}
    with pytest.raises(Misuse, match=r"names no component; there are \$components.parameters.a|no field beside value"):
        compiled(written([step(parameters=[reference])], components=components))


def test_a_name_in_two_descriptions_needs_the_name_of_one(written, compiled):
    """Else it could be either."""
    again = {"name": "again", "url": "http://127.0.0.1:8080/openapi.json"}
    values = written([ME])
    values["sourceDescriptions"].append(again)
    with pytest.raises(Misuse, match=r"write \$sourceDescriptions.<name>.get_me"):
        compiled(values)
