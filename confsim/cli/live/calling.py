"""The command that calls an operation in a world of a running server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING

import click

from confsim.cli.command import confsim, option
from confsim.cli.options import base_url, caller
from confsim.cli.printing import printable
from confsim.kernel.refusal import Misuse

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from confsim.service.messages import Response

    from .at_server import Remote

_JSON = "application/json"
_ID = "X-Confsim-Request-Id"


def _names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of operations for shell completion."""
    from click.shell_completion import CompletionItem

    from confsim.api.catalogue import API
    from confsim.control.catalogue import CONTROL

    return [CompletionItem(name) for name in (*API.operations, *CONTROL.operations) if name.startswith(incomplete)]


@confsim.command(example="confsim call create_channel --as owner name=Board")
@click.argument("operation", shell_complete=_names)
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@base_url()
@caller()
@option("--content-type", metavar="TYPE", help="Media type of a body that is not JSON.")
@click.option("-i", "--include", is_flag=True, help="Print also the status and the headers of the answer.")
def call(
    operation: str,
    arguments: tuple[str, ...],
    base_url: str,
    caller: str | None,
    content_type: str | None,
    include: bool,
) -> None:
    """Call an operation of the API or of the control plane, and print the answer.

    NAME is a parameter of the path or the query, or a field of the body, whose type follows from the schema; a value
    that is not a text is JSON. The argument - reads the whole body from standard input. `confsim operations WORD`
    finds operations, `confsim explain OPERATION` describes one. Exit 0 for a status of 2xx and 3xx, 1 for others.
    """
    from confsim.control.catalogue import CONTROL
    from confsim.transport.address import address

    from .arguments import sorted_arguments
    from .at_server import world_at

    with world_at(base_url) as remote:
        declared = remote.operation(operation)
        if caller is not None and declared.catalogue is CONTROL:
            raise Misuse(f"--as: {operation} belongs to the control plane, which has no callers; leave it out")
        parameters, body = sorted_arguments(declared, arguments)
        kind = content_type or (_JSON if declared.body is None or declared.body.is_json else "application/octet-stream")
        token = remote.token(caller)
        request = address(
            declared,
            parameters,
            remote.profile_of(declared),
            body=body,
            content_type=None if body is None else kind,
            token=token,
        )
        response = remote.send(request)
        _print(response, include)
        if response.status >= 400:
            for line in _why(remote, response, caller if token == caller else None):
                click.echo(line, err=True)
            sys.exit(1)


def _print(response: Response, include: bool) -> None:
    """Print an answer: JSON indented, other texts as they are, anything else as bytes."""
    import msgspec

    if include:
        click.echo(f"{response.status} {_phrase(response.status)}")
        for name, line in response.headers:
            click.echo(printable(f"{name}: {line}"))
        click.echo()
    if not response.body:
        return
    try:
        text = msgspec.json.format(response.body, indent=2).decode()
    except (msgspec.MsgspecError, UnicodeDecodeError):
        sys.stdout.flush()
        sys.stdout.buffer.write(response.body)
        sys.stdout.flush()
    else:
        click.echo(text)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in {each.value for each in HTTPStatus} else ""


def _why(remote: Remote, response: Response, token: str | None) -> Iterator[str]:
    """Yield the lines that say why a call was refused; ``token`` is a text that was sent as one."""
    from confsim.control.why.operation import explain_request

    yield f"{response.status} {_phrase(response.status)}".strip()
    if response.status == HTTPStatus.UNAUTHORIZED:
        about = "--as names the caller: a role, a token, or the id of a user" if token is None else ""
        yield from filter(None, (about or remote.about_token(token or ""),))
    id = next((line for name, line in response.headers if name == _ID), None)
    if id is not None:
        try:
            text = remote.control(explain_request, id=id).text
        except Misuse:  # the journal has dropped it, or another client has reset the world
            return
        if text:
            yield printable(f"why: {text}")
