from __future__ import annotations

from confsim.domain import mail
from confsim.kernel.world import World


def test_what_is_sent_is_stored_with_its_instant():
    """A mail is stored with all its fields."""
    change = World().change(5_000)
    mail.send(change, "c", "ann@example.org", "Hello", "How are you?", kind="greeting", code="42", link="https://x/")
    (sent,) = mail.list_mails(change)
    assert (sent.to, sent.subject, sent.text) == ("ann@example.org", "Hello", "How are you?")
    assert (sent.at, sent.kind, sent.code, sent.link, sent.client) == (5_000, "greeting", "42", "https://x/", "c")


def test_the_newest_mail_is_last_whatever_its_client():
    """The outbox of a world holds the mails of every client in the order in which they were sent."""
    change = World().change(0)
    for place, client in enumerate(("b", "a", "b")):
        mail.send(change, client, f"{place}@example.org", "S", "T", kind="test")
    assert [sent.to for sent in mail.list_mails(change)] == ["0@example.org", "1@example.org", "2@example.org"]


def test_a_mail_of_a_change_that_is_dropped_was_never_sent():
    """Mail belongs to the world, so that a refused call sends none."""
    world = World()
    mail.send(world.change(0), "c", "ann@example.org", "S", "T", kind="test")
    assert not mail.list_mails(world.change(0))


def test_a_profile_keeps_no_mail():
    """Where a profile says so, what is sent is gone."""
    change = World().change(0, {"mail.kept": False})
    mail.send(change, "c", "ann@example.org", "S", "T", kind="test")
    assert not mail.list_mails(change)
