"""A world of a running server, as commands use it: its control plane, and the tokens of its people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from confsim.api.catalogue import API
from confsim.cli.printing import plain
from confsim.control.catalogue import CONTROL
from confsim.control.declare import PREFIX
from confsim.control.operations.info import ServerInfo
from confsim.control.scenarios import mount_url
from confsim.kernel.refusal import Misuse, suggest, suggest_near
from confsim.service.messages import Request, Response
from confsim.transport.address import OperationRequest, address
from confsim.transport.remote import UNREACHABLE, RemoteTransport
from confsim.transport.results import answer_of, result_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from confsim.contract.operation import Operation

Result = TypeVar("Result")
_JSON = "application/json"


class Remote:
    """A world of a server. Raises Misuse when there is none at the URL, and for what it refuses."""

    def __init__(self, url: str, timeout: float = 30) -> None:
        self.root = mount_url(url, {}).partition(PREFIX)[0].rstrip("/")
        try:
            self._transport = RemoteTransport(self.root, timeout)
        except Misuse as misuse:
            raise Misuse(f"--base-url: {misuse}") from None

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    @cached_property
    def info(self) -> ServerInfo:
        """The world and the tokens in it. Raises Misuse when no world of confsim is at the URL."""
        response = self._exchange(lambda: self._transport.exchange(Request("GET", f"{PREFIX}/info")))
        try:
            found: ServerInfo = result_of(CONTROL["get_info"], response)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise Misuse(self._nothing_there(response)) from None
        except Misuse as misuse:
            raise Misuse(f"--base-url {self.root}: {misuse}") from None
        return found

    def control(self, function: Callable[..., Result], /, body: Any = None, **arguments: object) -> Result:
        """Call the operation of the control plane that a function declares, and return its result."""
        assert self.info is not None
        operation = CONTROL[function.__name__]
        request = address(operation, arguments, {}, body=body, content_type=None if body is None else _JSON)
        found: Result = result_of(operation, self.send(request))
        return found

    def perform(self, name: str, token: str | None, body: Any = None, **parameters: object) -> Any:
        """Call an operation of the API and return the JSON value that it answers. Raises Misuse if it is refused."""
        call = address(
            API[name],
            parameters,
            self.info.profile,
            body=body,
            content_type=None if body is None else _JSON,
            token=token,
        )
        answer = answer_of(name, self.send(call))
        if answer.status >= 400:
            told = answer.body if isinstance(answer.body, dict) else {}
            text = told.get("message") or plain(answer.body)
            raise Misuse(f"{name}: {answer.status} {text}", answer.status, code=told.get("code"))
        return answer.body

    def send(self, call: OperationRequest) -> Response:
        """Send a request of an operation, whatever its answer."""
        return self._exchange(lambda: self._transport.send(call))

    def operation(self, name: str) -> Operation:
        """Return the operation of this name, of the API or of the control plane."""
        found = API.find(name) or CONTROL.find(name)
        if found is None:
            meant = suggest_near(name, [*API.operations, *CONTROL.operations])
            word = name.partition("_")[2] or name
            raise Misuse(f"no operation {name!r}{meant}; `confsim operations {word}` searches for others")
        return found

    def profile_of(self, operation: Operation) -> Mapping[str, Any]:
        """Return the profile that determines the route of an operation in this world. Misuse if there is no world."""
        profile = self.info.profile
        return profile if operation.catalogue is API else {}

    def token(self, who: str | None) -> str | None:
        """Return the token of a role, of a user by id, or this text as a token. A user gets a new token if needed."""
        if who is None:
            return None
        tokens = self.info.tokens
        if who in tokens:
            return who
        of_role = (token for token, holder in tokens.items() if who == holder.role)
        of_user = (token for token, holder in tokens.items() if who == str(holder.userId))
        found = next(of_role, None) or next(of_user, None)
        if found is None and who.isdecimal():
            from confsim.control.operations.people.accounts import issue_token

            return self.control(issue_token, {"userId": int(who)}).token
        return found or who

    def about_token(self, who: str) -> str:
        """Return what may be wrong with a token that was refused."""
        known = dict.fromkeys([*(holder.role for holder in self.info.tokens.values()), *self.info.tokens])
        if who in known or who.isdecimal():
            return ""
        return f"--as: {who!r} is not a role or a known token{suggest(who, known)}"

    def _exchange(self, send: Callable[[], Response]) -> Response:
        try:
            return send()
        except Misuse as misuse:
            more = ""
            if "CERTIFICATE_VERIFY_FAILED" in str(misuse):
                more = "; SSL_CERT_FILE=FILE trusts a certificate, such as that which `confsim serve --tls` prints"
            elif misuse.facts.get("code") == UNREACHABLE:
                more = "; start it (confsim serve), or name another (--base-url or CONFSIM_URL)"
            raise Misuse(f"{misuse}{more}", misuse.status) from None
        except ConnectionResetError:
            raise Misuse(f"{self.root} dropped the connection, as a fault makes it do") from None

    def _nothing_there(self, response: Response) -> str:
        """Return the message for an answer that no world of confsim gives."""
        status = f"{response.status} {HTTPStatus(response.status).phrase}" if response.status in _STATUSES else ""
        text = f"no world of confsim is at {self.root}: {PREFIX}/info answers {status or response.status}"
        parts = urlsplit(self.root)
        server = f"{parts.scheme}://{parts.netloc}"
        if server != self.root and _is_confsim(server):
            return f"{text}; a server is at {server}: give that, {server}/w/NAME or {server}/v1_0"
        return f"{text}; --base-url takes the URL that `confsim serve` prints"


_STATUSES = frozenset(status.value for status in HTTPStatus)


def _is_confsim(root: str) -> bool:
    transport = RemoteTransport(root)
    try:
        return transport.exchange(Request("GET", f"{PREFIX}/health")).body == b'{"status":"ok"}'
    except Misuse:
        return False
    finally:
        transport.close()


@contextmanager
def world_at(url: str) -> Iterator[Remote]:
    """Use a world of a server in the block."""
    remote = Remote(url)
    try:
        yield remote
    finally:
        remote.close()


def value_of(text: str) -> Any:
    """Return the JSON value in a text, or the text itself."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return text


def instant(milliseconds: int) -> str:
    """Return an instant (epoch milliseconds) as ISO 8601, in UTC."""
    found = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")
