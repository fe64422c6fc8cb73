"""What a style is: every decision that the documents leave open, as data.

The three styles are in ``conferencing.styles``; nothing else in the service knows which one is running.
Small words such as "reject" or "clamp" name a behaviour; the code that knows them is named beside each group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ids:
    """Forms of identifiers (made in ids.py): an optional prefix, a plus, and uuid, hex:N, digits:N or base62:N."""

    channel: str
    client: str
    session: str
    breakout: str
    room: str
    api_token: str
    media: str
    validator: str
    endpoint: str
    asset: str
    user: str  # sequence:FIRST, digits:N or snowflake
    meeting: str  # digits:N or grouped:N (in threes, with dashes)
    url_name: str  # slug (of the name, with a tail) or one of the forms above
    invitation: str  # of a Nonce; a Persistent one is a JWT signed with such a value
    reservation: str
    path_any_case: bool  # ids in paths are found in any case


@dataclass(frozen=True)
class Auth:
    """Tokens and what carries them (callers.py)."""

    user_header: str
    user_scheme: str
    api_header: str
    api_scheme: str
    query_parameter: str | None
    scheme_any_case: bool
    user_token: str
    api_token: str
    challenge: str | None  # the WWW-Authenticate header of a 401
    guest_ttl: int  # milliseconds
    exchange_ttl: int
    api_token_ttl: int | None
    invitation_ttl: int
    linked_ttl: int
    invitation_kind: str  # Nonce or Persistent
    ttl_units: Mapping[str, int]  # unit: milliseconds
    ttl_most: int
    origin_claim: str
    name_claim: str
    picture_claim: str
    exchange_creates: bool  # an unknown originId makes a new user
    exchange_needs_exp: bool
    terms_open: tuple[str, ...]  # operations open to a user who has not accepted the terms
    terms_required: bool  # for a new client
    terms_apply_to_guests: str  # when-required, or always
    disabled_refuses: str  # all, or writes-and-runtime
    disabled_spares: tuple[str, ...]  # operations that a disabled client still has
    disabled_reads: tuple[str, ...]  # with writes-and-runtime: the reads of the runtime
    for_client_depth: str  # child, or descendant
    for_client_own: bool  # the own client's id is accepted
    partner_is_admin_at_home: bool
    api_token_as: str  # the roles that an API token stands for within its client


@dataclass(frozen=True)
class ErrorKind:
    """One kind of failure: its status, code and text (with {subject} and other fields)."""

    status: int
    code: Any
    text: str


@dataclass(frozen=True)
class Errors:
    """Bodies of errors (errors.py). In the envelope, $code, $text, $status, $fields, $at and $path are replaced."""

    envelope: Mapping[str, Any]
    content_type: str
    field_form: str  # objects, map, names or none
    field_item: Mapping[str, Any]
    every_field: bool  # all faults of a body at once
    fields_when_none: bool  # the list is there, empty, when no field is at fault
    at_form: str
    kinds: Mapping[str, ErrorKind]
    reasons: Mapping[str, str]  # texts of field faults


@dataclass(frozen=True)
class Replies:
    """Answers of calls that succeed (web.py)."""

    created: int
    done: int
    done_body: Any
    deleted: int
    deleted_body: Any
    absent: str  # omit or null: an option that has no value
    location: bool  # a Location header on creation
    cache_control: str | None


@dataclass(frozen=True)
class Requests:
    """How strictly requests are read (requests.py)."""

    unknown_field: str  # ignore or reject
    unknown_query: str
    null_field: str  # absent or reject, for an option
    accept: str  # ignore, or strict
    content_type: str  # ignore, or strict
    bool_words: Mapping[str, bool]
    state_any_case: bool
    numbers_in_text: bool  # "5" is accepted for a number in a body
    trailing_slash: bool  # served like the path without it
    bad_img_size: str  # reject or default
    default_img_size: str
    body_most: int  # bytes of a JSON body


@dataclass(frozen=True)
class Paging:
    """Pages, orders and searches (paging.py)."""

    default: int
    most: int
    over_most: str  # clamp or reject
    zero: str  # reject, empty or default
    negative_offset: str  # reject or zero
    not_a_number: str  # reject or default
    bad_sort: str  # reject or default
    order_any_case: bool
    tie: str  # asc, desc (by making) or follow (the order asked for)
    nothing: str  # first or last: elements without a value in the sort column
    search: str  # contains, prefix or words
    search_any_case: bool
    name_sort_any_case: bool
    bare_lists: str  # paged or whole: a bare list with limit and offset when none is given


@dataclass(frozen=True)
class Text:
    """Names, handles and other texts (text.py)."""

    handle_blanks: str  # trim, collapse or reject
    handle_least: int
    handle_most: int
    handle_pattern: str
    handle_any_case: bool
    reserved_handles: tuple[str, ...]
    url_handle: str  # slug, underscore or percent
    channel_name_most: int
    channel_name_unique: str  # exact, any-case
    name_blanks: str  # trim, collapse or keep
    name_most: int
    description_trim: bool
    description_null: str  # clears or reject
    user_description_most: int
    email_pattern: str
    email_lower: bool
    email_blanks: str  # trim or reject
    email_unique: bool
    label_most: int
    label_unique: bool
    friendly_pattern: str
    friendly_lower: bool
    friendly_most: int
    friendly_reserved: tuple[str, ...]
    key_pattern: str
    value_most: int  # bytes of JSON
    origin_id_any_case: bool


@dataclass(frozen=True)
class Times:
    """Forms of instants (clock.py): ms, s, iso, left-s or left-ms."""

    session: str
    token_expires: str
    invitation: str
    list_invitation: str
    api_token: str
    terms: str
    media: str
    asset: str
    details: str


@dataclass(frozen=True)
class Users:
    """Users, roles and levels."""

    kinds: Mapping[str, str]
    auth_kinds: Mapping[str, str]
    languages: str  # object, pair or items: the shape of the languages object
    language_codes: tuple[str, ...] | None  # the codes known; None: any of the right form
    languages_most: int
    language_quality: str  # step or none: weights in the Accept-Language string
    multiple_shape: str  # array, map or paged
    multiple_most: int
    multiple_unknown: str  # omit, null or fail
    me_by_api_token: str  # fail, or service
    levels: Mapping[str, tuple[int, str]]  # level: id and display name
    grantable: Mapping[str, tuple[str, ...]]  # role: the levels that it may add
    level_held: str  # ok or fail: adding a level again
    level_not_held: str  # ok or fail: removing a level not held
    last_admin: str  # ok or fail: removing the client's last Customer Admin
    level_rank: tuple[str, ...]  # highest first, for sort=level
    listed: str  # with-level or with-any-role or all
    predefined_needs_email: bool
    origin_taken: str  # fail or existing
    guest_handles_count: bool  # the handles of guests are taken for others
    unique_at_guest: str  # fail or suffix or ignore: a guest's handle is taken
    handle_of_registered: str  # changes or unchanged: when uniqueness is off
    reserve_again: str  # replace, or fail: the same caller reserves again
    reserve_unneeded: str  # ok or fail: when uniqueness is not required
    reservation_bound: str  # caller or client: who may use it
    image_types: tuple[str, ...]
    image_most: int
    image_url: str
    image_url_schemes: tuple[str, ...]
    default_image: str | None
    mask: str  # the masked API token: {first4}, {last4}, {stars}
    property_absent: str  # fail, null or empty
    property_null: str  # stores or deletes
    property_delete_absent: str  # ok or fail
    role_held: str  # ok or fail: making an operator again
    role_not_held: str  # ok or fail
    owner_as_operator: str  # fail, demote or remove: DELETE operator on an owner
    last_owner: str  # ok or fail
    role_order: str  # since, handle or owners-first
    auth_provider: str  # string or object: the provider of GET auth
    available_providers: tuple[str, ...]
    provider_empty: str  # ok or fail
    default_provider: str  # first or none
    terms_again: str  # ok or fail: accepting the same version again
    validator_item: tuple[str, ...]
    validator_shape: str  # array or paged
    validator_repeat: str  # ok or fail: enabling the active one or disabling an inactive one
    reputation: int


@dataclass(frozen=True)
class Channels:
    """Channels, their lobby, sessions, configuration and the rest of Part 2."""

    defaults: Mapping[str, Any]  # of a new channel
    delete_while_live: str  # ends or fail
    populations_shape: str  # map, array or objects
    populations_quiet: str  # zero or omit: channels of the caller with nobody
    populations_over: str  # fail or cut
    data_kinds: tuple[str, ...]
    placing_ms: int  # how long a channel is being created on a streaming server
    closed_lobby: str  # fail, or the mode word of the answer
    mode: str | None  # the mode word when one enters
    socket_url: str
    turn_ttl: int
    turn_uris: tuple[str, ...]
    presenters_least: int
    presenters_most: int
    session_name: str  # template
    end_nothing: str  # ok or fail: no active session
    end_over: str  # ok or fail: the session has already ended
    crossed_range: str  # empty or fail: from after to
    event_off_while_running: str  # ends or fail
    participants: str  # count or list: channelparticipants
    config_default: Mapping[str, Any]
    config_write: str  # merge or replace
    config_null: str  # deletes or stores
    config_lists: str  # replace or append
    config_themes: tuple[str, ...] | None
    config_bad_category: str  # ignore or fail
    config_language_form: str  # the pattern
    config_texts: str  # the category that holds texts
    texts_need_language: bool
    config_contexts: Mapping[str, tuple[str, ...]]  # context: its categories
    config_bad_context: str
    inheritance: str  # client-chain or own: whose client configuration counts
    no_template: str  # fail, null or empty
    template_order: str  # name or created
    channel_templates: str  # enabled or all
    breakout_name: str
    room_name: str
    breakout_duration: int
    breakout_least: int
    breakout_most: int
    start_which: str  # oldest or newest: of those not started
    stop_none: str  # ok or fail
    change_running: str  # name-only, extends or fail
    change_over: str  # fail or ok
    delete_running: str  # fail or stops
    breakout_order: str  # created, name or newest
    rooms_after_start: str  # fail or ok: adding and renaming rooms
    rooms_most: int
    rooms_same_name: str  # ok or fail
    participant_elsewhere: str  # moves or fail
    participant_again: str  # ok or fail
    participant_absent: str  # ok or fail: removing who is not there
    participant_others: str  # any or members: who can be assigned
    unassigned: str  # plain, 204 or fail: GET breakout/session without a room
    linked_unique: str  # fail or ok
    rooms_listed: bool  # channels of breakout rooms appear in lists of channels
    media_most: int
    media_read: str
    media_name: str  # fail or file: absent name
    media_empty: str  # ok or fail
    tag: str  # string or object
    media_public: bool  # the record of a public item is read without a token
    endpoint_schemes: tuple[str, ...]
    endpoint_nothing: str  # ok or fail: neither url nor active
    events_off: str  # ok or fail: the client has no Events API
    friendly_free: str  # GET url/available: fail when taken; owner: the uuid or nothing; empty: the uuid or ""
    friendly_delete_none: str  # ok or fail
    friendly_again: str  # replace or fail
    origin_schemes: tuple[str, ...]
    domain_pattern: str
    list_duplicates: str  # drop, keep or fail: in origins, domains, providers
    list_order: str  # given or sorted
    client_name_most: int
    client_name_unique: str  # parent, none or everywhere
    client_details: tuple[str, ...]
    service_repeat: str  # ok or fail: enabling what is enabled


@dataclass(frozen=True)
class Style:
    """A company's way of deciding what the documents leave open."""

    name: str
    base_path: str
    ids: Ids
    auth: Auth
    errors: Errors
    replies: Replies
    requests: Requests
    paging: Paging
    text: Text
    times: Times
    users: Users
    channels: Channels
    gates: Mapping[str, str]  # operation: the roles that may call it, where open (gates.py has the documented ones)


def gate_table(text: str) -> dict[str, str]:
    """Gates written as lines: the roles, a colon, and the operations that they may call."""
    gates = {}
    for line in text.strip().splitlines():
        roles, _, operations = line.partition(":")
        for operation in operations.split():
            gates[operation] = roles.strip()
    return gates


def error_table(text: str) -> dict[str, ErrorKind]:
    """Kinds of failures written as lines: kind, status, code (a number where it is one) and text."""
    kinds = {}
    for line in text.strip().splitlines():
        kind, status, code, words = line.split(maxsplit=3)
        kinds[kind] = ErrorKind(int(status), int(code) if code.isdecimal() else code, words)
    return kinds
