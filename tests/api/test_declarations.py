"""What the operations declare of the things that they name and make known."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args, get_origin

import msgspec

from confsim.api.catalogue import API
from confsim.contract.annotations import fields_of, named, peeled, struct_of, without_none
from kit.each import by_name, each

LISTED = tomllib.loads((Path(__file__).parents[1] / "data" / "declarations.toml").read_text())


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
    assert peeled(API["get_users"].path_parameters[0].wire)[0] == list[int]
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


#: Fields that are named for ids and name no thing of the service: the number of a level, ids of other systems, and that
#: of which the operation says what it identifies.
NO_NAMES = {"AccessLevel.id", "Id.id", "OriginId.originId", "Validator.id"}


def fields_in(type_, seen):
    """The fields of the types of an answer, each with its type's name before it, and whether it names a thing."""
    struct = struct_of(get_origin(type_) or type_)
    for field in () if struct is None else fields_of(struct):
        place = f"{struct.__name__}.{field.encode_name}"
        if place not in seen:
            seen[place] = named(without_none(field.type))[1] is not None
            fields_in(field.type, seen)
    for part in get_args(type_):
        fields_in(part, seen)
    return seen


def test_ids_in_answers_are_declared_to_name_things():
    """A field of an answer whose name ends in id or uuid names a thing, so that two services are compared by it."""
    fields = {}
    for operation in API:
        fields_in(operation.result, fields)
    plain = {place for place, names in fields.items() if not names and re.search(r"(\.id|\.uuid|Id|Uuid)$", place)}
    assert len(fields) > 200
    assert plain == NO_NAMES


def reported(operation):
    """What a declaration says to clients, on a few lines."""
    flags = ("for_client", "runtime", "revokes_access", "waits", "expires", "rings", "about_caller", "shows_identity",
             "of_whole_client")  # fmt: skip
    words = [word for word in flags if getattr(operation, word)]
    texts = ("removes", "makes_caller", "depends_on_outside", "disturbs_others")
    words += [f"{word}: {text}" for word in texts if (text := getattr(operation, word))]
    words += [] if operation.replayed else ["not replayed"]
    words += [] if not operation.beside else ["beside others"]
    words += [f"variant of {operation.variant_of}"] if operation.variant_of else []
    words += [
        f"{word} by {entry.id}" for word in ("container", "upload", "slash") if (entry := getattr(operation, word))
    ]
    lines = {
        "gate": f"{operation.gate}{' (assumed)' if operation.gate_entry else ''}",
        "is": ", ".join(words),
        "path": ", ".join(f"{each.name} of {each.names or 'none'}" for each in operation.path_parameters),
        "query": ", ".join(asked(each) for each in operation.query_parameters),
        "body": body_of(operation.body),
        "identifies": ", ".join(f"{field} of {kind}" for field, kind in operation.identifies.items()),
        "headers": ", ".join(operation.headers),
    }
    return {name: text for name, text in lines.items() if text}


def asked(parameter):
    """A query parameter: required with a star, or with its default."""
    default = "*" if parameter.required else "" if parameter.default is None else f"={parameter.default}"
    return f"{parameter.name}{default}{f' of {parameter.names}' if parameter.names else ''}"


def body_of(body):
    """The fields of a body, those that are required with a star."""
    if body is None:
        return ""
    struct = struct_of(body.type)
    if struct is None:
        return "JSON" if body.is_json else "bytes"
    fields = msgspec.structs.fields(struct)
    kinds = {name: f" of {kind}" for name, kind in body.names.items()}
    named = [(each.encode_name, "*" if each.required else "") for each in fields]
    return ", ".join(f"{name}{star}{kinds.get(name, '')}" for name, star in named) or "{}"


@each("operation", list(API), ids=by_name)
def test_a_declaration_is_the_one_that_was_written(operation):
    """Who may call, and with what: as the documents and the gaps have it, operation by operation."""
    assert reported(operation) == LISTED[operation.name]


def test_every_operation_is_listed():
    """And none that there is not."""
    assert list(LISTED) == sorted(API.operations)
