"""Invariants about people: accounts, roles, access levels, tokens, invitations, terms."""

from __future__ import annotations

from collections.abc import Iterator

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()


@STATED.world("an-owner", "Every channel has an owner.", "R545, G562", "channels", "hosts")
def _an_owner(view: View) -> Iterator[str]:
    owned = {host.channel for host in view["hosts"] if word(host.role) == "owner"}
    for channel in view["channels"]:
        if channel.id not in owned:
            yield "no owner"


@STATED.world(
    "roles-at-users",
    "A user counts as owner or operator of the client while they are one of any channel.",
    "G090, G219",
    "users", "hosts",
)  # fmt: skip
def _roles(view: View) -> Iterator[str]:
    highest: dict[int, str] = {}
    for host in view["hosts"]:
        if highest.get(host.user) != "owner":
            highest[host.user] = word(host.role)
    for user in view["users"]:
        if word(user.hosting) != highest.get(user.id, "none"):
            yield f"{word(user.hosting)} instead of {highest.get(user.id, 'none')}"


@STATED.world("names-at-hosts", "Lists of channels show each channel's own name.", "R381, P2 L194", "hosts", "channels")
def _names(view: View) -> Iterator[str]:
    for host in view["hosts"]:
        channel = view.channels.get(host.channel)
        if channel is not None and (host.name, host.number) != (channel.name, channel.number):
            yield "an old name"


@STATED.world(
    "links", "A user who was made for a channel is linked to it, and goes with the link.", "R365, R469, G445",
    "users", "linked users",
)  # fmt: skip
def _links(view: View) -> Iterator[str]:
    linked = {(link.channel, link.user) for link in view["linked users"]}
    for user in view["users"]:
        if word(user.account) == "linked" and (user.channel, user.id) not in linked:
            yield "a linked user without link"
    for _, user_id in linked:
        if user_id not in view.users:
            yield "a link without user"


@STATED.world(
    "users-of-a-channel",
    "A linked user is removed with the channel.",
    "R365, G309",
    "users", "channels",
)  # fmt: skip
def _of_a_channel(view: View) -> Iterator[str]:
    for user in view["users"]:
        if word(user.account) == "linked" and user.channel not in view.channels:
            yield "a linked user"


@STATED.world(
    "tokens-have-holders",
    "A token belongs to a user or to an API token that exists; deleted ones can no longer be used.",
    "R118, R119, R121",
    "credentials", "users", "api tokens",
)  # fmt: skip
def _tokens(view: View) -> Iterator[str]:
    api_tokens = {token.id: token for token in view["api tokens"]}
    for credential in view["credentials"]:
        if credential.user is not None and credential.user not in view.users:
            yield "a token of a user who is gone"
        if credential.api_token is not None:
            token = api_tokens.get(credential.api_token)
            if token is None or token.value != credential.value:
                yield "an API token that was deleted or regenerated"
    values = {credential.value for credential in view["credentials"]}
    for token in api_tokens.values():
        if token.value not in values:
            yield "an API token that cannot be used"


@STATED.step(
    "regenerated-token-ends",
    "A regenerated or deleted API token can no longer be used: the old value is gone.",
    "R118, R119",
)
def _regenerated(step: Step) -> Iterator[str]:
    if step.act.operation not in ("regenerate_api_token", "delete_api_token") or step.answer.refused:
        return
    token = next((each for each in step.before["api tokens"] if each.id == step.call.values.get("tokenId")), None)
    if token is not None and any(each.value == token.value for each in step.after["credentials"]):
        yield "the old value is still good"


@STATED.step(
    "a-new-invitation-replaces",
    "A new invitation makes the earlier one of the user invalid.",
    "R122, R123",
)
def _replaces(step: Step) -> Iterator[str]:
    if step.act.operation == "create_invitation" and not step.answer.refused:
        user = step.call.values.get("userId")
        old = {each.code for each in step.before["invitations"] if each.user == user}
        if any(each.code in old for each in step.after["invitations"]):
            yield "the earlier code is kept"


@STATED.step(
    "an-invitation-is-used-once",
    "A Nonce can be used once; what is used, expired or withdrawn lets nobody in.",
    "R067, R184, R185",
)
def _once(step: Step) -> Iterator[str]:
    if step.act.operation != "redeem_invitation" or step.answer.refused:
        return
    code = step.call.values.get("code")
    invitation = next((each for each in step.before["invitations"] if each.code == code), None)
    if invitation is None or word(invitation.state) != "pending" or invitation.expires <= step.after.now:
        yield "no invitation" if invitation is None else f"it was {word(invitation.state)}"


@STATED.step(
    "used-invitations-stay-used",
    "An invitation that is used or has expired is not pending again.",
    "R067, R123, R184, R185, G202",
    "invitations",
)
def _stay_used(step: Step) -> Iterator[str]:
    states = {each.code: word(each.state) for each in step.before["invitations"]}
    for each in step.after["invitations"]:
        if word(each.state) == "pending" and states.get(each.code, "pending") != "pending":
            yield f"it was {states[each.code]}"


@STATED.step(
    "terms-are-accepted-by-version",
    "A user accepts the version of the terms that is current; no other is accepted.",
    "R102, G180",
)
def _accepts(step: Step) -> Iterator[str]:
    for user_id, user in step.after.users.items():
        was, client = step.before.users.get(user_id), step.after.clients.get(user.client)
        accepts = was is not None and user.accepted != was.accepted
        if accepts and client is not None and user.accepted != client.terms.version:
            yield "another version was accepted"
    if step.act.operation == "accept_terms" and not step.answer.refused:
        holder = {credential.value: credential.client for credential in step.before["credentials"]}
        client = step.before.clients.get(holder.get(step.call.caller, ""))
        if client is not None and step.call.values.get("version") != client.terms.version:
            yield "another version was taken"


@STATED.step(
    "new-terms-bind-everybody",
    "When new terms are published, nobody counts as having accepted them.",
    "R103, R104, R105, R106",
)
def _binds(step: Step) -> Iterator[str]:
    for client_id, client in step.after.clients.items():
        was = step.before.clients.get(client_id)
        if was is not None and client.terms.version != was.terms.version:
            if client.terms.version < was.terms.version:
                yield "an earlier version"
            if any(user.accepted == client.terms.version for user in step.after["users"] if user.client == client_id):
                yield "somebody has accepted already"


@STATED.step("children-keep-their-terms", "Terms and service of a client are its own: a child keeps its terms.", "G169")
def _children(step: Step) -> Iterator[str]:
    changed = [
        client.id
        for client in step.after["clients"]
        if (was := step.before.clients.get(client.id)) is not None
        and (was.terms, word(was.service)) != (client.terms, word(client.service))
    ]
    if len(changed) > 1:
        yield f"{len(changed)} clients changed at once"


@STATED.step(
    "only-levels-that-are-held",
    "Only an operation on access levels gives or takes one, of users who exist.",
    "R210, R211, R212",
)
def _levels(step: Step) -> Iterator[str]:
    if step.act.operation in ("add_access_level", "remove_access_level"):
        return
    for user_id, user in step.after.users.items():
        was = step.before.users.get(user_id)
        if was is not None and was.levels != user.levels:
            yield str(step.act.operation)


@STATED.step(
    "reservation-is-used-once",
    "A reservation is used up with the handle, and only the handle that it reserved is given.",
    "R094, R096, R098",
)
def _reservation(step: Step) -> Iterator[str]:
    token = step.call.values.get("nonce") or step.call.values.get("token")
    if step.act.operation not in ("change_handle_with_reservation", "create_user") or step.answer.refused:
        return
    held = next((each for each in step.before["reservations"] if each.token == token), None)
    if held is None or held.expires <= step.after.now:
        yield "there was no reservation"
        return
    if any(each.token == token for each in step.after["reservations"]):
        yield "it is still there"
    if not any(user.handle == held.handle and user.client == held.client for user in step.after["users"]):
        yield "nobody has the handle"


INVARIANTS = tuple(STATED.invariants)
