"""Tests that depend on one or two assumptions, and tests that depend on none, as the source of a test module.

Each line of ``LEANING`` is a call and what a test asserts of its answer ``a``: it holds under every alternative but
those of the assumption that is named. What two such lines assert together fails only under a pair.
"""

from __future__ import annotations

from . import ROOM

CREATE = "s.call('create_channel', 'demo-owner', body={'name': 'Weekly planning'})"
TWICE = f"[{CREATE}, {CREATE}][-1]"
GUEST = "s.call('create_channel', 'demo-guest', body={'name': 'Weekly planning'})"
RESERVED = (
    "[s.call('reserve_handle', 'demo-user', body={'handle': 'free'}),"
    " s.call('reserve_handle', 'demo-owner', body={'handle': 'free'})][-1]"
)
NUMBERS = "s.call('list_available_dial_numbers', 'demo-owner')"
TOKEN = "s.call('create_api_token', 'demo-customer-admin', body={})"
RECORD = f"s.call('start_recording', 'demo-owner', uuid='{ROOM}')"
UNKNOWN = "s.call('get_channel', 'demo-owner', uuid='00000000-0000-4000-8000-000000000000')"

#: By assumption: a call, and what is asserted of its answer.
LEANING = {
    "status.role-missing": (GUEST, "a.status in (200, 401, 403)"),
    "code.role-missing": (GUEST, "a.status != 403 or 'another' not in str(a.body)"),
    "errors.body": (GUEST, "a.status == 200 or 'code' in (a.body or {})"),
    "gate.create_channel": (GUEST, "a.status != 200"),
    "status.not-found": (UNKNOWN, "a.status in (401, 403, 404)"),
    "status.credential-missing": ("s.call('get_me')", "a.status == 401"),
    "status.credential-invalid": ("s.call('get_me', 'nobody')", "a.status == 401"),
    "status.created": (CREATE, "a.status in (200, 401, 403, 413)"),
    "channels.unique-names": (TWICE, "a.status != 200"),
    "status.channel-name-taken": (TWICE, "a.status in (200, 401, 403, 409, 413)"),
    "status.handle-taken": (RESERVED, "a.status in (200, 400, 401, 403, 409, 413)"),
    "status.invalid-input": ("s.call('create_channel', 'demo-owner', body={})", "a.status in (400, 401, 403)"),
    "parse.unknown-query": ("s.client('demo-owner').get('/channels?zzz=1')", "a.status_code != 400"),
    "parse.unknown-fields": (
        "s.call('create_channel', 'demo-owner', body={'name': 'Weekly planning', 'zzz': 1})",
        "a.status != 400",
    ),
    "parse.limit-large": ("s.call('list_channels', 'demo-owner', limit=1000)", "a.status != 400"),
    "status.recording-needs-session": (RECORD, "a.status in (200, 401, 403, 409)"),
    "recordings.without-session": (RECORD, "a.status != 200"),
    "status.route-not-found": ("s.client('demo-user').get('/nothing/here')", "a.status_code == 404"),
    "status.method-not-allowed": ("s.client('demo-user').delete('/users/me')", "a.status_code in (404, 405)"),
    "route.wrong-method": ("s.client('demo-user').delete('/users/me')", "a.status_code != 404"),
    "status.body-malformed": (
        "s.client('demo-owner').post('/channels/create', data='{', content_type='application/json')",
        "a.status_code in (400, 401, 403)",
    ),
    "users.url-handle": ("s.call('get_me', 'demo-user')", "a.body['urlHandle'] == 'uma-user'"),
    "channels.list-container": ("s.call('list_channels', 'demo-owner')", "a.status != 200 or 'total' in a.body"),
    "numbers.container": (NUMBERS, "a.status != 200 or 'total' in a.body"),
    "numbers.code": (NUMBERS, "a.status != 200 or 'US' in str(a.body)"),
    "numbers.form": (NUMBERS, "a.status != 200 or '+12025550123' in str(a.body)"),
    "users.listed": ("s.call('list_users', 'demo-customer-admin')", "a.status != 200 or a.body['total'] == 3"),
    "tokens.format": (TOKEN, "a.status >= 400 or len(a.body['token']) == 43"),
    "duration.api-token": (TOKEN, "a.status >= 400 or a.body.get('expiresAt') is None"),
    "roles.owner-is-operator": (RECORD, "a.status != 403"),
    "gate.reserve_handle": (
        "s.call('reserve_handle', 'demo-user', body={'handle': 'free'})",
        "a.status not in (401, 403)",
    ),
    "initial.terms-required": ("s.call('get_me', 'demo-guest')", "a.status == 200"),
    "gate.list_sessions": ("s.call('list_sessions', 'demo-owner')", "a.status == 200"),
    "encode.absent": ("s.call('get_me', 'demo-user')", "'description' not in a.body"),
    "auth.presentation": (
        "s.client().get('/users/me', headers={'Authorization': 'Bearer demo-user'})",
        "a.status_code == 200",
    ),
    "route.get_user_email": (
        "s.client('demo-user').get(f\"/users/{s.call('get_me', 'demo-user').body['id']}/email\")",
        "a.status_code not in (404, 405)",
    ),
}

#: Pairs of assumptions, on which a test depends only together.
PAIRS = [
    ("status.role-missing", "status.not-found"),
    ("status.role-missing", "status.created"),
    ("status.not-found", "users.url-handle"),
    ("status.created", "numbers.form"),
    ("parse.unknown-query", "parse.unknown-fields"),
    ("parse.limit-large", "status.not-found"),
    ("status.credential-missing", "status.credential-invalid"),
    ("numbers.container", "channels.list-container"),
    ("numbers.code", "tokens.format"),
    ("users.url-handle", "users.listed"),
    ("status.handle-taken", "status.channel-name-taken"),
    ("duration.api-token", "status.route-not-found"),
    ("status.body-malformed", "status.method-not-allowed"),
    ("initial.terms-required", "status.recording-needs-session"),
]

#: Calls, and facts of the documents that hold whatever is assumed.
ROBUST = [
    *((call, "getattr(a, 'status_code', None) != 500") for call, _ in LEANING.values()),
    ("s.call('get_me', 'demo-user')", "a.body['id'] > 0"),
    ("s.call('get_me', 'demo-user')", "a.body['handle'] == 'Uma User'"),
    ("s.call('get_me', 'demo-owner')", "a.status == 200"),
    (f"s.call('get_channel', 'demo-owner', uuid='{ROOM}')", "a.status != 200 or a.body['name'] == 'Demo Room'"),
    ("s.call('list_supported_languages')", "a.status < 500"),
    ("s.call('list_client_media', 'demo-customer-admin')", "a.status < 500"),
    ("s.call('get_me', 'demo-operator')", "not a.body['unregistered']"),
    (CREATE, "a.status >= 400 or 'channelUuid' in a.body"),
    (TWICE, "a.status < 500"),
    (NUMBERS, "a.status != 200 or len(str(a.body)) > 10"),
    (TOKEN, "a.status >= 400 or a.body['token']"),
    ("s.call('get_user_terms', 'demo-owner')", "a.body['isCurrent'] is True"),
    ("s.call('list_sessions', 'demo-customer-admin')", "a.status < 500"),
    ("s.call('list_clients', 'demo-partner-admin')", "a.status < 500"),
]


def names(text: str) -> str:
    """An id as part of the name of a test."""
    return text.replace(".", "__").replace("-", "_")


def leaning() -> dict[str, set[str]]:
    """The tests that depend on assumptions, by name, each with the ids of its smallest set."""
    singles = {f"test_leans_on_{names(id)}": {id} for id in LEANING}
    pairs = {f"test_leans_on_{names(one)}_and_{names(two)}": {one, two} for one, two in PAIRS}
    return singles | pairs


def source() -> str:
    """The source of the test module."""
    tests = [
        f"def test_leans_on_{names(id)}(confsim):\n    s = confsim\n    a = {call}\n    assert {fact}\n"
        for id, (call, fact) in LEANING.items()
    ]
    for one, two in PAIRS:
        (call, fact), (other, also) = LEANING[one], LEANING[two]
        tests.append(
            f"def test_leans_on_{names(one)}_and_{names(two)}(confsim):\n    s = confsim\n"
            f"    a = {call}\n    first = {fact}\n    s.reset()\n    a = {other}\n    assert first or ({also})\n"
        )
    tests += [
        f"def test_robust_{number}(confsim):\n    s = confsim\n    a = {call}\n    assert {fact}\n"
        for number, (call, fact) in enumerate(ROBUST)
    ]
    return "\n\n".join(tests)
