"""The errors of style c: a flat object with a number, and the names of the fields at fault."""

from services.conferencing.style import Errors, error_table

KINDS = error_table("""
no_token 401 1001 Access token missing
bad_token 401 1002 Access token invalid
expired_token 403 1003 Access token expired
forbidden 403 1010 Not permitted
api_token_only 401 1011 API token needed
user_only 403 1012 User token needed
terms_pending 403 1020 Terms of use pending
service_disabled 403 1030 Service disabled
for_client_denied 403 1040 for_client not permitted
for_client_unknown 400 1041 for_client unknown
for_client_foreign 403 1040 for_client not permitted
foreign 404 1100 Not found: {subject}
not_found 404 1100 Not found: {subject}
no_route 404 1101 No route
bad_method 404 1101 No route
not_acceptable 406 1102 Not acceptable
bad_type 400 1201 Unsupported content type
too_large 400 1202 Too large: {subject}
bad_json 400 1203 JSON syntax error
no_body 400 1204 Body missing
not_object 400 1205 JSON object expected
not_array 400 1206 JSON array expected
no_image 400 1207 Image missing
no_file 400 1208 File missing
invalid 400 1200 Invalid value: {subject}
bad_query 400 1210 Invalid parameter: {subject}
bad_path 400 1211 Invalid path value: {subject}
bad_state 400 1212 Invalid state
unknown_kind 404 1100 Not found: kind
handle_taken 409 1301 Handle in use
name_taken 409 1302 Name in use: {subject}
email_taken 409 1303 Email in use
label_taken 409 1304 Label in use
origin_taken 409 1305 Origin id in use
friendly_taken 409 1306 URL in use
friendly_has_one 409 1307 URL already set
friendly_off 403 1308 Friendly URLs disabled
reservation_unknown 400 1310 Reservation token invalid
reservation_expired 400 1311 Reservation token expired
reserve_unneeded 400 1312 Reservation not needed
bad_identity 403 1320 Identity token rejected
unknown_identity 403 1321 Identity unknown
no_validator 400 1322 No validator active
wrong_terms 400 1330 Terms version must be {current}
already 409 1340 State unchanged: {subject}
not_predefined 400 1350 Predefined user needed
no_invitation 404 1351 No pending invitation
level_unknown 400 1360 Level unknown
level_denied 403 1361 Level not permitted
level_held 409 1362 Level already assigned
level_not_held 409 1363 Level not assigned
last_admin 409 1364 Last administrator
role_held 409 1370 Already operator
role_not_held 409 1371 Not an operator
is_owner 403 1372 User is owner
last_owner 409 1373 Last owner
registered_user 403 1380 User is registered
not_in_channel 409 1381 User not in channel
guest_access_off 403 1382 Guests not admitted
channel_live 409 1400 Channel in use
being_created 409 1401 Channel starting
lobby_closed 403 1402 Lobby closed
no_session 404 1403 No active session
session_over 409 1404 Session already ended
not_event_room 400 1410 Not an event room
breakout_started 409 1411 Breakout already started
breakout_running 409 1412 Breakout running
breakout_over 409 1413 Breakout finished
none_to_start 409 1414 No breakout waiting
none_running 404 1415 No breakout running
no_room 404 1416 No room assigned
too_many_rooms 400 1417 Room limit reached
assigned 409 1418 Already assigned
assigned_elsewhere 409 1419 Assigned elsewhere
not_assigned 404 1420 Not assigned
no_template 404 1430 No template selected
template_inherited 403 1431 Template is inherited
events_off 403 1440 Events disabled
own_service 400 1450 Own client
broken 500 1999 Internal error
""")

REASONS = {
    "required": "required",
    "unknown": "unknown",
    "text": "string expected",
    "texts": "strings expected",
    "flag": "boolean expected",
    "number": "number expected",
    "blank": "blank",
    "blanks": "blanks",
    "short": "too short",
    "long": "too long",
    "many": "too many",
    "pattern": "pattern",
    "reserved": "reserved",
    "email": "email expected",
    "url": "url expected",
    "origin": "origin expected",
    "domain": "domain expected",
    "language": "language expected",
    "choice": "not allowed",
    "range": "out of range",
    "ttl": "ttl expected",
    "duplicate": "duplicate",
}

ERRORS = Errors(
    envelope={"errorCode": "$code", "errorMessage": "$text", "fields": "$fields", "timestamp": "$at"},
    content_type="application/json; charset=utf-8",
    field_form="names",
    field_item={},
    every_field=False,
    fields_when_none=True,
    at_form="iso",
    kinds=KINDS,
    reasons=REASONS,
)
