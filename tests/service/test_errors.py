"""Refusals as responses: status, header fields, and the body by every template."""

from __future__ import annotations

import json

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.kernel.refusal import Refusal
from confsim.service.errors import refused

FACTS = {"what": "channel", "id": "x"}
FLAT = {"status": 404, "code": "not_found", "message": "There is no channel 'x' here.", "details": [FACTS]}


class Context:
    """A profile, and the assumptions that were used."""

    now = 0

    def __init__(self, **profile):
        self.carried = ProfileContext({id.replace("_", ".", 1): value for id, value in profile.items()})


def body(template, reason=Reason.NOT_FOUND, **facts):
    """The body of a refusal under a template; None for no body."""
    response = refused(Context(**({} if template is None else {"errors_body": template})), Refusal(reason, **facts))
    kind = "application/problem+json" if template == "problem" else "application/json"
    assert dict(response.headers).get("Content-Type") == (kind if response.body else None)
    return json.loads(response.body) if response.body else None


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (None, FLAT),
        ("flat", FLAT),
        ("nested", {"error": {name: FLAT[name] for name in ("code", "message", "details")}}),
        ("problem", {"type": "about:blank", "title": FLAT["message"], "status": 404, "code": "not_found",
                     "details": [FACTS]}),
        ("text", {"error": FLAT["message"]}),
        ("empty", None),
        ({"errors": ["$code", 7, {"text": "$message"}], "fixed": "a", "n": None},
         {"errors": ["not_found", 7, {"text": FLAT["message"]}], "fixed": "a", "n": None}),
    ],
)  # fmt: skip
def test_a_body_is_its_template_filled_in(template, expected):
    """Texts $status, $code, $message and $details are replaced wherever they stand; anything else stays."""
    assert body(template, **FACTS) == expected


def test_details_that_there_are_none_of_are_left_out():
    """A refusal without facts has a body without details."""
    assert body(None, Reason.CREDENTIAL_MISSING) == {
        "status": 401, "code": "credential_missing", "message": "This call needs a token.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "facts", "profile", "expected"),
    [
        (Reason.CREDENTIAL_MISSING, {}, {}, {"WWW-Authenticate": "Bearer"}),
        (Reason.CREDENTIAL_MISSING, {}, {"auth_presentation": ["?token={token}"]}, {}),
        (Reason.METHOD_NOT_ALLOWED, {"method": "PUT", "path": "/", "allowed": "GET"}, {}, {"Allow": "GET"}),
        (Reason.TOO_MANY_CALLS, {"limit": 5, "retryAfter": 30}, {}, {"Retry-After": "30"}),
        (Reason.NOT_FOUND, FACTS, {}, {}),
    ],
)
def test_header_fields_that_belong_to_a_refusal(reason, facts, profile, expected):
    """How to authenticate, what is allowed, when to come again."""
    response = refused(Context(**profile), Refusal(reason, **facts))
    assert dict(response.headers) == {**expected, "Content-Type": "application/json"}
    assert response.status == reason.value.status


def test_status_and_code_of_a_profile():
    """Both are assumptions, where the documents state no status."""
    context = Context(**{"status_not-found": 410, "code_not-found": "E1"})
    response = refused(context, Refusal(Reason.NOT_FOUND, **FACTS))
    assert (response.status, json.loads(response.body)["status"], json.loads(response.body)["code"]) == (410, 410, "E1")
    assert {"status.not-found", "code.not-found", "errors.body"} <= set(context.carried.used)
