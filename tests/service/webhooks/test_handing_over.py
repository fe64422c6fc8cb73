"""What a sender is handed, and what becomes of a failure of confsim's own."""

from __future__ import annotations

from unittest import mock

import pytest

from confsim.service.webhooks import sending
from kit.things.webhooks import happen, listening


class Sender:
    """Notes what is to be sent, and for how long an answer is waited for."""

    allowed = frozenset()

    def __init__(self):
        self.sent = []

    def blocked_reason(self, url, allowed):
        """Nothing is blocked."""

    def send(self, message, timeout, _report):
        """Note it."""
        self.sent.append((message.url, timeout))


@pytest.mark.parametrize(("profile", "seconds"), [({}, 5.0), ({"timeout": 15_000}, 15.0), ({"timeout": 1}, 0.001)])
def test_a_sender_is_told_how_long_to_wait(profile, seconds):
    """In seconds, what the profile says in milliseconds."""
    sim = listening(**profile)
    sender = Sender()
    sim.service.webhooks.send_with(sender)
    happen(sim, "a")
    assert sender.sent == [("https://hooks.example/a%20b?c=d", seconds)]


def test_a_failure_of_confsim_says_where_it_was(sim):
    """It is stored for the test, with a note, and the call that led there is answered."""
    with mock.patch.object(sending.Webhooks, "_attempt", side_effect=ZeroDivisionError("planted")):
        happen(sim, "a")
    (bug,) = sim.service.bugs
    assert bug.__notes__ == ["confsim failed while it delivered a webhook"]
