"""Identity tokens: validation, the user that one identifies, and the update of that user."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions import Reason, ask, identity as assumed
from confsim.assumptions.protocol import sizes
from confsim.assumptions.protocol.wire import SPENT_SECRETS
from confsim.domain import terms
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.users import emails, handles, user_images, users
from confsim.domain.users.users import BY_ORIGIN, USERS, Account, AuthKind, Identity, User, folded
from confsim.kernel import Change, Refusal
from confsim.values.urls import uri

from . import credentials, invitations, jws, validators
from .credentials import Credential
from .validators import Validator

_CONTROL = r"[\x00-\x1f\x7f]+"


class Person(Struct, frozen=True, kw_only=True):
    """The person named by a valid identity token; missing details are None. ``until`` is exp in epoch milliseconds."""

    origin: str
    name: str | None = None
    picture: str | None = None
    email: str | None = None
    verified: bool = False
    until: int | None = None


def exchange(change: Change, client: Client, token: str) -> Credential:
    """A service token for an identity token of a person, or for a Persistent invitation.

    Refusals IDENTITY_TOKEN_MALFORMED, IDENTITY_TOKEN_INVALID, NO_ACTIVE_VALIDATOR; INVITATION_CODE_INVALID under
    errors.spent-secrets = told; TERMS_NOT_ACCEPTED under terms.login = refuse.
    """
    credential = _of_invitation(change, client, token)
    if credential is not None:
        return credential
    validator = validators.find_active(change, client)
    if validator is None:
        raise Refusal(Reason.NO_ACTIVE_VALIDATOR, client=client.id)
    person = check(change, validator, token)
    user = _user(change, client, validator, person)
    terms.require_login(change, client, user)
    until = person.until if ask(change, assumed.TOKEN_LIFE) == "as-identity-token" else None
    return credentials.issue(change, user, None if until is None else max(until - change.now, 1))


def _of_invitation(change: Change, client: Client, code: str) -> Credential | None:
    """A service token for a Persistent invitation; None if the text is not one, or no longer."""
    try:
        return invitations.exchange(change, client, code)
    except Refusal as refusal:
        if refusal.reason is not Reason.INVITATION_CODE_INVALID or ask(change, SPENT_SECRETS) == "told":
            raise
        return None


def check(change: Change, validator: Validator, token: str) -> Person:
    """The person named by the token, if it is valid now for the validator (G195).

    Refusal IDENTITY_TOKEN_MALFORMED when it is no signed JWT; IDENTITY_TOKEN_INVALID when its algorithm or signature is
    not the validator's, a time, the issuer or the audience is wrong, or it names nobody.
    """
    if len(token) > ask(change, sizes.IDENTITY_TOKEN):
        raise Refusal(Reason.IDENTITY_TOKEN_MALFORMED, problem="it is too long")
    if validator.algorithm not in ask(change, assumed.ALGORITHMS):
        raise _invalid(f"{validator.algorithm} is not accepted")
    try:
        claims = jws.verify(token, validator.algorithm, jws.parse_key(validator.algorithm, validator.key))
    except jws.NoToken as error:
        raise Refusal(Reason.IDENTITY_TOKEN_MALFORMED, problem=str(error)) from None
    except jws.NotSigned as error:
        raise _invalid(str(error)) from None
    until = _check_times(change, claims)
    if validator.issuer is not None and claims.get("iss") != validator.issuer:
        raise _invalid("its issuer is not the validator's")
    if validator.audience is not None:
        audience = claims.get("aud")
        if validator.audience not in (audience if isinstance(audience, list) else [audience]):
            raise _invalid("it is for another audience")
    return _person(change, validator, claims, until)


def identity_token(change: Change, validator: Validator, person: Person, claims: Mapping[str, object], ttl: int) -> str:
    """A token that identifies the person to the validator for ``ttl`` milliseconds; ``claims`` override those of it.

    Raises ValueError when the key of the validator cannot sign.
    """
    names = ask(change, assumed.CLAIMS) | dict(validator.claims)
    details = {
        "originId": person.origin,
        "name": person.name,
        "picture": person.picture,
        "email": person.email,
        "emailVerified": person.verified or None,
    }
    made: dict[str, Any] = {"iat": change.now // 1000, "exp": -(-(change.now + ttl) // 1000)}
    made |= {claim: value for claim, value in (("iss", validator.issuer), ("aud", validator.audience)) if value}
    made |= {names[about]: value for about, value in details.items() if value is not None}
    key = jws.parse_signing_key(validator.algorithm, validator.key)
    return jws.sign({**made, **claims}, key, validator.algorithm)


def _check_times(change: Change, claims: dict[str, Any]) -> int | None:
    """exp, nbf and iat (epoch seconds) by the clock of the world; returns exp in milliseconds."""
    skew = ask(change, assumed.SKEW)
    exp, nbf, iat = (_instant(claims, name) for name in ("exp", "nbf", "iat"))
    if exp is None:
        if ask(change, assumed.EXPIRY_REQUIRED):
            raise _invalid("it has no exp")
    elif exp + skew <= change.now:
        raise _invalid("it has expired")
    if nbf is not None and nbf - skew > change.now:
        raise _invalid("it is not valid yet (nbf)")
    if iat is not None and iat - skew > change.now:
        raise _invalid("it was issued in the future (iat)")
    return None if exp is None else int(min(exp, 2**53))


def _instant(claims: dict[str, Any], name: str) -> float | None:
    if name not in claims:
        return None
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _invalid(f"its {name} is no number")
    return value * 1000


def _person(change: Change, validator: Validator, claims: dict[str, Any], until: int | None) -> Person:
    names = ask(change, assumed.CLAIMS) | dict(validator.claims)
    values = {about: claims.get(claim) for about, claim in names.items()}
    origin = values["originId"]
    if not isinstance(origin, str) or not origin.strip() or len(origin) > 255 or re.search(_CONTROL, origin):
        raise _invalid(f"{names['originId']} names nobody")
    email = values["email"]
    address = isinstance(email, str) and len(email) <= 254 and emails.well_formed(email)
    return Person(
        origin=origin,
        name=_clean_text(values["name"], ask(change, sizes.NAME)),
        picture=_clean_url(values["picture"], ask(change, sizes.URL)),
        email=email if address else None,
        verified=values["emailVerified"] is True,
        until=until,
    )


def _clean_text(value: object, most: int) -> str | None:
    """One line of text, cut to size; None for anything else, so that a bad detail does not fail a login (G201)."""
    text = re.sub(_CONTROL, " ", value).strip()[:most].rstrip() if isinstance(value, str) else ""
    return text or None


def _clean_url(value: object, most: int) -> str | None:
    if not isinstance(value, str) or len(value) > most or re.search(_CONTROL, value) or " " in value:
        return None
    try:
        return value if uri(value).scheme in {"http", "https"} else None
    except ValueError:
        return None


def _user(change: Change, client: Client, validator: Validator, person: Person) -> User:
    """The user of the person: the one of the origin id, connected with roles unchanged, or a new one (R061, G199)."""
    found = USERS.one(change, BY_ORIGIN, person.origin, client.id)
    if found is None:
        if ask(change, assumed.UNKNOWN_SUBJECT) == "refuse":
            raise _invalid("the person is not in the system")
        handle = _free_handle(change, client, person.name or person.origin)
        found = users.create(change, client.id, handle, Account.REGISTERED, origin_id=person.origin)
    else:
        found = users.connect(change, found, person.origin)
        found = _renamed(change, client, found, person)
    return _with_details(change, found, validator, person)


def _with_details(change: Change, user: User, validator: Validator, person: Person) -> User:
    """The user with the details of the token; details that it lacks are unchanged (R143, R144)."""
    before = user.identity if user.auth_kind is AuthKind.CUSTOM else None
    before = before or Identity(validator.name)
    details: dict[str, Any] = {
        "auth_kind": AuthKind.CUSTOM,
        "identity": Identity(
            validator.name, person.name or before.name, person.email or before.email, person.picture or before.picture
        ),
    }
    if person.name is not None:
        details["full_name"] = person.name
    user = users.update(change, user, **details)
    if person.picture is not None:
        user = user_images.adopt(change, user, person.picture)
    if person.email is not None and person.email != user.email:
        when = ask(change, assumed.TOKEN_EMAIL)
        if when == "always" or (when == "when-verified" and person.verified):
            user = emails.trust(change, user, person.email)
    return user


def _renamed(change: Change, client: Client, user: User, person: Person) -> User:
    if person.name is None or ask(change, assumed.NAME_UPDATE) == "full-name":
        return user
    name = person.name[: ask(change, sizes.HANDLE)]
    if folded(name) == folded(user.handle):
        return users.update(change, user, handle=name)
    return users.update(change, user, handle=_free_handle(change, client, person.name, user.handle))


def _is_numbered(change: Change, handle: str, name: str) -> bool:
    """Whether the handle is the name followed by a number."""
    plain, _, number = handle.rpartition(" ")
    room = ask(change, sizes.HANDLE) - len(number) - 1
    return number.isdecimal() and folded(plain) == folded(name[:room])


def _free_handle(change: Change, client: Client, name: str, before: str = "") -> str:
    """The name as handle, followed by a number when it is taken and handles must be unique (G201).

    A numbered handle ``before`` of the same name is returned unchanged, so that a repeated login changes nothing.
    """
    name = name[: ask(change, sizes.HANDLE)]
    if not clients.has_unique_handles(change, client) or handles.is_free(change, client, name):
        return name
    if _is_numbered(change, before, name):
        return before
    while True:
        tail = f" {change.count(f'handle {client.id} {folded(name)}', 2)}"
        handle = name[: ask(change, sizes.HANDLE) - len(tail)] + tail
        if handles.is_free(change, client, handle):
            return handle


def _invalid(problem: str) -> Refusal:
    return Refusal(Reason.IDENTITY_TOKEN_INVALID, problem=problem)
