"""The table of the truth: what the conferencing service does, as the entries of the register would say it.

``truth.toml`` beside the service has each entry that a style settles: a value, ``{value = {…}}`` for a table of values,
``{other = "…"}`` where no alternative of the register describes the behaviour, and ``{mixed = "…"}`` where the service
follows several of them. ``python -m kit.exam.truth``, run in ``tests``, writes the part that follows from the
service's own tables (gates, codes, statuses) anew; the rest was read in its code.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import confsim.control.catalogue  # noqa: F401  (declares every entry)
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from services import conferencing
from services.conferencing.context import ROUTES
from services.conferencing.gates import DOCUMENTED
from services.conferencing.style import Style

FILE = Path(conferencing.__file__).with_name("truth.toml")
#: The line of the file below which everything follows from the tables of the service.
DERIVED = "# From the service's own tables: who may call what, and how refusals are told."
#: Reasons of refusals, the kinds of failures that they are for the service, and the styles in which they occur.
REASONS = (
    ("route-not-found", "no_route", "abc"), ("method-not-allowed", "bad_method", "abc"),
    ("not-acceptable", "not_acceptable", "b"), ("body-too-large", "too_large", "abc"),
    ("unsupported-media-type", "bad_type", "b"), ("credential-missing", "no_token", "abc"),
    ("credential-invalid", "bad_token", "abc"), ("credential-expired", "expired_token", "abc"),
    ("terms-not-accepted", "terms_pending", "abc"), ("identity-token-malformed", "bad_identity", "abc"),
    ("identity-token-invalid", "bad_identity", "abc"), ("no-active-validator", "no_validator", "abc"),
    ("invitation-code-invalid", "bad_identity", "ac"), ("service-disabled", "service_disabled", "abc"),
    ("for-client-refused", "for_client_denied for_client_unknown for_client_foreign", "abc"),
    ("role-missing", "forbidden", "abc"), ("no-user-context", "user_only", "abc"),
    ("invalid-input", "invalid bad_query", "abc"), ("body-malformed", "bad_json", "abc"),
    ("invalid-state", "bad_state", "abc"), ("not-found", "not_found", "abc"),
    ("predefined-user-not-found", "not_found", "abc"),
    ("reservation-not-found", "reservation_unknown reservation_expired", "abc"),
    ("invitation-not-pending", "no_invitation", "abc"), ("provider-unknown", "invalid", "abc"),
    ("level-unknown", "level_unknown", "abc"), ("level-not-held", "level_not_held", "ac"),
    ("not-operator", "role_not_held", "ac"), ("friendly-url-unknown", "not_found", "abc"),
    ("meeting-id-unknown", "not_found", "abc"), ("version-not-current", "wrong_terms", "abc"),
    ("not-predefined", "not_predefined", "abc"), ("not-unregistered", "registered_user", "abc"),
    ("handle-taken", "handle_taken", "abc"), ("origin-id-taken", "origin_taken", "ac"),
    ("channel-name-taken", "name_taken", "abc"), ("friendly-url-taken", "friendly_taken", "abc"),
    ("operator-is-owner", "is_owner", "a"), ("last-owner", "last_owner", "c"),
    ("description-too-long", "invalid", "abc"),
    ("friendly-url-malformed", "invalid bad_query", "abc"), ("client-name-taken", "name_taken", "ab"),
    ("state-holds", "already", "b"), ("friendly-urls-off", "friendly_off", "abc"),
    ("guest-access-off", "guest_access_off", "abc"), ("level-not-assignable", "level_denied", "abc"),
    ("level-last-admin", "last_admin", "bc"), ("template-inherited", "template_inherited", "abc"),
    ("language-missing", "bad_query", "bc"), ("theme-unknown", "bad_query", "ab"), ("no-template", "no_template", "a"),
    ("session-elsewhere", "not_found", "abc"), ("email-malformed", "invalid", "abc"),
    ("email-taken", "email_taken", "bc"),
    ("language-unknown", "invalid", "abc"), ("property-too-large", "too_large", "abc"),
    ("channel-being-created", "being_created", "ac"), ("channel-in-use", "channel_live", "b"),
    ("too-many-channels", "bad_path", "a"), ("no-active-session", "no_session", "ac"),
    ("session-ended", "session_over", "a"), ("event-room-off", "not_event_room", "abc"),
    ("breakout-active", "breakout_running", "abc"), ("breakout-completed", "breakout_over", "ab"),
    ("breakout-started", "breakout_started", "abc"), ("breakout-not-prepared", "none_to_start", "abc"),
    ("breakout-not-active", "none_running", "ab"), ("room-name-taken", "name_taken", "b"),
    ("assigned-elsewhere", "assigned_elsewhere", "b"), ("no-room-assigned", "no_room", "c"),
    ("linked-handle-taken", "handle_taken", "ac"), ("image-missing", "no_image", "abc"),
    ("image-unknown-format", "bad_type", "abc"), ("image-too-large", "too_large", "abc"),
    ("media-missing", "no_file", "ac"), ("media-too-large", "too_large", "abc"), ("events-off", "events_off", "ac"),
)  # fmt: skip
#: Gates of the service that its table does not have: routes with the gate of another, or with roles of their own.
_SAME = {"session.end_one": "session.end", "channel.client": "channel.get"} | dict.fromkeys(
    ("channel.turn", "channel.data", "channel.proxy"), "channel.enter"
)
_OWN = {
    "user.by_origin": "api-token",
    "client.service": "partner-admin",
    **dict.fromkeys(("handle.redeem", "terms.state", "terms.accept", "profile.get"), "a-user"),
    **dict.fromkeys(("provider.available", "session.list", "handle.unique"), "any"),
}
#: Roles of the service as grants of the register.
_GRANTS = {"user": "registered", "some-operator": "operator", "any": "signed-in", "a-user": "user"}
#: Routes of which the gate depends on the thing too.
_MIXED = {
    "invitation.create": "hosts only for users linked to their channel",
    "invitation.get": "hosts only for users linked to their channel",
    "breakout.current": "API tokens are never let in",
    "media.channel.get": "public items need no token in some styles",
    "media.client.get": "public items need no token in some styles",
}
#: A truth that no alternative describes, and one of several at once.
Truth = Mapping[str, Any]


@cache
def table() -> dict[str, dict[str, Any]]:
    """The truth of each entry by style: what the file says."""
    return tomllib.loads(FILE.read_text())


def values(style: str) -> dict[str, Any]:
    """The entries of which a value of the register describes the style, with this value."""
    found = {}
    for id, by_style in table().items():
        told = by_style.get(style)
        if isinstance(told, dict):
            told = told.get("value")
        if told is not None:
            default = REGISTER.entries[id].default
            found[id] = {**default, **told} if isinstance(told, dict) and id in PARTS else told
    return found


#: Tables of values of which the service has only these words.
PARTS = {"users.kinds", "identity.claims"}


def others(style: str) -> set[str]:
    """The entries of which no alternative describes the style."""
    return {id for id, told in table().items() if isinstance(told.get(style), dict) and "other" in told[style]}


def operations() -> Iterator[tuple[str, Any]]:
    """The operations of the register that the service serves, each with its route."""
    named = {(each.method, re.sub(r"\{\w+\}", "{}", each.path)): each.name for each in API if not each.variant_of}
    for route in ROUTES:
        name = named.get((route.method, re.sub(r"<\w+>", "{}", route.path)))
        if name is not None:
            yield name, route


def gate(style: Style, route: Any) -> Any:
    """Who may call a route, as the grants of the register, sorted; or the truth that they do not say it."""
    if route.public:
        return ["public"]
    if route.name in _MIXED:
        return {"mixed": _MIXED[route.name]}
    if route.name == "user.me":
        return ["signed-in"] if style.users.me_by_api_token == "service" else ["user"]
    name = _SAME.get(route.name, route.name)
    roles = set((_OWN.get(name) or style.gates.get(name) or DOCUMENTED[name]).split())
    if "partner-child" in roles:
        return {"other": "Partner Admins for users of a child alone, by for_client"}
    if roles & {"any"}:
        return ["signed-in"]
    grants = {"access"} if {"user", "member"} <= roles else set()
    grants |= {_GRANTS.get(role, role) for role in roles - ({"user", "member"} if grants else set())}
    if roles & {"any", "api-token", *style.auth.api_token_as.split()}:
        grants.add("api-token")
    return sorted(grants)


def derived() -> dict[str, dict[str, Any]]:
    """The truth of gates, codes and statuses by entry and style, as the tables of the service have it."""
    found: dict[str, dict[str, Any]] = {}
    for name, style in conferencing.STYLES.items():
        for operation, route in operations():
            if f"gate.{operation}" in REGISTER.entries:
                found.setdefault(f"gate.{operation}", {})[name] = gate(style, route)
        for reason, kinds, styles in REASONS:
            if name in styles:
                told = [style.errors.kinds[kind] for kind in kinds.split()]
                for word, each in (("code", [str(kind.code) for kind in told]), ("status", [k.status for k in told])):
                    if f"{word}.{reason}" in REGISTER.entries:
                        several = {"mixed": " or ".join(map(str, dict.fromkeys(each)))}
                        found.setdefault(f"{word}.{reason}", {})[name] = each[0] if len(set(each)) == 1 else several
        found.setdefault("status.created", {})[name] = style.replies.created
    return {id: found[id] for id in REGISTER.entries if id in found}


def _lines(by_entry: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for id, by_style in by_entry.items():
        yield f'["{id}"]'
        for style, value in sorted(by_style.items()):
            text = json.dumps(value, ensure_ascii=False)
            if isinstance(value, dict):
                text = "{ " + ", ".join(f"{key} = {json.dumps(each)}" for key, each in value.items()) + " }"
            yield f"{style} = {text}"
        yield ""


def main() -> None:
    """Write the derived part of the file anew."""
    read = FILE.read_text().partition(DERIVED)[0]
    FILE.write_text(read + DERIVED + "\n\n" + "\n".join(_lines(derived())))


if __name__ == "__main__":
    main()
