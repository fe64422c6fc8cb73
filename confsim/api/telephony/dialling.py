"""Dialling in and out, and the PINs of channels (P2 Endpoints, Telephony)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import PinText
from confsim.assumptions import telephony as assumed
from confsim.contract import Source, Switch, Wire, gates
from confsim.domain.channels import switches
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Default
from confsim.domain.conventions import turn
from confsim.domain.members import roles
from confsim.domain.telephony import pins

operation = API.family(line="P2 Telephony")
of_channel = API.family(gate=gates.CUSTOMER_ADMIN, line="P2 Telephony", runtime=True)
of_client = API.family(gate=gates.ADMIN.assumed("G576"), line="P2 L354", source=Source.NAME_ONLY)


class Pin(Wire):
    """A PIN for dialling in; that of an organizer starts the meeting (P2 Telephony)."""

    pin: Annotated[str, "The PIN."]
    organizer: Annotated[bool, "Whether it is for organizers, whose call starts the meeting."]


class NewPin(Wire):
    """A PIN to be set."""

    pin: Annotated[PinText, "The PIN."]
    organizer: Annotated[bool | None, "Whether it is for organizers, whose call starts the meeting."] = False


@operation(
    "GET /channels/{uuid}/dial/pins",
    gate=gates.ACCESS.assumed("G464"),
    rules="R319 R323 R478",
    gaps="G095 G464 G465",
    container=assumed.PIN_CONTAINER,
)
def list_dial_pins(call: Call, channel: Channel) -> list[Pin]:
    """List the PINs of a channel; an empty list means that anyone can dial in.

    Users who are no hosts see those of participants while the channel's publicPIN is true; else PINS_HIDDEN.
    """
    user = call.maybe_user
    host = user is None or roles.is_operator(call.change, channel, user)
    return [Pin(pin=each.pin, organizer=each.organizer) for each in pins.list_shown(call.change, channel, host=host)]


@operation(
    "POST /channels/{uuid}/dial/pins",
    gate=gates.OPERATOR.assumed("G463"),
    rules="R323 R324 R479",
    gaps="G461 G462 G467",
)
def add_dial_pin(call: Call, channel: Channel, body: NewPin) -> None:
    """Add a PIN that phones need to dial in; adding one again changes whether it is for organizers.

    Refusals PIN_MALFORMED; PIN_TAKEN and DIAL_IN_OFF by assumption.
    """
    pins.add(call.change, channel, body.pin, organizer=bool(body.organizer))


@operation(
    "DELETE /channels/{uuid}/dial/pins/{pin}",
    gate=gates.OPERATOR.assumed("G463"),
    source=Source.NAME_ONLY,
    gaps="G577",
    line="P2 L354",
)
def delete_dial_pin(call: Call, channel: Channel, pin: pins.Pin) -> None:
    """Delete a PIN; without the last one anyone can dial in again. Refusal NOT_FOUND."""
    pins.delete(call.change, channel, pin)


@of_client("POST /settings/dial/in/{state}", rules="R088 R315 R316", gaps="G297 G576")
def set_client_dial_in_state(call: Call, state: Switch) -> None:
    """Enable or disable dialling in to new channels of the client; existing channels are unchanged."""
    turn(call.change, clients.DEFAULTS[Default.DIAL_IN].to(state), call.client, state=state)


@of_client("POST /settings/dial/out/{state}", rules="R088 R315 R316", gaps="G297 G576")
def set_client_dial_out_state(call: Call, state: Switch) -> None:
    """Enable or disable dialling out of new channels of the client; existing channels are unchanged."""
    turn(call.change, clients.DEFAULTS[Default.DIAL_OUT].to(state), call.client, state=state)


@of_channel("POST /channels/{uuid}/settings/dial/in/{state}", rules="R042 R352 R474 R475 R535", gaps="G355 G467")
def set_dial_in_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable dialling in to the channel, independently of the default of new channels."""
    switches.set_feature(call.change, channel, switches.DIAL_IN.to(state))


@of_channel("POST /channels/{uuid}/settings/dial/out/{state}", rules="R042 R352 R476 R477 R535", gaps="G355")
def set_dial_out_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable dialling out of the channel, whatever the default of new channels; running calls go on."""
    switches.set_feature(call.change, channel, switches.DIAL_OUT.to(state))
