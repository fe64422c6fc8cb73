"""Stories for the flip test: each makes alternatives matter that no other journey does, and names their entries."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.service.messages import Request
from kit import (
    ADMIN,
    API_TOKEN,
    CUSTOMER,
    DAY,
    EVENT_ROOM,
    MINUTE,
    OPERATOR,
    OWNER,
    PARTNER,
    PARTNER_ADMIN,
    ROOM,
    START,
    START_S,
    USER,
    choices,
    ok,
)
from kit.things.identity_tokens import CLAIMS, hs

from .flips import Journey
from .journeys import recorded

Play = Callable[[Simulator], object]

#: What every story is called.
NAME = "a story of "
#: The entries that each story is about, the profile that it starts under, and what is done in it.
STORIES: list[tuple[str, dict[str, Any], Play]] = []
#: Users of the demo world.
_OWNER, _OPERATOR, _USER, _GUEST = 1002, 1003, 1004, 1005
#: The public half of a key of the curve P-256.
_KEY = json.dumps(
    {
        "kty": "EC",
        "crv": "P-256",
        "x": "Ju_OvQ7p40pmkYfhizqRIrL3M5RbZJzJ-fkh6fna2BI",
        "y": "kCOL3pzHuzMNFQxncE3SWucFUgV0S28xv0BwdFhy0OY",
    }
)
#: What transports report of requests that they cannot read.
_FAULTS = (
    *("url_too_long", "headers_too_large", "body_too_large", "timeout", "version_unsupported"),
    *("coding_unsupported", "malformed"),
)


def of(*ids: str, **profile: Any) -> Callable[[Play], Play]:
    """Declare a story of these entries; it has a profile, as of ``choices``, where other defaults hide them."""

    def declare(play: Play) -> Play:
        STORIES.append((" ".join(ids), choices(**profile), play))
        return play

    return declare


def stories() -> Iterator[Journey]:
    """All of them."""
    for ids, profile, play in STORIES:
        yield from recorded(
            NAME + ids, lambda play=play, profile=profile: play(Simulator(clock=START, profile=profile))
        )


def entries(journey: Journey) -> set[str]:
    """The entries that a journey is about; empty where it is no story."""
    return set(journey.name.removeprefix(NAME).split()) if journey.name.startswith(NAME) else set()


def http(sim: Simulator, target: str, query: str = "", method: str = "GET", **headers: str) -> Any:
    """Send a request with headers of its own to the API."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return sim.app(Request(method, f"/v1_0{target}", query, {"host": "confsim.test", **named}))


# Refusals


@of(*(f"{kind}.{reason.name.lower().replace('_', '-')}" for reason in Reason for kind in ("status", "code")))
def every_refusal(sim: Simulator) -> None:
    """A fault answers with each of them."""
    for reason in Reason:
        if reason is not Reason.INTERNAL_ERROR:
            sim.faults.put([{"operation": "get_me", "do": {"reason": reason.name.lower()}}])
            sim.call("get_me", USER)


@of("size.request-headers", "size.request-body", "size.request-url")
def what_cannot_be_read(sim: Simulator) -> None:
    """The limits are in the answers."""
    for fault in _FAULTS:
        sim.app(Request("GET", "/v1_0/users/me", fault=fault, problem="HTTP/3"))


# Conventions


@of("http.cors")
def a_page_of_another_origin(sim: Simulator) -> None:
    """Of one that the client allows."""
    ok(sim, "set_origins", clientId=CUSTOMER, body=["https://page.example"])
    http(sim, "/users/me", authorization=f"Bearer {USER}", origin="https://page.example")


@of("http.accept-language")
def a_browser_of_another_language(sim: Simulator) -> None:
    """It reads the configuration."""
    for code, text in (("en", "hello"), ("de", "hallo")):
        ok(sim, "set_config", body={"ui": {"customTexts": {"greeting": text}}}, language=code)
    http(sim, "/config", authorization=f"Bearer {ADMIN}", **{"accept-language": "de, en;q=0.5"})


@of("parse.accept")
def a_client_of_another_type(sim: Simulator) -> None:
    """It takes HTML alone."""
    http(sim, "/users/me", authorization=f"Bearer {USER}", accept="text/html")


@of("parse.broken-escapes")
def a_broken_escape(sim: Simulator) -> None:
    """In a query, and in a path."""
    http(sim, "/channels", "query=%zz", authorization=f"Bearer {OWNER}")
    http(sim, "/channels/%ff", authorization=f"Bearer {OWNER}")


@of("size.page-default")
def many_channels(sim: Simulator) -> None:
    """More than a page, of whatever size."""
    for number in range(25):
        ok(sim, "create_channel", OWNER, body={"name": f"Room {number}"})
    ok(sim, "list_channels", OWNER)


# Users


@of("parse.ttl-number")
def an_invitation_for_an_hour_and_a_half(sim: Simulator) -> None:
    """Of a user who is predefined."""
    id = ok(sim, "create_predefined_user", body={"name": "Stub"})["id"]
    ok(sim, "create_invitation", userId=id, ttl="1.5h")


@of("users.following")
def a_user_who_follows(sim: Simulator) -> None:
    """The other is looked at."""
    sim.change_record("user", _USER, follow=[_OWNER])
    ok(sim, "get_users", USER, userIds=str(_OWNER))


# Clients


@of("clients.depth", "clients.disabled-field", "service.open-while-disabled", "templates.inherited-from")
def clients_below_clients(sim: Simulator) -> None:
    """A grandchild with an administrator, a template of its grandparent, and a service that is disabled above it."""
    below = sim.make_client("Below", CUSTOMER)
    admin = sim.make_user(below.id, "Ada", levels=[10]).token
    template = ok(sim, "create_template", PARTNER_ADMIN, body={"name": "Ours"})["id"]
    ok(sim, "set_template_inheritance", PARTNER_ADMIN, templateId=template, state="allow")
    ok(sim, "list_templates", admin)
    ok(sim, "list_clients", PARTNER_ADMIN)
    ok(sim, "promulgate_terms", ADMIN, body={"url": "https://terms.example/9"})
    version = sim.call("get_user_terms", USER).body["currentVersion"]
    ok(sim, "set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER, state="disable")
    sim.call("get_client", PARTNER_ADMIN, clientId=below.id)
    sim.call("accept_terms", USER, version=version)
    sim.call("get_client", admin, clientId=below.id)


@of("clients.disable-ends")
def a_service_that_is_disabled(sim: Simulator) -> None:
    """While somebody is in a channel."""
    sim.presence.join(ROOM, _OWNER)
    ok(sim, "set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER, state="disable")


@of("api-tokens.regenerated-expiry", duration__api_token=DAY)
def a_token_that_ends(sim: Simulator) -> None:
    """And gets another value after a while."""
    id = ok(sim, "create_api_token", body={})["id"]
    sim.clock.advance("1h")
    ok(sim, "regenerate_api_token", tokenId=id)


# Identity


@of("validators.algorithms", "validators.inherited")
def validators(sim: Simulator) -> None:
    """Of the client above, for another algorithm."""
    sim.control("make_validator", clientId=PARTNER, validatorId="above", algorithm="ES256", key=_KEY)
    sim.call("list_validators", ADMIN)
    sim.control("make_validator", clientId=CUSTOMER, validatorId="third", algorithm="ES256", key=_KEY)
    ok(sim, "enable_validator", validatorId="third")
    sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": hs(CLAIMS)})


@of("identity.email", "identity.exp-required", "size.identity-token")
def people_who_come_by_identity_tokens(sim: Simulator) -> None:
    """With an address, without an end, with a long claim."""
    for token in (hs(CLAIMS), hs(CLAIMS, sub="person-2", exp=None), hs(CLAIMS, sub="person-3", long="x" * 20_000),
                  hs(CLAIMS, sub="person-4", email="pat@person.example", email_verified=False)):  # fmt: skip
        sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": token})
    for user in ok(sim, "list_users", ADMIN)["results"]:
        sim.call("get_user_email", ADMIN, userId=user["id"])


@of("invitations.on-exchange")
def an_invitation_of_somebody_who_comes_otherwise(sim: Simulator) -> None:
    """By an identity token."""
    user = ok(sim, "create_predefined_user", body={"name": "Pia", "originId": CLAIMS["sub"]})["id"]
    ok(sim, "create_invitation", userId=user)
    sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": hs(CLAIMS)})
    sim.call("get_invitation", ADMIN, userId=user)


@of("errors.spent-secrets", invitations__kind="always")
def secrets_that_are_over(sim: Simulator) -> None:
    """An invitation code that was replaced, and an identity token that has expired."""
    user = ok(sim, "create_predefined_user", body={"name": "Pia"})["id"]
    code = ok(sim, "create_invitation", userId=user)["code"]
    ok(sim, "create_invitation", userId=user)
    for token in (code, hs(CLAIMS, exp=START_S - 9)):
        sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": token})


# Users and hosts


@of("handles.reserve-checked", "handles.reserve-again")
def handles(sim: Simulator) -> None:
    """One that is held by another where that is allowed, one that is reserved twice."""
    ok(sim, "set_handle_uniqueness", state="disable")
    sim.call("reserve_handle", USER, body={"handle": "Olaf Owner"})
    for _ in range(2):
        sim.call("reserve_handle", USER, body={"handle": "Twice"})


@of("handles.channel-rename", "handles.rename-registered")
def hosts_who_rename(sim: Simulator) -> None:
    """A registered user, and a guest of another channel."""
    for user in (_USER, _GUEST):
        for channel in (ROOM, EVENT_ROOM):
            sim.call("rename_channel_user", OPERATOR, uuid=channel, userId=user, body={"handle": f"Other {user}"})


@of("guests.creation")
def a_guest_at_a_closed_door(sim: Simulator) -> None:
    """Made all the same."""
    ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.call("create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gary"})


@of("terms.sessions")
def terms_that_change_meanwhile(sim: Simulator) -> None:
    """Somebody is in a channel."""
    sim.presence.join(ROOM, _USER)
    ok(sim, "promulgate_terms", body={"url": "https://terms.example/9"})


@of("mail.most")
def much_mail(sim: Simulator) -> None:
    """More than is stored."""
    for number in range(101):
        ok(sim, "set_user_email", userId=_USER, body={"email": f"uma-{number}@example.com"})


# Channels


@of("channels.list-rooms")
def rooms_of_a_breakout_session(sim: Simulator) -> None:
    """In the list of channels."""
    session = ok(sim, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"duration": 10 * MINUTE})["id"]
    ok(sim, "create_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=session, body={})
    ok(sim, "start_breakout_session", OWNER, uuid=EVENT_ROOM, breakoutSession=session)
    ok(sim, "list_channels", API_TOKEN)


@of("broadcast.history-sort", duration__broadcast_start="time(30)")
def broadcasts(sim: Simulator) -> None:
    """One that never came up, and one that runs."""
    ok(sim, "set_broadcast_state", uuid=ROOM, state="enable")
    body = {"destination": "rtmp://live.example/app", "label": "Live", "enabled": True}
    ok(sim, "add_broadcast_destination", OWNER, channel=ROOM, body=body)
    sim.presence.join(ROOM, _OWNER)
    sim.call("start_broadcast", OWNER, uuid=ROOM)
    sim.clock.advance("1s")
    sim.call("stop_broadcast", OWNER, uuid=ROOM)
    sim.clock.advance("1m")
    sim.call("start_broadcast", OWNER, uuid=ROOM)
    sim.clock.advance("1m")
    sim.call("list_broadcast_history", OWNER, uuid=ROOM)
    sim.call("stop_broadcast", OWNER, uuid=ROOM)
    sim.call("list_broadcast_history", OWNER, uuid=ROOM)


@of("dial.callees-pass")
def a_callee_at_a_closed_door(sim: Simulator) -> None:
    """Called by a host, and picked up."""
    ok(sim, "set_client_dial_out_state", state="enable")
    ok(sim, "set_dial_out_state", uuid=ROOM, state="enable")
    ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    ok(sim, "dial_unregistered_user", OWNER, uuid=ROOM, body={"number": "+12025550147", "name": "Callee"})


@of("recordings.mailed")
def a_recording_whose_channel_changes_owners(sim: Simulator) -> None:
    """Between its stop and the mail about it."""
    sim.presence.join(ROOM, _OPERATOR)
    ok(sim, "start_recording", OPERATOR, uuid=ROOM)
    sim.clock.advance("1m")
    ok(sim, "stop_recording", OPERATOR, uuid=ROOM)
    ok(sim, "add_owner", OWNER, uuid=ROOM, userId=_USER)
    ok(sim, "remove_owner", USER, uuid=ROOM, userId=_OWNER)
    sim.clock.advance("2s")


@of("recordings.without-email")
def a_recording_without_an_address(sim: Simulator) -> None:
    """Of a channel whose owner has none."""
    channel = ok(sim, "create_channel", USER, body={"name": "Mine"})["channelUuid"]
    sim.presence.join(channel, _USER)
    sim.call("start_recording", USER, uuid=channel)


@of("media.public-read", "media.tag-match")
def media(sim: Simulator) -> None:
    """Which anybody may read, and which has a tag."""
    id = ok(sim, "upload_client_media", name="a.txt", body=b"bytes", read="public")["id"]
    sim.change_record("media", id, tags=["Blue"])
    ok(sim, "list_client_media", tags_all="blue")
    url = ok(sim, "get_client_media_link", mediaId=id)["url"]
    sim.app(Request("GET", url.removeprefix("http://confsim.test").partition("?")[0]))


# Events


def _listening(sim: Simulator) -> str:
    ok(sim, "set_events_state", state="enable")
    return str(ok(sim, "add_events_endpoint", body={"url": "https://hooks.example"})["id"])


@of("webhooks.kept", "events.kept")
def many_events(sim: Simulator) -> None:
    """More than are stored."""
    _listening(sim)
    for number in range(101):
        ok(sim, "upload_client_media", name=f"{number}", body=b"x")


@of("webhooks.order", "webhooks.while-inactive")
def a_delivery_that_comes_late(sim: Simulator) -> None:
    """Another event happens, and events are switched off meanwhile."""
    _listening(sim)
    sim.faults.add(thing="webhook", do={"outcome": "late", "by": "10m"})
    for name in ("first", "second"):
        ok(sim, "upload_client_media", name=name, body=b"x")
    ok(sim, "set_events_state", state="disable")
    sim.clock.advance("1h")


# Where two things meet


@of("channels.history-after-deletion", "sessions.last-host")
def a_channel_that_is_deleted_after_a_meeting(sim: Simulator) -> None:
    """Its host leaves first, and an administrator looks for its session."""
    for user in (_OWNER, _USER):
        session = sim.presence.join(ROOM, user).session
    sim.presence.leave(ROOM, _OWNER)
    ok(sim, "get_session", sessionId=session)
    ok(sim, "delete_channel", OWNER, uuid=ROOM)
    sim.call("get_session", ADMIN, sessionId=session)


@of("sessions.participant-handle", "parse.outer-blanks", "users.several-found")
def a_user_who_is_renamed_after_a_session(sim: Simulator) -> None:
    """To the handle of another user, with blanks around it."""
    session = sim.presence.join(ROOM, _USER).session
    ok(sim, "set_handle_uniqueness", state="disable")
    ok(sim, "set_user_handle", USER, userId="me", body={"handle": "Ursula"})
    sim.presence.leave(ROOM, _USER)
    ok(sim, "set_user_handle", USER, userId="me", body={"handle": " Opal Operator "})
    ok(sim, "list_session_participants", sessionId=session)
    ok(sim, "find_user_by_handle", handle="Opal Operator")


@of("lists.searched", "recordings.possible-without-session", "roles.former-owner", "friendly-urls.direct-links")
def what_is_asked_of_an_idle_channel(sim: Simulator) -> None:
    """A word of its description, whether it could be recorded, and for another owner and URL."""
    ok(sim, "set_channel_description", OWNER, uuid=ROOM, body={"description": "All about zebras"})
    ok(sim, "list_channels", search="zebra")
    ok(sim, "check_record_possible", OWNER, uuid=ROOM)
    ok(sim, "add_owner", OWNER, uuid=ROOM, userId=_USER)
    ok(sim, "remove_owner", OWNER, uuid=ROOM, userId=_USER)
    ok(sim, "list_operators", OWNER, uuid=ROOM)
    ok(sim, "set_friendly_urls_state", state="enable")
    word = ok(sim, "get_channel", OWNER, uuid=EVENT_ROOM)["urlName"]
    sim.call("set_channel_friendly_url", OWNER, uuid=ROOM, body={"url": word})


@of("roles.temporary-hosts", "streaming.proxy-for")
def a_guest_who_is_made_operator(sim: Simulator) -> None:
    """After guest access was switched off, and the guest asked for the streaming server."""
    guest = ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus"})["token"]
    ok(sim, "set_guest_access", OWNER, uuid=ROOM, state="disable")
    sim.call("get_streaming_proxy", guest, uuid=ROOM)
    sim.call("add_operator", OWNER, uuid=ROOM, userId=ok(sim, "get_me", guest)["id"])


@of("presence.elsewhere", "presenters.lowered-limit", "breakout.start-empty")
def a_user_in_two_channels(sim: Simulator) -> None:
    """Who presents in one that gets a limit; in the other an empty breakout session starts."""
    for user in (_OWNER, _OPERATOR):
        sim.presence.join(ROOM, user)
        sim.presence.present(ROOM, user)
    ok(sim, "set_presenters_limit", OWNER, uuid=ROOM, limit=1)
    sim.presence(ROOM)
    sim.presence.join(EVENT_ROOM, _OWNER)
    ok(sim, "get_populations", channelIds=ROOM)
    ok(sim, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"name": "Groups"})
    sim.call("start_breakout_session", OWNER, uuid=EVENT_ROOM)


@of("dial.users-after-call")
def a_phone_that_hangs_up(sim: Simulator) -> None:
    """And is looked for."""
    ok(sim, "set_dial_out_state", uuid=ROOM, state="enable")
    body = {"number": "+12025550147", "name": "Callee"}
    phone = ok(sim, "dial_unregistered_user", OWNER, uuid=ROOM, body=body)["id"]
    sim.calls.hang_up(phone)
    sim.call("get_user", API_TOKEN, userId=phone)


@of("roles.api-token-passes")
def an_api_token_at_a_switch_of_owners(sim: Simulator) -> None:
    """And at one of hosts: it is refused, or it switches."""
    sim.call("set_midi_state", API_TOKEN, uuid=ROOM, state="enable")
    sim.call("set_lobby_auto_close", API_TOKEN, uuid=ROOM, state="enable")
