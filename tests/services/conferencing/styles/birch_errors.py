"""The errors of style b: problem documents, with a map of faults by field."""

from services.conferencing.style import Errors, error_table

KINDS = error_table("""
no_token 401 auth.missing No credentials were sent.
bad_token 401 auth.invalid The credentials are not valid.
expired_token 401 auth.expired The credentials have expired.
forbidden 403 access.denied Access denied.
api_token_only 403 access.api-key Only an API key may make this call.
user_only 400 access.no-user The call is about the calling user, and an API key is none.
terms_pending 401 terms.pending The terms have to be accepted first.
service_disabled 403 client.disabled This client is disabled.
for_client_denied 403 access.for-client Only a Partner Admin may name a client.
for_client_unknown 403 access.for-client This client is not a child of yours.
for_client_foreign 403 access.for-client This client is not a child of yours.
foreign 403 access.denied Access denied.
not_found 404 missing No such {subject}.
no_route 404 route.unknown Nothing is at this address.
bad_method 405 route.method {subject} is not possible here.
not_acceptable 406 request.accept Responses are JSON.
bad_type 415 request.type Unsupported type of content.
too_large 413 request.size The {subject} is too big.
bad_json 400 request.json The body could not be parsed.
no_body 400 request.empty The body is empty.
not_object 422 request.invalid An object was expected.
not_array 422 request.invalid An array was expected.
no_image 422 request.invalid Neither an image nor a url was given.
no_file 422 request.invalid No content was given.
invalid 422 request.invalid Some fields are not right.
bad_query 422 request.invalid Some parameters are not right.
bad_path 404 route.unknown Nothing is at this address.
bad_state 404 route.unknown Nothing is at this address.
unknown_kind 404 route.unknown Nothing is at this address.
handle_taken 422 handle.taken The handle belongs to somebody.
name_taken 422 name.taken The name belongs to another {subject}.
email_taken 422 email.taken The address belongs to somebody.
label_taken 422 label.taken The label belongs to another token.
origin_taken 422 origin.taken The origin id belongs to somebody.
friendly_taken 422 url.taken The URL belongs to another channel.
friendly_has_one 409 url.present The channel already has one.
friendly_off 403 url.off Friendly URLs are off.
reservation_unknown 404 missing No such reservation.
reservation_expired 404 missing No such reservation.
reserve_unneeded 409 handle.not-unique Handles are not unique here.
bad_identity 422 identity.invalid The identity token was refused.
unknown_identity 403 identity.unknown Nobody with this identity is known.
no_validator 403 identity.off Identity tokens are not accepted.
wrong_terms 422 terms.version Not the current version, which is {current}.
already 409 state.same Nothing would change.
not_predefined 422 user.not-predefined Only predefined users are invited.
no_invitation 404 missing No such invitation.
level_unknown 422 level.unknown Unknown level.
level_denied 403 level.denied This level is not yours to give.
level_held 409 level.held The level is held already.
level_not_held 404 level.not-held The level is not held.
last_admin 409 level.last Somebody has to be Customer Admin.
role_held 409 role.held An operator already.
role_not_held 404 role.not-held Not an operator.
is_owner 409 role.owner An owner is no mere operator.
last_owner 422 role.last A channel needs an owner.
registered_user 422 user.registered Registered users choose their own handle.
not_in_channel 422 user.elsewhere The user is not in this channel.
guest_access_off 404 missing No such channel.
channel_live 409 channel.live The channel is in use.
being_created 409 channel.starting Being created, try again in 1 second.
lobby_closed 403 lobby.closed The door is closed.
no_session 409 session.none There is no session.
session_over 409 session.over The session is over.
not_event_room 404 missing No such event room.
breakout_started 422 breakout.started Too late: it has started.
breakout_running 409 breakout.running One is running.
breakout_over 422 breakout.over It is over.
none_to_start 404 missing No such breakout session.
none_running 409 breakout.none None is running.
no_room 404 missing No such room.
too_many_rooms 422 breakout.rooms Too many rooms.
assigned 409 breakout.assigned Assigned to this room already.
assigned_elsewhere 409 breakout.elsewhere Assigned to another room.
not_assigned 404 missing No such participant.
no_template 404 missing No such template.
template_inherited 403 access.denied Access denied.
events_off 409 events.off The Events API is off.
own_service 403 client.own Not for the own client.
broken 500 server.error Something went wrong.
""")

REASONS = {
    "required": "missing",
    "unknown": "unexpected",
    "text": "not a string",
    "texts": "not a list of strings",
    "flag": "not true or false",
    "number": "not a whole number",
    "blank": "blank",
    "blanks": "blanks at an end",
    "short": "too short",
    "long": "too long",
    "many": "too many",
    "pattern": "bad characters",
    "reserved": "reserved",
    "email": "no address",
    "url": "no URL",
    "origin": "no origin",
    "domain": "no domain",
    "language": "no language",
    "choice": "no such choice",
    "range": "outside the range",
    "ttl": "no duration",
    "duplicate": "twice",
}

ERRORS = Errors(
    envelope={
        "type": "https://docs.birch.example/problems/$code",
        "title": "$text",
        "status": "$status",
        "instance": "$path",
        "errors": "$fields",
    },
    content_type="application/problem+json",
    field_form="map",
    field_item={},
    every_field=True,
    fields_when_none=False,
    at_form="s",
    kinds=KINDS,
    reasons=REASONS,
)
