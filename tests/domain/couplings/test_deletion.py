"""What deletions take along: the functions that find it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import confsim.api.catalogue  # noqa: F401 its modules declare the machines
from confsim import Simulator
from confsim.domain.channels import channels
from confsim.domain.config import documents, templates
from confsim.domain.config.documents import DOCUMENTS, LIGHT
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.world import World
from kit import CUSTOMER, EVENT_ROOM, ROOM

#: The removal of the configuration of a channel, and that of a template.
CASCADES = (*channels.EXISTING.cascades, *templates.MACHINE.cascades)
ROWS = [each for each in CASCADES if each.fires is documents.REMOVE]
REMOVED = SimpleNamespace(client="c", id="a")


@pytest.fixture
def change():
    """A change of a world with documents of two levels."""
    change = World().change(0)
    for level, theme, language in [("a", LIGHT, None), ("a", "dark", "de"), ("b", LIGHT, None)]:
        documents.update(change, "c", level, {"x": 1}, theme, language)
    return change


@pytest.mark.parametrize("firing", ROWS)
def test_all_documents_of_what_is_removed_go(change, firing):
    """Those of every theme and language; other levels stay."""
    firing.take(change, REMOVED)
    assert [document.level for document in DOCUMENTS.of(change, "c").all] == ["b"]


@pytest.mark.parametrize("firing", ROWS)
def test_what_went_with_another_is_passed_over(change, firing):
    """Each record is looked up anew when its turn comes."""
    found = iter(firing.on(change, REMOVED))
    assert next(found).theme == LIGHT
    for document in DOCUMENTS.of(change, "c").all:
        documents.REMOVE(change, document)
    assert list(found) == []


@pytest.mark.rule("R365")
@pytest.mark.parametrize(("choice", "gone"), [("stay", {"Linus"}), ("go", {"Linus", "Guest Gwen"})])
def test_users_made_for_a_channel_go_with_it(choice, gone):
    """Linked users always, guests by choice (G309); registered users and those made for other channels stay."""
    change = Simulator(clock=0, profile={"channels.guests-after-deletion": choice}).service.change()
    for handle, channel in (("Linus", ROOM), ("Elsewhere", EVENT_ROOM)):
        users.create(change, CUSTOMER, handle, Account.LINKED, channel=channel)
    before = {user.handle for user in users.USERS.of(change, CUSTOMER).all}
    channels.delete(change, channels.get(change, CUSTOMER, ROOM))
    assert before - {user.handle for user in users.USERS.of(change, CUSTOMER).all} == gone
