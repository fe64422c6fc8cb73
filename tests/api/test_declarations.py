"""What the operations declare of the things that they name and make known."""

from __future__ import annotations

from confsim.api.catalogue import API


def named_kinds():
    """The kinds of things that parameters and bodies of the API name."""
    kinds = set()
    for operation in API:
        for parameter in (*operation.path_parameters, *operation.query_parameters):
            kinds.add(parameter.names)
        kinds |= set(operation.body.names.values()) if operation.body is not None else set()
    return kinds - {None}


def test_what_an_answer_identifies_can_be_named():
    """A kind of thing that an answer makes known is one that some call takes; tokens are presented by callers."""
    identified = {kind for operation in API for kind in operation.identifies.values()}
    assert identified - {"tokens"} == identified & named_kinds()
    assert {"channels", "users", "clients"} <= identified


def test_ids_on_the_wire_are_as_before_they_were_marked():
    """The mark is no part of the type that a text is read as."""
    assert [each.wire for each in API["delete_api_token"].path_parameters] == [str]
    assert API["delete_api_token"].path_parameters[0].names == "api_tokens"
    assert API["get_users"].path_parameters[0].wire == list[int]
    assert API["dial_registered_user"].body.names == {"sipUserId": "users"}
    assert {each.name: each.names for each in API["list_app_sessions"].query_parameters if each.names} == {
        "user": "users",
        "channelSession": "sessions",
        "channel": "channels",
    }


def test_ids_of_things_are_declared_to_be_so():
    """A parameter in a path whose name ends in id, uuid or session names a thing."""
    plain = {
        parameter.name
        for operation in API
        for parameter in operation.path_parameters
        if parameter.names is None and parameter.name.lower().endswith(("id", "ids", "session"))
    }
    assert plain == {"originId"}  # an id of another system
