"""Types of fields that several control operations share, with their descriptions."""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Json, Pattern

Moment = Annotated[int, "An instant, in epoch milliseconds."]
Operation = Annotated[str, "The name of an operation."]
Method = Annotated[str, "The method of the call."]
Path = Annotated[str, "The path of the call, where * stands for any text."]
Status = Annotated[int, "The status of the answer."]

#: A duration such as "15m", or a number of milliseconds.
Duration = Annotated[Json, Pattern(lambda profile: {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]})]
#: An instant in epoch milliseconds or as ISO 8601.
Instant = Annotated[Json, Pattern(lambda profile: {"anyOf": [{"type": "string"}, {"type": "integer"}]})]
Rate = Annotated[Json, Pattern(lambda profile: {"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000})]
Object = Annotated[Json, Pattern(lambda profile: {"type": "object"})]
Key = Annotated[Json, Pattern(lambda profile: {"anyOf": [{"type": "string"}, {"type": "object"}]})]
