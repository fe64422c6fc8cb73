"""The list of channels against a plain list that is filtered and sorted."""

from __future__ import annotations

from hypothesis import given, strategies as st
from msgspec.structs import replace

from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity.credentials import Caller
from confsim.domain.members import channel_list, roles
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.world import World
from kit.things.channels import create_room


@given(
    st.lists(st.tuples(st.sampled_from(["alpha", "Beta", "gamma ray"]), st.booleans()), max_size=6),
    st.sampled_from(["host", "admin", "token"]),
    st.sampled_from([None, "a", "RAY"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_channels_are_those_that_the_caller_hosts_or_all(found, who, search, by_name, descending, listing):
    """Hosted ones, all for administrators, none or all for API tokens; by creation or by name."""
    change = World(seed=1).change(0, ProfileContext({"channels.api-token-lists-all": listing}))
    client = clients.create(change, "C", None)
    user = users.create(change, client.id, "u", Account.REGISTERED)
    made = []
    for number, (name, hosted) in enumerate(found):
        channel = channels.create(change, client, f"{name} {number}", None, None)
        made.append((channel, hosted))
        if hosted:
            roles.add_operator(change, channel, user)
    if made:
        create_room(change, made[0][0], "alpha room")
    user = users.get(change, client.id, user.id)
    caller = Caller(client, api_token="t") if who == "token" else Caller(client, user)
    caller = replace(caller, customer_admin=True) if who == "admin" else caller
    every = who == "admin" or (who == "token" and listing)
    shown = [channel for channel, hosted in made if every or (hosted and who == "host")]
    shown = [channel for channel in shown if not search or search.lower() in channel.name.lower()]
    if by_name:
        shown.sort(key=lambda channel: channel.name.casefold())
    found = channel_list.list_channels(change, client, caller, search, by_name=by_name, descending=descending)
    assert [each.id for each in found] == [each.id for each in (shown[::-1] if descending else shown)]
