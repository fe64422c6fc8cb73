"""Clients: hierarchy, reseller interface, service state and embedding, where the documents are silent."""

from __future__ import annotations

from .register import Assumption, assumption, subset_of, texts

_CALLS: tuple[str, ...] = ("create_client", "set_client_service_state", "get_client", "list_clients", "for_client")

# clients.*
FIRST_ADMIN = assumption(
    "clients.first-admin",
    "G137 G138",
    "Whether a client that is made by the API starts with a Customer Admin (a predefined user, to be invited through "
    "for_client). By default it has no users: its Partner Admin makes the first API token or user through for_client. "
    "The very first client comes from the world file.",
    False,
    (True,),
    "create_client",
)
RESELLER_CALLS = assumption(
    "clients.reseller-calls",
    "G167 G294",
    "What needs the reseller interface of the caller's client. Customer Admins and API tokens read their own client "
    "without it.",
    _CALLS,
    ("any list of these",),
    "create_client set_client_service_state get_client list_clients",
    check=subset_of(_CALLS),
    samples=([],),
)
DEPTH = assumption(
    "clients.depth",
    "G154",
    "Which clients are children to for_client, to the client list and to the switching of service: direct children, or "
    "all below. A disabled service is withheld from all below in any case.",
    "direct",
    ("descendants",),
)
PATH_CLIENT = assumption(
    "clients.path-client",
    "G157",
    "Which client a path may name on a call that is not public: the caller's own and, for Partner Admins, its "
    "children; or the own only.",
    "own-or-child",
    ("own",),
    "get_client set_client_service_state list_origins set_origins list_domains set_domains",
)
DISABLED_FIELD = assumption(
    "clients.disabled-field",
    "G165",
    "What disabled shows of a client: its own flag, or whether the flag is set on it or on an ancestor.",
    "own",
    ("effective",),
    "get_client list_clients",
)
OWN_SERVICE = assumption(
    "clients.own-service",
    "G166",
    "Whether a Partner Admin may switch the service of the own client. To enable it again while it is disabled, the "
    "call must also be among service.open-while-disabled.",
    False,
    (True,),
    "set_client_service_state",
    refuses={"NOT_PARENT": (False,)},
)
DISABLE_ENDS = assumption(
    "clients.disable-ends",
    "G163",
    "What runs in the channels of a client whose service is disabled: sessions, breakout sessions, recordings, calls "
    "and broadcasts end at once, and nobody waits any longer; or all that goes on until it ends by itself, and no call "
    "can end it; a phone rings on, and nobody who answers is let in. Recordings that were made are still processed.",
    "sessions",
    ("nothing",),
    "set_client_service_state",
)

# embedding.*
EMBEDDING_CHECK = assumption(
    "embedding.check",
    "G291",
    "Whether entries of the lists of origins (scheme://host[:port]) and domains (a host name) are checked. Either way "
    "they are stored as given, in order, duplicates removed.",
    False,
    (True,),
    "set_origins set_domains",
)

# service.*
WHILE_DISABLED = assumption(
    "service.refused-while-disabled",
    "G162 G164 G156",
    "What a disabled service refuses: everything that changes something and the running of channels, or everything.",
    "changes",
    ("everything",),
)
OPEN_WHILE_DISABLED: Assumption[tuple[str, ...]] = assumption(
    "service.open-while-disabled",
    "G162",
    "Calls that change something and yet work while the service is disabled.",
    ("accept_terms",),
    ("any list of operations",),
    check=texts("operations"),
    samples=([], ["get_me", "list_channels"]),
)
NAMES = assumption(
    "clients.names",
    "G293",
    "A client name that another client has: allowed, or refused. A blank one is refused.",
    "allow",
    ("refuse",),
    "create_client",
    refuses={"CLIENT_NAME_TAKEN": ("refuse",)},
)
DETAILS = assumption(
    "clients.details",
    "G295",
    "The details of a client: left out, or an object with its name and its features.",
    "absent",
    ("object",),
    "get_client",
)
DISABLE_RELEASES = assumption(
    "clients.disable-releases",
    "G543",
    "What a client loses with its service: nothing; or its validator is disabled and its numbers are free.",
    "nothing",
    ("validator-and-numbers",),
    "set_client_service_state list_validators list_dial_number_assignments exchange_identity_token",
)
