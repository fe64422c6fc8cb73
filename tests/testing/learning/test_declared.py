"""What is derived from the declarations: a family that joins is in by its own words."""

from __future__ import annotations

from typing import Annotated

import pytest

from confsim.api.call import API, Call
from confsim.api.forms import ChannelId, ClientId, UserId
from confsim.assumptions.protocol import units
from confsim.contract import gates
from confsim.contract.operation import Catalogue
from confsim.contract.types import InUnit, Link, Long, Names, OwnText, Page, ShownOnce, StatedUnit, Wire
from confsim.domain.channels.channels import Channel
from confsim.testing.learning import declared
from confsim.testing.learning.calls import ModelCall, kinds_of
from confsim.testing.learning.comparing.comparison import Comparison, Reply
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.scope import MOST_STAYING, RunScope
from confsim.testing.learning.things import RunCaller, Thing, Things

WidgetId = Annotated[str, Names("widgets"), "The widget, by id."]


class NewWidget(Wire):
    """A widget to be made, beside others."""

    name: str
    near: WidgetId | None = None


class Made(Wire):
    """The id of what was made, whose kind the operation says."""

    id: str


class Widget(Wire):
    """A widget."""

    id: Annotated[WidgetId, "Its id."]
    name: Annotated[str, "Its name."]
    near: Annotated[list[WidgetId], "Those beside it."]
    keepers: Annotated[dict[UserId, int], "How often each was there."]
    icon: Annotated[Link | None, "Its picture."] = None
    note: Annotated[OwnText | None, "Anything."] = None
    key: Annotated[str | None, Names("widget_keys"), ShownOnce()] = None
    made: Annotated[Long, StatedUnit("epoch-s")] = 0
    ends: Annotated[Long | None, InUnit(units.SESSION)] = None


WIDGETS = Catalogue("widgets")


@WIDGETS.operation("POST /widgets", gate=gates.SIGNED_IN, identifies={"id": "widgets"})
def make_widget(call: Call, body: NewWidget) -> Made:
    """Make a widget."""
    raise NotImplementedError


@WIDGETS.operation("POST /channels/{uuid}/widgets", gate=gates.SIGNED_IN, identifies={"id": "widgets"})
def make_widget_of_channel(call: Call, uuid: Channel, body: NewWidget) -> Widget:
    """Make a widget in a channel."""
    raise NotImplementedError


@WIDGETS.operation("GET /widgets", gate=gates.SIGNED_IN)
def show_widgets(call: Call, *, of: ChannelId | None = None) -> Page[Widget]:
    """List widgets."""
    raise NotImplementedError


@WIDGETS.operation("DELETE /widgets/{id}", gate=gates.SIGNED_IN, removes="widgets")
def drop_widget(call: Call, id: WidgetId) -> None:
    """Remove a widget."""
    raise NotImplementedError


@WIDGETS.operation("POST /widgets/drop", gate=gates.SIGNED_IN, removes="widgets")
def drop_widgets(call: Call, body: list[WidgetId]) -> None:
    """Remove several widgets."""
    raise NotImplementedError


@WIDGETS.operation("POST /widgets/watch", gate=gates.SIGNED_IN, identifies={"id": "watches"}, of_whole_client=True)
def watch_widgets(call: Call) -> Made:
    """List all widgets of the client."""
    raise NotImplementedError


@WIDGETS.operation("POST /widgets/bell", gate=gates.SIGNED_IN, rings=True)
def ring_widget(call: Call) -> None:
    """Call whoever keeps the widgets."""
    raise NotImplementedError


@WIDGETS.operation("GET /widgets/oracle", gate=gates.SIGNED_IN, depends_on_outside="the oracle knows")
def ask_widget(call: Call) -> None:
    """Ask the oracle."""
    raise NotImplementedError


@WIDGETS.operation("POST /people", gate=gates.SIGNED_IN, identifies={"id": "users"})
def make_person(call: Call) -> Made:
    """Make a user who stays."""
    raise NotImplementedError


@WIDGETS.operation("POST /people/me/widget/{id}", gate=gates.SIGNED_IN)
def wear_widget(call: Call, id: WidgetId) -> None:
    """Change what the caller wears."""
    raise NotImplementedError


@pytest.fixture(autouse=True)
def joined(monkeypatch):
    """The family of widgets in the catalogue."""
    for operation in WIDGETS:
        monkeypatch.setitem(API.operations, operation.name, operation)
    yield
    kinds_of.cache_clear()


@pytest.fixture
def scope():
    """The scope of a run with one caller, which has made one widget."""
    things = Things("home")
    things.add_caller(RunCaller("mine", "owner", "home", 1))
    things.add(Thing("widgets", "w1", "home"))
    return RunScope(things, "tag")


def compared(operation, one, other):
    """The place in which two answers differ, None where they do not, and what was matched."""
    known = Correspondence()
    known.shift = 0
    known.pair("users", 1, 7)  # keys of objects are not matched, but what is known of them is put in
    replies = (Reply(200, "application/json", each) for each in (one, other))
    found = Comparison(Shapes({}), known).difference(API[operation], *replies)
    return None if found is None else found.place, known


def widget(**fields):
    """A widget as it stands in an answer."""
    return {"id": "a", "name": "n", "near": ["b"], "keepers": {}, "made": 1000, "key": "k", **fields}


def test_fields_of_an_answer_are_compared_as_their_types_say():
    """Ids and instants are matched, links and texts of the service's own only have to be there."""
    theirs = widget(id="x", near=["y"], keepers={"7": 2}, made=1001, key="q", icon="http://there/i", note="two")
    ours = widget(keepers={"1": 2}, icon="http://here/i", note="one", ends=5000)
    place, known = compared("make_widget_of_channel", ours, {**theirs, "ends": 5100})
    assert place is None
    assert (known.service("widgets", "a"), known.service("widgets", "b")) == ("x", "y")
    assert known.service("widget_keys", "k") == "q"
    assert compared("make_widget_of_channel", widget(), widget(name="m"))[0] == "/name"
    assert compared("make_widget_of_channel", widget(), widget(made=2000))[0] == "/made"
    assert compared("make_widget_of_channel", widget(icon="http://i"), widget(icon="no address"))[0] == "/icon"
    assert compared("make_widget_of_channel", widget(note="one"), widget())[0] == "/note"


def test_a_secret_that_is_shown_once_is_masked_in_reads():
    """Where it is only read, nothing of it is compared but that it is there."""
    page = [{"total": 2, "results": [widget(key=key), widget(id="c", key=key)]} for key in ("*", "**")]
    place, known = compared("show_widgets", *page)
    assert place is None
    assert not known.knows("widget_keys", "*")


def test_the_id_of_a_type_that_many_share_is_what_the_operation_identifies():
    """The field has no mark of its own."""
    place, known = compared("make_widget", {"id": "a"}, {"id": "x"})
    assert (place, known.service("widgets", "a")) == (None, "x")


def test_what_a_call_names_is_found_in_path_query_and_body():
    """And is renamed there."""
    body = {"name": "n", "near": "w1"}
    assert [*ModelCall("make_widget_of_channel", None, {"uuid": "c"}, body=body).names()] == [
        ("channels", "c"), ("widgets", "w1")
    ]  # fmt: skip
    assert [*ModelCall("show_widgets", None, query={"of": "c"}).names()] == [("channels", "c")]
    several = ModelCall("drop_widgets", None, body=["w1", "w2"])
    assert several.renamed(lambda kind, value: f"{kind} {value}").body == ["widgets w1", "widgets w2"]


def test_what_is_made_may_be_made_and_what_the_run_made_may_be_removed(scope):
    """But not in the things of others, nor what concerns everybody in the client."""
    allowed = {
        "make_widget": ModelCall("make_widget", "mine", body={"name": "n"}),
        "own": ModelCall("drop_widget", "mine", {"id": "w1"}),
        "others": ModelCall("drop_widget", "mine", {"id": "w2"}),
        "all own": ModelCall("drop_widgets", "mine", body=["w1"]),
        "some of others": ModelCall("drop_widgets", "mine", body=["w1", "w2"]),
        "in a channel of others": ModelCall("make_widget_of_channel", "mine", {"uuid": "c"}, body={"name": "n"}),
        "all": ModelCall("watch_widgets", "mine"),
        "phone": ModelCall("ring_widget", "mine"),
        "outside": ModelCall("ask_widget", "mine"),
    }
    assert {name for name, call in allowed.items() if scope.allows(call)} == {"make_widget", "own", "all own"}
    scope.allow_phone_calls = True
    assert scope.served("ring_widget")
    assert not scope.served("ask_widget")


def test_a_caller_of_the_accounts_is_not_changed(scope):
    """Only somebody whom the run made, even where what is named is the run's."""
    scope._things.add_caller(RunCaller("made", "guest", "home", 2, made=True))
    assert scope.allows(ModelCall("wear_widget", "made", {"id": "w1"}))
    assert not scope.allows(ModelCall("wear_widget", "mine", {"id": "w1"}))
    assert not scope.allows(ModelCall("wear_widget", None, {"id": "w1"}))


def test_users_who_stay_are_few(scope):
    """Nothing removes them."""
    assert scope.allows(ModelCall("make_person", "mine"))
    scope.staying = MOST_STAYING
    assert not scope.allows(ModelCall("make_person", "mine"))


def test_things_are_removed_by_the_operation_that_says_so(monkeypatch):
    """What nothing removes is said to be left behind; an operation that is not called says why."""
    assert declared.removals()["widgets"] == ("drop_widget", "id")
    assert "widgets" not in declared.lasting()
    assert {"watches", "users"} <= declared.lasting()
    assert declared.left_out()["ask_widget"] == "the oracle knows"
    assert "ring_widget" in declared.ringing()
    monkeypatch.delitem(API.operations, "drop_widget")
    monkeypatch.delitem(API.operations, "drop_widgets")
    assert "widgets" in declared.lasting()


def test_credentials_are_removed_last():
    """The other removals are made by those who hold them; what is in a channel goes with it, so channels come first."""
    order = [*declared.removals()]
    assert order[0] == "channels"
    assert order[-1] == "api_tokens"


def test_a_thing_in_a_thing_that_is_removed_does_not_stay():
    """A child client stays, a user who is linked to a channel does not."""
    assert declared.makes_lasting(API["create_client"]) == {"clients"}
    assert declared.makes_lasting(API["create_predefined_user"]) == {"users"}
    assert declared.makes_lasting(API["create_linked_user"]) == frozenset()
    assert ClientId.__metadata__[0] == Names("clients")
