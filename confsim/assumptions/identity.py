"""Tokens, providers, validators, the exchange of identity tokens, invitations, API tokens, access levels."""

from __future__ import annotations

from typing import Any

from .register import assumption, duration, text, texts

_EXCHANGE = "exchange_identity_token"
_ALGORITHMS: tuple[str, ...] = ("HS256", "RS256", "ES256")
CLAIM_NAMES = {
    "originId": "sub",
    "name": "name",
    "picture": "picture",
    "email": "email",
    "emailVerified": "email_verified",
}
_PROVIDERS: tuple[str, ...] = ("google", "microsoft", "github", "facebook", "apple")

# tokens.*
EARLIER_TOKENS = assumption(
    "tokens.earlier",
    "G021",
    "What a new token of a user does to earlier ones: they live on until they expire, or only the newest lives.",
    "live",
    ("die",),
    f"{_EXCHANGE} create_guest",
)
TOKEN_FORMAT = assumption(
    "tokens.format",
    "G022",
    "Service tokens and API tokens are opaque texts of 43 header-safe characters, or UUIDs.",
    "opaque",
    ("uuid",),
    f"{_EXCHANGE} create_guest create_api_token regenerate_api_token list_api_tokens",
)


# providers.*
def _icon(value: object) -> str:
    given = text(value)
    if not given.startswith(("http://", "https://")) or "{name}" not in given:
        raise ValueError(f"{given!r} is no http or https URL with {{name}} in it")
    return given


PROVIDER_ICON = assumption(
    "providers.icon",
    "G182",
    "Address of the icon of an authentication provider.",
    "https://icons.example/{name}.svg",
    ("any URL with {name} in it",),
    "list_auth_providers list_client_auth_providers get_user_auth_method",
    check=_icon,
    samples=("https://icons.example/png/{name}.png",),
)
PROVIDER_FIELDS = assumption(
    "providers.fields",
    "G181",
    "Fields of the provider of a user and of the providers of a client: as available ones, or the name alone.",
    "name and icon",
    ("name",),
    "list_client_auth_providers get_user_auth_method",
)
DEFAULT_PROVIDER = assumption(
    "providers.default",
    "G183",
    "defaultProvider while none is set: absent, or the first of the client's list. It is removed with its provider.",
    "absent",
    ("first",),
    "list_client_auth_providers",
)
UNKNOWN_PROVIDERS = assumption(
    "providers.unknown",
    "G184",
    "Names that are no available provider: all is refused, they are left out, or stored. Repeated names count once.",
    "refuse",
    ("ignore", "store"),
    "set_auth_providers list_client_auth_providers",
    refuses={"PROVIDER_UNKNOWN": ("refuse",)},
)
NO_PROVIDERS = assumption(
    "providers.empty",
    "G185",
    "An empty list of providers: the client has none, has all available ones, or the call is refused.",
    "none",
    ("all", "refuse"),
    "set_auth_providers",
)
NO_PROVIDER = assumption(
    "providers.of-nobody",
    "G031 G211",
    "Method and profile of users without a provider (guests, predefined users, API tokens): refused, or empty. "
    "Users of custom authentication have the values of their last identity token.",
    "refuse",
    ("empty",),
    "get_user_auth_method get_auth_profile",
    refuses={"AUTH_METHOD_NOT_FOUND": ("refuse",)},
)
AVAILABLE_PROVIDERS = assumption(
    "providers.available",
    "G182",
    "Authentication providers of the whole service, in order.",
    _PROVIDERS,
    ("any list of names",),
    "list_auth_providers set_auth_providers list_client_auth_providers",
    check=texts("names"),
    samples=(["google"],),
)

# validators.*
VALIDATOR_FIELDS = assumption(
    "validators.fields",
    "G189",
    "Fields of a validator in the list: id, name and active, or the id alone.",
    "id, name, active",
    ("id",),
    "list_validators",
)
VALIDATORS_CONTAINER = assumption(
    "validators.container",
    "G096",
    "Container of the validators: a bare array, or a page of total and results.",
    "array",
    ("page",),
    "list_validators",
)


def _algorithms(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not value or not set(value) <= set(_ALGORITHMS):
        raise ValueError(f"{value!r} is no list of HS256, RS256, ES256")
    return tuple(value)


ALGORITHMS = assumption(
    "validators.algorithms",
    "G190 G195",
    "Validators are set up in the control plane, each with a key for one algorithm of these; never for none.",
    _ALGORITHMS,
    ("a part of the list",),
    _EXCHANGE,
    check=_algorithms,
    samples=(["HS256"],),
)

# identity.*
SKEW = assumption(
    "identity.skew",
    "G195",
    "Milliseconds by which the times of an identity token may be off.",
    0,
    (60_000,),
    _EXCHANGE,
    check=duration(),
)
EXPIRY_REQUIRED = assumption(
    "identity.exp-required", "G195", "Whether an identity token without exp is refused.", True, (False,), _EXCHANGE
)


def _claims(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(claim, str) and claim for claim in value.values()):
        raise ValueError(f"{value!r} is no table to names of claims")
    unknown = value.keys() - CLAIM_NAMES.keys()
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]!r} is none of {', '.join(CLAIM_NAMES)}")
    return {**CLAIM_NAMES, **value}


CLAIMS = assumption(
    "identity.claims",
    "G200",
    "Claims of an identity token that carry originId, name, picture, email and emailVerified; a validator may have its "
    "own.",
    CLAIM_NAMES,
    ("any table from these five to names of claims",),
    _EXCHANGE,
    check=_claims,
    samples=({"originId": "id"},),
)
TOKEN_EMAIL = assumption(
    "identity.email",
    "G200",
    "When the address in an identity token becomes the user's verified one: with email_verified, always, or never.",
    "when-verified",
    ("always", "never"),
    _EXCHANGE,
)
UNKNOWN_SUBJECT = assumption(
    "identity.unknown-subject",
    "G199",
    "A person unknown to the service with a valid identity token: a registered user is made, or the token is refused.",
    "register",
    ("refuse",),
    _EXCHANGE,
)
NAME_UPDATE = assumption(
    "identity.name",
    "G201",
    "What the name in an identity token changes of a known user: fullName, or the handle too, with a number behind it "
    "when it is taken. A new user's handle is the name in either case.",
    "full-name",
    ("handle-too",),
    _EXCHANGE,
)
TOKEN_LIFE = assumption(
    "identity.token-life",
    "G112",
    "Life of the service token for an identity token: as of every user token, or until exp of the identity token.",
    "own",
    ("as-identity-token",),
    _EXCHANGE,
)

# invitations.*
INVITATION_ON_EXCHANGE = assumption(
    "invitations.on-exchange",
    "G202",
    "The outcome of a pending Nonce when its user is connected by an identity token.",
    "consumed",
    ("kept",),
    f"{_EXCHANGE} create_invitation get_invitation delete_channel unlink_user",
)
INVITATION_KIND = assumption(
    "invitations.kind",
    "G233",
    "When an invitation is Persistent: for linked users, never, always, with ttl, or for users with an origin id.",
    "linked",
    ("never", "always", "ttl", "origin-id"),
    "create_invitation get_invitation create_linked_user",
)
PERSISTENT_CODE = assumption(
    "invitations.persistent-code",
    "G237",
    "A Persistent code is an HS256 JWT with sub, aud (the client), exp and jti, or an opaque text of three parts.",
    "jwt",
    ("opaque",),
    "create_invitation get_invitation create_linked_user",
)
NONCE_EXCHANGE = assumption(
    "invitations.nonce-exchange",
    "G234",
    "A Nonce sent as idToken to the exchange is refused (a login redeems it, in the control plane), or redeems there.",
    "refused",
    ("redeems",),
    _EXCHANGE,
)
PERSISTENT_EXCHANGE = assumption(
    "invitations.persistent-exchange",
    "G235",
    "A Persistent code is exchanged as idToken without a validator: again and again until its end, or once.",
    "repeatable",
    ("once",),
    _EXCHANGE,
)
RECREATION = assumption(
    "invitations.recreation",
    "G236",
    "Service tokens of the user when the invitation is re-created: they stay, or die with the old code. Whoever is in "
    "a channel stays there.",
    "stay",
    ("die",),
    "create_invitation",
)

# api-tokens.*
MASK = assumption(
    "api-tokens.mask",
    "G278",
    "Form of a masked API token: its last 4 characters, its first 4, or asterisks alone.",
    "last-4",
    ("first-4", "asterisks"),
    "list_api_tokens",
)
REGENERATED_EXPIRY = assumption(
    "api-tokens.regenerated-expiry",
    "G280",
    "Expiry of a regenerated API token: renewed, or kept. Its label stays in either case.",
    "renewed",
    ("kept",),
    "regenerate_api_token",
)


# levels.*
def _levels(value: object) -> dict[str, dict[str, Any]]:
    kinds = {"customer-admin", "partner-admin"}
    if not isinstance(value, dict) or set(value) != kinds:
        raise ValueError(f"{value!r} does not name exactly {' and '.join(sorted(kinds))}")
    for level in value.values():
        if (
            not isinstance(level, dict)
            or not isinstance(level.get("name"), str)
            or type(level.get("id")) is not int
            or not -(2**31) <= level["id"] < 2**31
        ):
            raise ValueError(f"{level!r} has no whole number of 32 bits as id and text as name")
    if len({level["id"] for level in value.values()}) != len(value):
        raise ValueError("two levels have the same id")
    return value


LEVELS = assumption(
    "levels.table",
    "G140",
    "The access levels, each with its id and its display name.",
    {
        "customer-admin": {"id": 10, "name": "Customer Admin"},
        "partner-admin": {"id": 20, "name": "Partner Admin"},
    },
    ("any ids and names",),
    check=_levels,
    samples=({"customer-admin": {"id": 7, "name": "Boss"}, "partner-admin": {"id": 8, "name": "Partner"}},),
)
LEVELS_GRANTABLE = assumption(
    "levels.grantable",
    "G141",
    "Levels that an administrator may give and take: up to the own, below the own, or all. An API token ranks as "
    "Customer Admin; everybody else may none.",
    "up-to-own",
    ("below-own", "all"),
    "list_assignable_access_levels add_access_level remove_access_level",
)
LEVELS_OWN = assumption(
    "levels.own",
    "G144",
    "Whether callers may change their own levels: never, freely, or as long as the client keeps an administrator.",
    "never",
    ("freely", "keep-one"),
    "add_access_level remove_access_level",
    refuses={"LEVEL_OWN": ("never",), "LEVEL_LAST_ADMIN": ("keep-one",)},
)
LEVELS_GUESTS = assumption(
    "levels.guests",
    "G146",
    "Whether unregistered users may hold levels.",
    False,
    (True,),
    "add_access_level",
    refuses={"LEVEL_FOR_GUEST": (False,)},
)
INHERITED_VALIDATORS = assumption(
    "validators.inherited",
    "G191",
    "Whether the validators of the clients above are listed too, after the client's own; only its own can be enabled.",
    False,
    (True,),
    "list_validators",
)
DISABLED_VALIDATOR = assumption(
    "validators.disabled-tokens",
    "G194",
    "Service tokens of those who came by identity tokens, when the client's validator is disabled: they hold, or end.",
    "hold",
    ("end",),
    "disable_validator",
)
TOKEN_USE = assumption(
    "tokens.use",
    "G020",
    "Whether using a user's token prolongs its life to that of a new one.",
    "fixed",
    ("prolongs",),
)
LEVELS_FILTER = assumption(
    "levels.filter",
    "G091",
    "What is no id of a level in the filter of users by levels: no number is refused and an unknown id matches nobody, "
    "or both are ignored.",
    "strict",
    ("ignore",),
    "list_users",
)
