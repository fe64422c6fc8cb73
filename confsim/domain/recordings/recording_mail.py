"""The mail to owners with the link of a recording that is ready (P2 Events L374)."""

from __future__ import annotations

from confsim.assumptions import recordings as assumed
from confsim.assumptions.protocol import durations
from confsim.assumptions.register import ask
from confsim.domain import mail
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.kernel.world import Change

from . import assets, downloads
from .recordings import Recording, reachable


def recipients(change: Change, channel: Channel, recording: Recording) -> tuple[int, ...]:
    """The ids of the owners who receive a mail when the recording is ready (G505)."""
    choice = ask(change, assumed.MAILED)
    if choice == "owners-at-stop":
        return recording.owners
    if choice == "not-for-api-tokens" and recording.starter is None:
        return ()
    return roles.ids(change, channel, Role.OWNER)


def send(change: Change, recording: Recording) -> None:
    """Mail the link of the recording to each recipient with a verified address."""
    channel = channels.get(change, recording.client, recording.channel)
    for owner in reachable(change, channel, recipients(change, channel, recording)):
        assert owner.email is not None
        link = _link(change, channel, recording.id)
        text = f"The recording of {channel.name} is ready: {link}"
        subject = "A recording is ready"
        mail.send(change, channel.client, owner.email, subject, text, kind=mail.MailKind.RECORDING, link=link)


def _link(change: Change, channel: Channel, recording: str) -> str:
    link = ask(change, assumed.LINK)
    if "{token}" in link:
        combined = assets.list_of_recording(change, channel.client, recording)[0]
        link = link.replace(
            "{token}", downloads.issue_link(change, combined, ask(change, durations.RECORDING_MAIL_LINK))
        )
    for name, id in {"client": channel.client, "channel": channel.id, "recording": recording}.items():
        link = link.replace(f"{{{name}}}", id)
    return link
