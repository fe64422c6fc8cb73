"""The reasons for which an operation can refuse: what a profile makes possible, and what it makes impossible."""

import json

import pytest

from confsim import Simulator
from confsim.api.call import NOWHERE, Call
from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import REGISTER
from confsim.contract.openapi.reasons import reasons_of
from confsim.kernel.refusal import Misuse, Refusal
from confsim.reference.observed import observed
from confsim.service.document import api_document
from confsim.testing.samples import IdPool, valid
from kit import API_TOKEN, CUSTOMER, START
from kit.observations.listed import ListedRefusals

#: What one choice takes away: the operation refuses for the reason under the defaults.
GONE = """
app-sessions.channel-access=any                 create_app_session             GUEST_ELSEWHERE
app-sessions.channel-access=any                 create_app_session             ROLE_MISSING
app-sessions.repeated-index=overwrites          add_app_session_log            LOG_INDEX_TAKEN
app-sessions.session-elsewhere=store            link_app_session_to_channel_session SESSION_ELSEWHERE
breakout.delete-active=stop                     delete_breakout_session        BREAKOUT_ACTIVE
breakout.event-room-off=delete                  set_event_room_state           BREAKOUT_ACTIVE
breakout.rooms-after-start=allow                delete_breakout_room           BREAKOUT_STARTED
broadcast.metrics-without={}                    get_broadcast_metrics          NO_BROADCAST
channels.client-across-tenants=true             get_channel_client             GUEST_ELSEWHERE
channels.description-at-creation=none           create_channel                 DESCRIPTION_TOO_LONG
channels.description-too-long=cut               set_channel_description        DESCRIPTION_TOO_LONG
channels.unique-names=allow                     create_channel                 CHANNEL_NAME_TAKEN
channels.unique-names=number                    rename_channel                 CHANNEL_NAME_TAKEN
clients.own-service=true                        set_client_service_state       NOT_PARENT
clients.reseller-calls=[]                       create_client                  RESELLER_DISABLED
clients.reseller-calls=[]                       get_user                       RESELLER_DISABLED
gate.delete_channel=signed-in                   delete_channel                 ROLE_MISSING
gate.delete_channel=public                      delete_channel                 CREDENTIAL_INVALID
gate.delete_channel=public                      delete_channel                 NOT_FOUND
gate.get_client=public                          get_client                     CREDENTIAL_MISSING
gate.set_user_handle=user                       set_user_handle                ROLE_MISSING
channels.access=anyone                          get_turn_credentials           ROLE_MISSING
auth.presentation=["?token={token}"]            get_me                         CREDENTIAL_AMBIGUOUS
config.texts-without-language=ignore            set_config                     LANGUAGE_MISSING
dial.sip-user=any                               dial_registered_user           NOT_REGISTERED
emails.malformed=taken                          set_user_email                 EMAIL_MALFORMED
events.open-while-off=["get_events_secret"]     get_events_secret              EVENTS_OFF
events.unknown-endpoint=ignore                  update_events_endpoint         NOT_FOUND
friendly-urls.off=nothing                       set_channel_friendly_url       FRIENDLY_URLS_OFF
friendly-urls.taken=move                        set_channel_friendly_url       FRIENDLY_URL_TAKEN
guests.access-off=joining                       create_guest                   GUEST_ACCESS_OFF
handles.rename-registered=ignored               rename_channel_user            NOT_UNREGISTERED
images.formats=any                              set_user_image                 IMAGE_UNKNOWN_FORMAT
images.unreachable=[]                           set_channel_image              IMAGE_UNREACHABLE
levels.guests=true                              add_access_level               LEVEL_FOR_GUEST
levels.own=freely                               remove_access_level            LEVEL_OWN
media.empty-file=keep                           upload_client_media            MEDIA_MISSING
numbers.exclusive-taken=take                    assign_exclusive_dial_number   NUMBER_SHARED
pins.hidden=none                                list_dial_pins                 PINS_HIDDEN
populations.too-many=first                      get_populations                TOO_MANY_CHANNELS
providers.of-nobody=empty                       get_auth_profile               AUTH_METHOD_NOT_FOUND
providers.unknown=store                         set_auth_providers             PROVIDER_UNKNOWN
dial.inside=call                                dial_registered_user           ALREADY_INSIDE
quote.unknown=free                              get_dial_quote                 DESTINATION_UNKNOWN
recordings.start-again=ignore                   start_recording                RECORDING_IN_PROGRESS
recordings.stop-nothing=ignore                  stop_recording                 NO_RECORDING
recordings.without-email=start                  start_recording                RECORDING_NEEDS_EMAIL
recordings.without-session=start-session        start_recording                RECORDING_NEEDS_SESSION
roles.last-owner=let-go                         demote_owner                   LAST_OWNER
roles.remove-operator-on-owner=take             remove_operator                OPERATOR_IS_OWNER
service.open-while-disabled=["create_channel"]  create_channel                 SERVICE_DISABLED
templates.none=204                              get_channel_template           NO_TEMPLATE
terms.login=full                                get_me                         TERMS_NOT_ACCEPTED
terms.open-calls=["get_me"]                     get_me                         TERMS_NOT_ACCEPTED
users.create-registers=new                      create_user                    NOT_A_GUEST
users.origin-id-twice=existing                  create_predefined_user         ORIGIN_ID_TAKEN
"""
#: What one choice brings: the operation does not refuse for the reason under the defaults.
COMES = """
auth.on-public-calls=checked                    get_client_terms               CREDENTIAL_INVALID
breakout.delete-assigned-room=refuse            delete_breakout_room           ROOM_ASSIGNED
breakout.modify-active=refuse                   update_breakout_session        BREAKOUT_ACTIVE
breakout.room-names=refuse                      rename_breakout_room           ROOM_NAME_TAKEN
breakout.rooms-after-start=refuse               create_breakout_room           BREAKOUT_STARTED
breakout.second-room=refuse                     add_breakout_participant       ASSIGNED_ELSEWHERE
breakout.started=refuse                         start_breakout_session         BREAKOUT_AMBIGUOUS
breakout.without-room=403                       get_active_breakout_session    NO_ROOM_ASSIGNED
quote.long-dtmf=held                            get_dial_quote                 DTMF_MALFORMED
broadcast.needs-session=true                    start_broadcast                NO_ACTIVE_SESSION
broadcast.while-off=all-refused                 get_broadcast_state            BROADCAST_OFF
channels.deletion=refuse                        delete_channel                 CHANNEL_IN_USE
clients.names=refuse                            create_client                  CLIENT_NAME_TAKEN
config.themes=["dark"]                          set_config                     THEME_UNKNOWN
dial-in.while-off=everything                    delete_dial_pin                DIAL_IN_OFF
dial.no-session=refuse                          dial_unregistered_user         CHANNEL_IDLE
emails.shared=refused                           set_user_email                 EMAIL_TAKEN
emails.without=refused                          set_user_email                 EMAIL_MISSING
errors.spent-secrets=told                       download_recording_asset       ASSET_TOKEN_EXPIRED
errors.spent-secrets=told                       exchange_identity_token        INVITATION_CODE_INVALID
events.open-while-off=[]                        get_events_status              EVENTS_OFF
flags.midi-token=needs-premium                  set_midi_state                 MIDI_NEEDS_TOKEN
friendly-urls.available=not-found-when-free     check_friendly_url             FRIENDLY_URL_UNKNOWN
gate.create_guest=user                          create_guest                   CREDENTIAL_MISSING
gate.get_config=owner                           get_config                     ROLE_MISSING
gate.get_config=["user","self"]                 get_config                     NO_USER_CONTEXT
handles.unregistered=unique                     create_guest                   HANDLE_TAKEN
http.rate-limit=60                              get_me                         TOO_MANY_CALLS
images.given-url=fetched                        create_predefined_user         IMAGE_UNREACHABLE
linked-users.same-handle=refuse                 create_linked_user             LINKED_HANDLE_TAKEN
lists.beyond-end=refuse                         list_users                     NOT_FOUND
media.same-name=refuse                          upload_channel_media           MEDIA_NAME_TAKEN
numbers.assigned-again=refuse                   assign_dial_number             NUMBER_ASSIGNED
parse.accept=refuse                             get_me                         NOT_ACCEPTABLE
parse.missing-query=404                         check_handle_unique            NOT_FOUND
parse.path-numbers=404                          accept_terms                   NOT_FOUND
pins.several=refuse                             add_dial_pin                   PIN_TAKEN
populations.unknown=refuse                      get_populations                NOT_FOUND
quote.while-off=false                           get_dial_quote                 DIAL_OUT_OFF
recordings.stopped-by=starter                   stop_recording                 RECORDING_STOPPED_BY_STARTER
recordings.token-in-path=refuse                 list_downloadable_assets       URL_TOO_LONG
roles.operator-again=refuse                     add_operator                   STATE_HOLDS
service.refused-while-disabled=everything       get_user                       SERVICE_DISABLED
sessions.end-again=refuse                       end_session                    SESSION_ENDED
sessions.unknown-channel=refuse                 list_sessions                  NOT_FOUND
states.repeated=refuse                          set_wall_state                 STATE_HOLDS
templates.in-use=refuse                         remove_template                TEMPLATE_IN_USE
terms.login=refuse                              exchange_identity_token        TERMS_NOT_ACCEPTED
users.create-registers=caller                   create_user                    NO_USER_CONTEXT
users.predefined-name=handle                    create_predefined_user         HANDLE_TAKEN
users.several-unknown=refused                   get_users                      NOT_FOUND
"""


def rows(table):
    """The choice, the operation and the reason of each row."""
    return [pytest.param(*line.split(), id=" ".join(line.split())) for line in table.strip().splitlines()]


def chosen(choice):
    """The profile of one choice, written as JSON or as a word."""
    id, _, text = choice.partition("=")
    try:
        value = json.loads(text)
        return REGISTER.profile({id: value})
    except (ValueError, Misuse):
        return REGISTER.profile({id: text})


def refuses(name, reason, profile):
    """Whether the operation can refuse for the reason."""
    return Reason[reason] in reasons_of(API[name], observed()[name], profile)


@pytest.mark.parametrize(("choice", "operation", "reason"), rows(GONE))
def test_a_choice_makes_a_refusal_impossible(choice, operation, reason):
    """It refuses for the reason under the defaults, and cannot by the choice."""
    assert refuses(operation, reason, {})
    assert not refuses(operation, reason, chosen(choice))


@pytest.mark.parametrize(("choice", "operation", "reason"), rows(COMES))
def test_a_choice_makes_a_refusal_possible(choice, operation, reason):
    """It cannot refuse for the reason under the defaults, and does by the choice."""
    assert not refuses(operation, reason, {})
    assert refuses(operation, reason, chosen(choice))


def test_one_of_two_entries_is_enough():
    """A guest is not made without guest access, or, by another choice, while the channel is not open."""
    joining = {"guests.access-off": "joining"}
    assert not refuses("create_guest", "GUEST_ACCESS_OFF", joining)
    assert refuses("create_guest", "GUEST_ACCESS_OFF", {**joining, "guests.creation": "open-channel"})


def test_who_is_called_may_be_refused_for_the_terms_where_callers_are_not():
    """The terms bind the callee by a choice of its own, whatever a login gives."""
    full = {"terms.login": "full"}
    assert not refuses("dial_registered_user", "TERMS_NOT_ACCEPTED", full)
    assert refuses("dial_registered_user", "TERMS_NOT_ACCEPTED", {**full, "dial.callees-terms": True})


def test_an_operation_that_reads_is_not_refused_by_a_disabled_service():
    """What changes something and the running of channels is (R245, G162)."""
    assert not refuses("get_user", "SERVICE_DISABLED", {})
    assert refuses("get_data_channel", "SERVICE_DISABLED", {})
    assert refuses("create_channel", "SERVICE_DISABLED", {})


def test_entries_declare_reasons_and_values_that_there_are():
    """A misspelt reason or value, or one that every choice allows, would decide nothing."""
    for entry in REGISTER.entries.values():
        for reason, when in entry.refuses.items():
            assert reason in Reason.__members__, entry.id
            if isinstance(when, tuple):
                assert [entry.check(value) for value in when] == [*when], entry.id
                assert {entry.default, *entry.alternatives} - {*when}, entry.id


def test_a_refusal_that_is_not_listed_is_noticed(sim):
    """The plugin that looks at each refusal of each test names operation and reason."""
    listed = ListedRefusals()
    call = Call(API["get_me"], sim.service.change(), NOWHERE, {})
    listed.look(call, Refusal(Reason.CREDENTIAL_MISSING))
    assert listed.missing == {}
    listed.look(call, Refusal(Reason.EVENT_ROOM_OFF))
    assert listed.missing.keys() == {("get_me", "EVENT_ROOM_OFF")}


def test_a_document_lists_what_a_profile_lets_an_operation_refuse():
    """The codes of a response are those of the reasons."""

    def codes(profile):
        document = json.loads(api_document(REGISTER.profile(profile)))
        responses = document["paths"]["/channels/create"]["post"]["responses"]
        conflict = responses["409"]["$ref"].rpartition("/")[2] if "409" in responses else None
        return document["components"]["responses"][conflict]["x-confsim-codes"] if conflict else []

    assert "channel_name_taken" in codes({})
    assert "channel_name_taken" not in codes({"channels.unique-names": "allow"})


def test_a_token_of_a_client_that_says_me_is_listed():
    """Wherever a path names a user, "me" of an API token is refused for the reason that the document lists."""
    sim = Simulator(clock=START)
    named = [each for each in API if any(parameter.name == "userId" for parameter in each.path_parameters)]
    told = set()
    for operation in named:
        given = valid(operation, IdPool(sim.service.world, CUSTOMER), 1)
        arguments = {**given.path, **given.query, "userId": "me"}
        if operation.body is not None:
            arguments["body"] = given.body
        try:
            answer = sim.fork().call(operation.name, API_TOKEN, **arguments)
        except Misuse:  # with "me" it is the path of another operation
            continue
        if answer.status == 403 and answer.json()["code"] == "no_user_context":
            told.add(operation.name)
            assert Reason.NO_USER_CONTEXT in reasons_of(operation, observed()[operation.name], {}), operation.name
    assert {"get_user_client", "set_user_handle"} <= told
