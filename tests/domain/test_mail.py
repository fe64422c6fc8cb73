from __future__ import annotations

from confsim.assumptions.register import ProfileContext, context_of
from confsim.domain import mail
from confsim.kernel.world import World


def test_what_is_sent_is_stored_with_its_instant():
    """A mail is stored with all its fields."""
    change = World().change(5_000)
    mail.send(change, "c", "ann@example.org", "Hello", "How are you?", kind="greeting", code="42", link="https://x/")
    (sent,) = mail.MAILS.of(change).all
    assert (sent.to, sent.subject, sent.text) == ("ann@example.org", "Hello", "How are you?")
    assert (sent.at, sent.kind, sent.code, sent.link, sent.client) == (5_000, "greeting", "42", "https://x/", "c")


def test_the_newest_mail_is_last_whatever_its_client():
    """The outbox of a world holds the mails of every client in the order in which they were sent."""
    change = World().change(0)
    for place, client in enumerate(("b", "a", "b")):
        mail.send(change, client, f"{place}@example.org", "S", "T", kind="test")
    assert [sent.to for sent in mail.MAILS.of(change).all] == ["0@example.org", "1@example.org", "2@example.org"]


def test_a_mail_of_a_change_that_is_dropped_was_never_sent():
    """Mail belongs to the world, so that a refused call sends none."""
    world = World()
    mail.send(world.change(0), "c", "ann@example.org", "S", "T", kind="test")
    assert not mail.MAILS.of(world.change(0)).all


def test_a_profile_keeps_no_mail():
    """Where a profile says so, what is sent is gone."""
    change = World().change(0, ProfileContext({"mail.kept": False}))
    mail.send(change, "c", "ann@example.org", "S", "T", kind="test")
    assert not mail.MAILS.of(change).all


def test_the_oldest_mails_of_a_client_go():
    """A long-lived world does not grow with its mail; how many stay is a choice, for each client."""
    change = World().change(0, ProfileContext({"mail.most": 2}))
    mail.send(change, "quiet", "first@example.org", "S", "T", kind="test")
    for place in range(4):
        mail.send(change, "busy", f"{place}@example.org", "S", "T", kind="test")
    assert [sent.to for sent in mail.MAILS.of(change).all] == ["first@example.org", "2@example.org", "3@example.org"]
    assert "mail.most" in context_of(change).used


def test_a_thousand_mails_stay_by_default():
    """Of each client."""
    change = World().change(0)
    for place in range(1003):
        mail.send(change, "c", f"{place}@example.org", "S", "T", kind="test")
    assert [len(mail.MAILS.of(change).all), mail.MAILS.of(change).all[0].to] == [1000, "3@example.org"]
