"""Compilation of a document: each step is bound to its operation, before anything runs.

Raises Misuse with the place of a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import UNSET, Struct

from confsim.contract.operation import Catalogue, Operation
from confsim.kernel.refusal import Misuse, suggest

from .conditions import BoundCriterion
from .document import Action, ArazzoDocument, Step, Workflow
from .expressions import Expression, expressions


class SourceCatalogue(Struct, frozen=True):
    """A catalogue whose operations steps can call, identified by the URL of its source description.

    ``suffix`` is the end of that URL; the empty suffix stands for all others. ``profile`` determines the routes.
    """

    suffix: str
    catalogue: Catalogue
    profile: Mapping[str, Any]


class BoundAction(Struct, frozen=True):
    """An action with its compiled criteria."""

    action: Action
    criteria: tuple[BoundCriterion, ...]


class BoundStep(Struct, frozen=True):
    """A step with the operation or the workflow that it calls, its criteria, and the actions after it."""

    step: Step
    operation: Operation | None
    source: SourceCatalogue | None
    workflow: str
    criteria: tuple[BoundCriterion, ...]
    on_success: tuple[BoundAction, ...]
    on_failure: tuple[BoundAction, ...]


class CompiledScenario(Struct, frozen=True):
    """A document that can be run: the bound steps of each workflow, and the order of the workflows."""

    name: str
    document: ArazzoDocument
    steps: dict[str, tuple[BoundStep, ...]]
    order: tuple[str, ...]

    @property
    def sources(self) -> dict[str, str]:
        """The URLs of the source descriptions by name."""
        return {each.name: each.url for each in self.document.source_descriptions}


def compile_document(document: ArazzoDocument, catalogues: Iterable[SourceCatalogue], name: str) -> CompiledScenario:
    """Return the compiled document. Raises Misuse for unknown names and unsupported features."""
    compiler = _Compiler(document, tuple(catalogues), name)
    steps = {}
    for workflow in document.workflows:
        with compiler.at(f"workflow {workflow.workflow_id!r}"):
            compiler.workflow(workflow)
            steps[workflow.workflow_id] = tuple(compiler.bind(workflow, step) for step in workflow.steps)
    return CompiledScenario(name, document, steps, tuple(compiler.order()))


class _Compiler:
    def __init__(self, document: ArazzoDocument, catalogues: tuple[SourceCatalogue, ...], name: str) -> None:
        self.document = document
        self.name = name
        self.workflows = {each.workflow_id: each for each in document.workflows}
        #: The steps of each workflow by their ids: a document has thousands of references to them.
        self.steps = {each.workflow_id: {step.step_id: step for step in each.steps} for each in document.workflows}
        self.catalogues = {}
        for source in document.source_descriptions:
            if source.type == "arazzo":
                raise Misuse(f"{name}: sourceDescriptions {source.name!r} of type arazzo is not supported")
            path = source.url.partition("?")[0]
            fits = [each for each in catalogues if each.suffix and path.endswith(each.suffix)]
            self.catalogues[source.name] = fits[0] if fits else next(each for each in catalogues if not each.suffix)

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Add the place to a Misuse that the block raises."""
        try:
            yield
        except Misuse as misuse:
            text = str(misuse)
            raise Misuse(text if text.startswith(self.name) else f"{self.name}, {place}: {text}") from None

    def workflow(self, workflow: Workflow) -> None:
        """Check the parts of a workflow beside its steps."""
        for other in workflow.depends_on:
            self._workflow(other, "dependsOn")
        for each in workflow.parameters:
            if each.in_ is None:
                raise Misuse(f"parameter {each.name!r} has no in")
        self._references(workflow, [list(workflow.outputs.values())])
        for bound in self._actions(workflow, [*workflow.success_actions, *workflow.failure_actions]):
            self._known(workflow, [each for criterion in bound.criteria for each in criterion.expressions])

    def bind(self, workflow: Workflow, step: Step) -> BoundStep:
        """Return the step with everything that it refers to."""
        with self.at(f"workflow {workflow.workflow_id!r}, step {step.step_id!r}"):
            operation, catalogue, called = self._called(step)
            if operation is not None:
                _parameters(operation, step, workflow)
            else:
                self._inputs(step, called)
            criteria = tuple(BoundCriterion(each) for each in step.success_criteria)
            on_success = self._actions(workflow, _over(step.on_success, workflow.success_actions))
            on_failure = self._actions(workflow, _over(step.on_failure, workflow.failure_actions))
            if any(bound.action.type == "retry" for bound in on_success):
                raise Misuse("onSuccess knows end and goto, not retry")
            body = step.request_body
            values: list[Any] = [[each.value for each in step.parameters], list(step.outputs.values())]
            if body is not None:
                values += [None if body.payload is UNSET else body.payload, [each.value for each in body.replacements]]
            self._references(workflow, values)
            every = [*criteria, *(each for bound in (*on_success, *on_failure) for each in bound.criteria)]
            self._known(workflow, [each for criterion in every for each in criterion.expressions])
            return BoundStep(step, operation, catalogue, called, criteria, on_success, on_failure)

    def order(self) -> Iterator[str]:
        """Yield the ids of the workflows in document order, each after its dependencies. Raises Misuse for a cycle."""
        done: dict[str, None] = {}

        def visit(id: str, above: tuple[str, ...]) -> None:
            if id in above:
                raise Misuse(f"{self.name}: dependsOn goes in a circle: {' -> '.join((*above, id))}")
            if id in done:
                return
            workflow = self.workflows.get(id)
            assert workflow is not None
            for other in workflow.depends_on:
                visit(other.removeprefix("$workflows."), (*above, id))
            done[id] = None

        for workflow in self.document.workflows:
            visit(workflow.workflow_id, ())
        return iter(done)

    def _called(self, step: Step) -> tuple[Operation | None, SourceCatalogue | None, str]:
        given = [step.operation_id, step.operation_path, step.workflow_id]
        if sum(each is not None for each in given) != 1:
            raise Misuse("it takes exactly one of operationId and workflowId")
        if step.operation_path is not None:
            raise Misuse("operationPath is not supported; name the operation by operationId")
        if step.workflow_id is not None:
            if step.request_body is not None:
                raise Misuse("a step that calls a workflow has no requestBody")
            return None, None, self._workflow(step.workflow_id, "workflowId").workflow_id
        return *self._operation(step.operation_id or ""), ""

    def _operation(self, id: str) -> tuple[Operation, SourceCatalogue]:
        catalogues, name = self.catalogues, id
        if id.startswith("$sourceDescriptions."):
            source, _, name = id.removeprefix("$sourceDescriptions.").partition(".")
            if source not in catalogues:
                raise Misuse(f"there is no sourceDescription {source!r}{suggest(source, catalogues)}")
            catalogues = {source: catalogues[source]}
        found = [(each.catalogue[name], each) for each in catalogues.values() if name in each.catalogue.operations]
        if len(found) > 1:
            raise Misuse(
                f"operationId {name!r} is in several sourceDescriptions; write $sourceDescriptions.<name>.{name}"
            )
        if not found:
            known = [operation for each in catalogues.values() for operation in each.catalogue.operations]
            raise Misuse(f"there is no operation {name!r}{suggest(name, known)}")
        return found[0]

    def _workflow(self, id: str, what: str) -> Workflow:
        if id.startswith("$sourceDescriptions."):
            raise Misuse(f"{what} {id!r}: workflows of other documents are not supported")
        found = self.workflows.get(id.removeprefix("$workflows."))
        if found is None:
            known = [each.workflow_id for each in self.document.workflows]
            raise Misuse(f"{what}: there is no workflow {id!r}{suggest(id, known)}")
        return found

    def _inputs(self, step: Step, called: str) -> None:
        workflow = self.workflows.get(called)
        assert workflow is not None
        known = workflow.inputs.get("properties", {})
        for each in step.parameters:
            if each.in_ is not None:
                raise Misuse(f"parameter {each.name!r} of a workflow has no in")
            if each.name not in known:
                raise Misuse(f"workflow {called!r} has no input {each.name!r}{suggest(each.name, known)}")

    def _actions(self, workflow: Workflow, actions: Iterable[Action]) -> tuple[BoundAction, ...]:
        bound = []
        for action in actions:
            place = f"action {action.name!r}"
            targets = [each for each in (action.step_id, action.workflow_id) if each is not None]
            if action.type == "retry" and targets:
                raise Misuse(f"{place}: retry by way of another step or workflow is not supported")
            if len(targets) != (action.type == "goto"):
                raise Misuse(f"{place}: goto takes one of stepId and workflowId, end neither")
            steps = self.steps[workflow.workflow_id]
            if action.step_id is not None and action.step_id not in steps:
                raise Misuse(f"{place}: there is no step {action.step_id!r}{suggest(action.step_id, steps)}")
            if action.workflow_id is not None:
                self._workflow(action.workflow_id, place)
            bound.append(BoundAction(action, tuple(BoundCriterion(each) for each in action.criteria)))
        return tuple(bound)

    def _references(self, workflow: Workflow, values: list[Any]) -> None:
        self._known(workflow, expressions(values))

    def _known(self, workflow: Workflow, found: Iterable[Expression]) -> None:
        for expression in found:
            problem = self._unknown(workflow, expression)
            if problem:
                raise Misuse(f"{expression.text}: {problem}")

    def _unknown(self, workflow: Workflow, expression: Expression) -> str:
        """Return what is wrong with the names in an expression; "" when all of them exist."""
        root, *words = expression.words
        if root == "inputs":
            known = workflow.inputs.get("properties", {})
            return "" if words[0] in known else f"there is no input {words[0]!r}{suggest(words[0], known)}"
        if root == "sourceDescriptions":
            return "" if words[0] in self.catalogues else f"there is no sourceDescription {words[0]!r}"
        if root == "steps":
            steps = self.steps[workflow.workflow_id]
            step = steps.get(words[0])
            if step is None:
                return f"there is no step {words[0]!r}{suggest(words[0], steps)}"
            known = step.outputs
        elif root == "workflows":
            other = self.workflows.get(words[0])
            if other is None:
                return f"there is no workflow {words[0]!r}"
            known = other.outputs if words[1] == "outputs" else other.inputs.get("properties", {})
        else:
            return ""
        name = words[2]
        return "" if name in known else f"{words[0]!r} has no {words[1][:-1]} {name!r}{suggest(name, known)}"


def _over(own: list[Action], shared: list[Action]) -> list[Action]:
    """Return the actions of a step, then those of its workflow that it does not override by name."""
    names = {action.name for action in own}
    return [*own, *(action for action in shared if action.name not in names)]


def _parameters(operation: Operation, step: Step, workflow: Workflow) -> None:
    """Raise Misuse for unknown parameters of the operation, and for missing required ones."""
    operation = variant_of(operation, [each.name for each in step.parameters if each.in_ == "query"])
    places: dict[str, list[str]] = {
        "path": list(operation.placeholders),
        "query": [each.name for each in operation.query_parameters] + (["for_client"] if operation.for_client else []),
    }
    given: dict[str, list[str]] = {"path": [], "query": []}
    for each in (*workflow.parameters, *step.parameters):
        if each.in_ is None:
            raise Misuse(f"parameter {each.name!r} has no in")
        if each.in_ not in places:
            continue
        given[each.in_].append(each.name)
        if each.name not in places[each.in_] and each in step.parameters:
            nearest = suggest(each.name, places[each.in_])
            raise Misuse(f"{operation.name} has no {each.in_} parameter {each.name!r}{nearest}")
    needed = {"path": places["path"], "query": [each.name for each in operation.query_parameters if each.required]}
    for place, names in needed.items():
        for name in names:
            if name not in given[place]:
                raise Misuse(f"{operation.name} needs the {place} parameter {name!r}")
    if step.request_body is not None and operation.body is None:
        raise Misuse(f"{operation.name} takes no requestBody")


def variant_of(operation: Operation, queried: Iterable[str]) -> Operation:
    """Return the operation that these query parameters select: this one, or a variant on the same route."""
    given = set(queried)
    for variant in operation.catalogue:
        if variant.variant_of == operation.name and any(
            each.required and each.name in given for each in variant.query_parameters
        ):
            return variant
    return operation
