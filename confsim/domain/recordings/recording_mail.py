"""The mail by which owners get the link of a recording that is ready (P2 Events L374)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from confsim.assumptions import recordings as assumed
from confsim.assumptions.protocol import durations
from confsim.assumptions.register import ask
from confsim.domain import mail
from confsim.domain.channels.channels import Channel
from confsim.domain.users.users import USERS, Account, User
from confsim.kernel.world import Change

from . import assets, downloads


def reached(change: Change, channel: Channel, ids: Iterable[int]) -> Iterator[User]:
    """Those of the users who can be mailed: they have a verified address (R159, R363, R499)."""
    for id in ids:
        user = USERS.of(change, channel.client).get(id)
        if user is not None and user.account is not Account.REMOVED and user.email is not None:
            yield user


def send(change: Change, channel: Channel, recording: str, owners: Iterable[int]) -> None:
    """Mail the link of the recording to each of the owners who can be mailed."""
    for owner in reached(change, channel, owners):
        assert owner.email is not None
        link = _link(change, channel, recording)
        text = f"The recording of {channel.name} is ready: {link}"
        mail.send(change, channel.client, owner.email, "A recording is ready", text, kind="recording", link=link)


def _link(change: Change, channel: Channel, recording: str) -> str:
    link = ask(change, assumed.LINK)
    if "{token}" in link:
        combined = assets.of(change, channel.client, recording)[0]
        link = link.replace("{token}", downloads.link(change, combined, ask(change, durations.RECORDING_MAIL_LINK)))
    for name, id in {"client": channel.client, "channel": channel.id, "recording": recording}.items():
        link = link.replace(f"{{{name}}}", id)
    return link
