"""Expected failures of Schemathesis' checks, each with the reason.

A schema describes values one by one, not the state of a world: a value that conforms is refused when the thing that it
names is not in the state that the call needs, or when it lacks a companion elsewhere in the request.
"""

from __future__ import annotations

import json
from typing import Any

from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response
from schemathesis.openapi.checks import RejectedPositiveData

#: Codes of refusals of input that conforms to its schemas, each with the reason.
BEYOND_SCHEMAS = {
    "not_predefined": "It is a user who has an account already; which users have not is state.",
    "not_unregistered": "It is a registered user; which users are not is state.",
    "version_not_current": "It is the version of terms that is no longer, or not yet, the current one.",
    "image_unknown_format": "The bytes are no image; a schema says nothing about bytes.",
    "media_missing": "The file is empty; a schema says nothing about bytes, not even how many there are.",
    "unsupported_media_type": "It is a form; a file may be of any other media type, and no range excepts forms.",
    "image_missing": "Either the query names the image or the body holds it; a document cannot require one of the two.",
}


def expected(failure: Failure, response: Response) -> bool:
    """Return whether a failure is expected."""
    return isinstance(failure, RejectedPositiveData) and _code(response) in BEYOND_SCHEMAS


def _code(response: Response) -> object:
    try:
        body: Any = response.json()
    except json.JSONDecodeError:
        return None
    return body.get("code") if isinstance(body, dict) else None
