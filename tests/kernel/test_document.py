"""A world as a document and back, and what is said of a document that is none."""

from __future__ import annotations

import json

import msgspec
import pytest
from msgspec.structs import replace

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.mail import MAILS, Mail
from confsim.domain.properties import PROPERTIES, Property
from confsim.domain.users.handles import RESERVATIONS, Reservation
from confsim.kernel.document import decoded, decoded_parts, restored
from confsim.kernel.refusal import Misuse, Refusal, suggest
from confsim.kernel.world import World


def exported():
    """The document of a world with a client, a mail, two properties, timers and counters, as plain values."""
    change = World(seed=3).change(7)
    CLIENTS.of(change).put(replace(clients.create(change, "C", None), id="c"))
    CLIENTS.of(change).remove(next(each.id for each in CLIENTS.of(change).all if each.id != "c"))
    MAILS.of(change).put(Mail(id=1, client="c", at=0, to="a@example.com", subject="s", text="", kind="k"))
    for key in ("b", "a"):
        PROPERTIES.of(change, "c").put(Property("user 1", key, "1", "c"))
    for token, due in (("x", 9), ("y", 8)):
        RESERVATIONS.of(change, "c").put(Reservation(token, "c", "h", "h", "user 1", due))
    change.uuid()
    change.count("things")
    return change.commit(), json.loads(b"".join(change.commit().encoded()))


def test_a_world_comes_back():
    """By either way: records in order, timers in theirs, counters."""
    world, document = exported()
    found = [
        restored(document),
        decoded(msgspec.json.encode({**document, "version": 5}), 5),
        decoded_parts(world.parts(5), 5),
    ]
    assert not any(client for name, client, _ in world.parts(5) if not name)
    for each in found:
        assert each.digest() == world.digest()
        assert (each.seed, each.id_counter, dict(each.sequences)) == (3, 2, {"things": 1})
        assert [(timer.due, timer.subject) for timer in each.timers] == [(8, "y"), (9, "x")]
        assert [record.key for record in PROPERTIES.seen(each, "c").all] == ["b", "a"]


def table(document, name):
    """The tables of one name, changed in place."""
    return document["tables"][name]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda d: d.update(moons=1), "state: Object contains unknown field `moons`"),
        (lambda d: d.update(minted=-1), "state: Expected `int` >= 0 - at `$.minted`"),
        (lambda d: d["tables"].update(planets={"": []}), "state: tables.planets is no table; there are "),
        (lambda d: table(d, "properties").update(x=[]),
         "state: tables.properties.'x' belongs to no client of the state"),
        (lambda d: table(d, "properties").update({"": []}),
         "state: tables.properties.'' belongs to no client of the state"),
        (lambda d: table(d, "mail").update(c=[]), "state: tables.mail.'c' belongs to no client of the state"),
        (lambda d: table(d, "properties")["c"][1].update(client="x"),
         "state: tables.properties.c[1].client is not the client it stands under"),
        (lambda d: table(d, "mail")[""][0].update(client="x"),
         "state: tables.mail.[0].client is not the client it stands under"),
        (lambda d: table(d, "properties")["c"][1].update(key="b"),
         "state: tables.properties.c[1] has the key of an earlier record"),
        (lambda d: table(d, "properties")["c"][1].update(zone=1),
         "state: tables.properties.c[1].zone is no field of a record of properties"),
        (lambda d: table(d, "properties")["c"][0].update(key=1),
         "state: tables.properties.c[0]: Expected `str`, got `int` - at `$.key`"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(spoil, said):
    """Names, clients, keys and fields that this confsim does not know are refused."""
    _, document = exported()
    spoil(document)
    with pytest.raises(Misuse) as caught:
        restored(document)
    assert str(caught.value).startswith(said)


def test_a_document_of_another_format_is_not_decoded():
    """The error has its number; an unknown client is named too."""
    world, document = exported()
    with pytest.raises(Misuse, match="the document is of version 4"):
        decoded(msgspec.json.encode({**document, "version": 4}), 5)
    with pytest.raises(Misuse, match="the document is of version 4"):
        decoded_parts(world.parts(4), 5)
    table(document, "properties")["x"] = []
    with pytest.raises(Misuse, match="'x' belongs to no client"):
        decoded(msgspec.json.encode({**document, "version": 5}), 5)
    empty = decoded(msgspec.json.encode({**document, "tables": {}, "timers": [], "version": 5}), 5)
    assert empty.id_counter == 2


@pytest.mark.parametrize(
    ("given", "known", "said"),
    [
        ("gren", ["red", "green"], "; did you mean 'green'?"),
        ("zzz", ["red", "green"], "; there are red, green"),
        ("zzz", [], ""),
        ("zzz", ["a" * 199, "b" * 199], f"; there are {'a' * 199}, {'b' * 199}"),
        ("zzz", ["a" * 200, "b" * 199], ""),
        (5, ["6", "55"], "; did you mean '55'?"),
    ],
)
def test_what_was_meant_instead_of_an_unknown_name(given, known, said):
    """The nearest name, or all of them while they are short."""
    assert suggest(given, known) == said


def test_a_misuse_has_a_status_and_facts():
    """400 unless it says otherwise."""
    plain, other = Misuse("No."), Misuse("No.", 409, name="x")
    assert (str(plain), plain.status, plain.facts) == ("No.", 400, {})
    assert (other.status, other.facts) == (409, {"name": "x"})
    assert str(Refusal(Reason.NOT_FOUND, what="user", id=1)) == "not_found(what='user', id=1)"
