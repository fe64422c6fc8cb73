"""The register: entries, the one function that asks them, and profiles."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import CODE, STATUS, Reason
from confsim.assumptions.register import REGISTER, Assumption, ProfileContext, Register, ask, value_of
from confsim.kernel.refusal import Misuse
from kit.each import by_name, each


def asked(**profile: object) -> ProfileContext:
    """A profile, and the ids of the entries used."""
    return ProfileContext({id.replace("_", "."): value for id, value in profile.items()})


SIZE: Assumption[int] = Assumption("a.size", "G001", "A size.", 20, (10,))
WORD: Assumption[str] = Assumption("a.word", "G002", "A word.", "red", ("green",))


def _register() -> Register:
    register = Register()
    register.add(SIZE)
    register.add(WORD)
    return register


def test_ask_returns_the_choice_and_notes_its_use() -> None:
    """The profile wins over the default; the id is remembered once."""
    plain, chosen = asked(), asked(a_size=10)
    assert (ask(plain, SIZE), ask(chosen, SIZE), ask(chosen, SIZE)) == (20, 10, 10)
    assert list(chosen.used) == ["a.size"]


def test_value_of_notes_nothing() -> None:
    """Reading whether a choice matters is not a use of it."""
    context = asked(a_word="green")
    assert value_of(context, WORD) == "green"
    assert context.used == {}


def test_a_profile_may_be_nested_or_flat() -> None:
    """TOML tables and dotted ids say the same."""
    register = _register()
    assert register.profile({"a": {"size": 5, "word": "green"}}) == {"a.size": 5, "a.word": "green"}
    assert register.profile({"a.size": 5}) == {"a.size": 5}


def test_a_profile_that_is_wrong_is_reported_in_full() -> None:
    """Every unknown id and every bad value is named, with the nearest id."""
    with pytest.raises(Misuse) as caught:
        _register().profile({"a.sise": 1, "a.word": "blue", "a.size": -1})
    reported = str(caught.value)
    assert "'a.sise' names no assumption; did you mean 'a.size'?" in reported
    assert "'blue' is none of 'red', 'green'" in reported
    assert "-1 is no whole number" in reported


@pytest.mark.parametrize("value", ["20", True, 1.5, None])
def test_a_number_is_a_number(value: object) -> None:
    """Texts, booleans and fractions are no sizes."""
    with pytest.raises(Misuse):
        _register().profile({"a.size": value})


def test_an_id_is_taken_once() -> None:
    """Two entries of one id are an error of ours."""
    with pytest.raises(ValueError, match="twice"):
        _register().add(SIZE)


@each("id", ["status.role-missing", "status.created"])
@each("value", [0, 99, 100, 600, 1000, -1, True, "403", 403.0])
def test_a_status_is_one_that_can_be_sent(id: str, value: object) -> None:
    """What is no status of an answer would break the connection of the client."""
    with pytest.raises(Misuse, match="no status from 200 to 599"):
        REGISTER.profile({id: value})
    assert REGISTER.profile({id: 451}) == {id: 451}


@each("reason", Reason, ids=by_name)
def test_each_reason_has_a_status_and_a_code(reason: Reason) -> None:
    """A status is documented or an entry with gaps; a code is always an entry; a profile can set both."""
    refused, entry = reason.value, STATUS[reason]
    assert 400 <= refused.status <= 599
    assert bool(refused.source) is (entry is None)
    assert entry is None or entry.gaps
    assert REGISTER.profile({CODE[reason].id: "another"}) == {CODE[reason].id: "another"}
