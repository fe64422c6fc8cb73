"""Who is mailed the link of a recording that is ready."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain import mail
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity import credentials
from confsim.domain.members import roles
from confsim.domain.recordings import downloads, recordings
from confsim.domain.recordings.recordings import RECORDINGS
from confsim.domain.runtime import presence
from confsim.domain.users import emails
from kit import API_TOKEN, CUSTOMER, OPERATOR, OWNER, ROOM, USER
from kit.each import each


@pytest.mark.rule("R363")
@each(
    "choice, by, to",
    [
        ("owners-when-ready", OPERATOR, USER),
        ("owners-when-ready", API_TOKEN, USER),
        ("owners-at-stop", OPERATOR, OWNER),
        ("owners-at-stop", API_TOKEN, OWNER),
        ("not-for-api-tokens", OPERATOR, USER),
        ("not-for-api-tokens", API_TOKEN, None),
    ],
)
def test_owners_are_mailed(choice, by, to):
    """Those of when it is ready, those of the stop, or nobody where an API token started it (G505)."""
    change = Simulator(clock=0, profile={"recordings.mailed": choice}).service.change()
    room = channels.get(change, CUSTOMER, ROOM)
    olaf, uma = (credentials.authenticate(change, token).user for token in (OWNER, USER))
    uma = emails.trust(change, uma, "uma@customer.example")
    presence.join(change, clients.get(change, CUSTOMER), room, uma)
    caller = credentials.authenticate(change, by)
    recordings.start(change, room, caller)
    recordings.stop(change, room, caller)
    roles.add_owner(change, room, uma)
    roles.remove_owner(change, room, olaf)
    (recording,) = RECORDINGS.of(change, CUSTOMER).all
    expected = [] if to is None else [{OWNER: olaf, USER: uma}[to]]
    assert [*downloads.recipients(change, room, recording)] == [user.id for user in expected]
    recordings.finish(change, recording, fails=False)
    assert [each.to for each in mail.MAILS.of(change).all] == [user.email for user in expected]
