"""The errors of style a: a code, a message and a list of details in one object."""

from services.conferencing.style import Errors, error_table

KINDS = error_table("""
no_token 401 UNAUTHENTICATED Authentication is required.
bad_token 401 INVALID_TOKEN The token is not valid.
expired_token 401 TOKEN_EXPIRED The token has expired.
forbidden 403 FORBIDDEN You are not allowed to do this.
api_token_only 403 API_TOKEN_REQUIRED This call needs an API token.
user_only 403 USER_REQUIRED This call needs the token of a user.
terms_pending 403 TERMS_NOT_ACCEPTED The current terms have not been accepted.
service_disabled 403 SERVICE_DISABLED The service is disabled for this client.
for_client_denied 403 FORBIDDEN You are not allowed to do this.
for_client_unknown 404 NOT_FOUND Client not found.
for_client_foreign 404 NOT_FOUND Client not found.
foreign 404 NOT_FOUND The {subject} was not found.
not_found 404 NOT_FOUND The {subject} was not found.
no_route 404 NO_SUCH_ROUTE There is no such resource.
bad_method 405 METHOD_NOT_ALLOWED The method {subject} is not allowed here.
not_acceptable 406 NOT_ACCEPTABLE Only application/json is produced.
bad_type 415 UNSUPPORTED_MEDIA_TYPE The media type of the body is not supported.
too_large 413 TOO_LARGE The {subject} is too large.
bad_json 400 MALFORMED_JSON The body is not valid JSON.
no_body 400 VALIDATION_FAILED A body is required.
not_object 400 VALIDATION_FAILED The body must be a JSON object.
not_array 400 VALIDATION_FAILED The body must be a JSON array.
no_image 400 VALIDATION_FAILED An image or a url is required.
no_file 400 VALIDATION_FAILED A file is required.
invalid 400 VALIDATION_FAILED The request is not valid.
bad_query 400 VALIDATION_FAILED The request is not valid.
bad_path 400 VALIDATION_FAILED The request is not valid.
bad_state 400 VALIDATION_FAILED The state must be one of {words}.
unknown_kind 400 VALIDATION_FAILED There is no data channel of this kind.
handle_taken 409 HANDLE_TAKEN This handle is taken.
name_taken 409 NAME_TAKEN A {subject} with this name exists.
email_taken 409 EMAIL_TAKEN This address is in use.
label_taken 409 LABEL_TAKEN This label is in use.
origin_taken 409 ORIGIN_ID_TAKEN This origin id is in use.
friendly_taken 409 URL_TAKEN This URL is in use.
friendly_has_one 409 URL_PRESENT The channel has a friendly URL.
friendly_off 409 FRIENDLY_URLS_DISABLED Friendly URLs are disabled for this client.
reservation_unknown 404 RESERVATION_NOT_FOUND The reservation was not found.
reservation_expired 410 RESERVATION_EXPIRED The reservation has expired.
reserve_unneeded 409 NOT_REQUIRED Handles need not be unique.
bad_identity 401 INVALID_ID_TOKEN The identity token is not valid.
unknown_identity 401 INVALID_ID_TOKEN The identity token is not valid.
no_validator 409 NO_ACTIVE_VALIDATOR The client has no active validator.
wrong_terms 409 WRONG_TERMS_VERSION The current version is {current}.
already 409 ALREADY The {subject} is in this state.
not_predefined 409 NOT_PREDEFINED The user is not a predefined user.
no_invitation 404 NOT_FOUND The invitation was not found.
level_unknown 404 NOT_FOUND The level was not found.
level_denied 403 FORBIDDEN You are not allowed to do this.
level_held 409 LEVEL_HELD The user has this level.
level_not_held 404 LEVEL_NOT_HELD The user does not have this level.
last_admin 409 LAST_ADMIN The last Customer Admin cannot be removed.
role_held 409 ROLE_HELD The user is an operator.
role_not_held 404 NOT_FOUND The operator was not found.
is_owner 409 IS_OWNER The user is an owner.
last_owner 409 LAST_OWNER The last owner cannot be removed.
registered_user 409 REGISTERED_USER Registered users cannot be renamed.
not_in_channel 404 NOT_FOUND The user is not in the channel.
guest_access_off 403 GUEST_ACCESS_DISABLED The channel does not admit guests.
channel_live 409 CHANNEL_ACTIVE The channel is active.
being_created 409 CHANNEL_STARTING The channel is being created; retry in a second.
lobby_closed 403 LOBBY_CLOSED The lobby is closed.
no_session 404 NO_ACTIVE_SESSION The channel has no active session.
session_over 409 SESSION_ENDED The session has ended.
not_event_room 409 NOT_AN_EVENT_ROOM The channel is not an event room.
breakout_started 409 BREAKOUT_STARTED The breakout session has started.
breakout_running 409 BREAKOUT_RUNNING A breakout session is running.
breakout_over 409 BREAKOUT_COMPLETED The breakout session is completed.
none_to_start 409 NOTHING_TO_START There is no breakout session to start.
none_running 409 NOTHING_RUNNING No breakout session is running.
no_room 404 NO_ROOM You have no room.
too_many_rooms 409 TOO_MANY_ROOMS There can be no more rooms.
assigned 409 ASSIGNED The user is assigned to this room.
assigned_elsewhere 409 ASSIGNED_ELSEWHERE The user is assigned to another room.
not_assigned 404 NOT_FOUND The user is not assigned to this room.
no_template 404 NOT_FOUND The channel has no template.
template_inherited 403 TEMPLATE_INHERITED The template belongs to a parent client.
events_off 403 EVENTS_DISABLED Events are disabled for this client.
own_service 409 OWN_CLIENT The own client cannot be disabled or enabled.
broken 500 INTERNAL An internal error occurred.
""")

REASONS = {
    "required": "is required",
    "unknown": "is not a known field",
    "text": "must be a string",
    "texts": "must be an array of strings",
    "flag": "must be a boolean",
    "number": "must be a number",
    "blank": "must not be blank",
    "blanks": "must not begin or end with blanks",
    "short": "is too short",
    "long": "is too long",
    "many": "has too many elements",
    "pattern": "has characters that are not allowed",
    "reserved": "is a reserved word",
    "email": "must be an email address",
    "url": "must be an absolute URL",
    "origin": "must be an origin",
    "domain": "must be a domain name",
    "language": "must be a language code",
    "choice": "is not one of the allowed values",
    "range": "is out of range",
    "ttl": "must be a number and a unit",
    "duplicate": "occurs twice",
}

ERRORS = Errors(
    envelope={"error": {"code": "$code", "message": "$text", "details": "$fields"}},
    content_type="application/json",
    field_form="objects",
    field_item={"field": "$field", "message": "$reason"},
    every_field=True,
    fields_when_none=False,
    at_form="ms",
    kinds=KINDS,
    reasons=REASONS,
)
