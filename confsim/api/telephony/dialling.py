"""Dialling in and out, on or off: for one channel, and for the new channels of a client."""

from __future__ import annotations

from confsim.api.call import API, Call
from confsim.contract import gates
from confsim.contract.operation import Source
from confsim.contract.types import Switch
from confsim.domain.channels import switches
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Default

operation = API.family(gate=gates.CUSTOMER_ADMIN, line="P2 Telephony", runtime=True)
named = API.family(gate=gates.ADMIN.assumed("G576"), line="P2 L354", source=Source.NAME_ONLY)


@named("POST /settings/dial/in/{state}", rules="R088 R315 R316", gaps="G297 G576")
def set_client_dial_in_state(call: Call, state: Switch) -> None:
    """Enable or disable dialling in to new channels of the client; existing channels are unchanged."""
    clients.switch_default(call.change, call.client, Default.DIAL_IN, state)


@named("POST /settings/dial/out/{state}", rules="R088 R315 R316", gaps="G297 G576")
def set_client_dial_out_state(call: Call, state: Switch) -> None:
    """Enable or disable dialling out of new channels of the client; existing channels are unchanged."""
    clients.switch_default(call.change, call.client, Default.DIAL_OUT, state)


@operation("POST /channels/{uuid}/settings/dial/in/{state}", rules="R042 R352 R474 R475 R535", gaps="G355 G467")
def set_dial_in_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable dialling in to the channel, independently of the default of new channels."""
    switches.set_feature(call.change, channel, switches.DIAL_IN, state)


@operation("POST /channels/{uuid}/settings/dial/out/{state}", rules="R042 R352 R476 R477 R535", gaps="G355")
def set_dial_out_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable dialling out of the channel, whatever the default of new channels; running calls go on."""
    switches.set_feature(call.change, channel, switches.DIAL_OUT, state)
