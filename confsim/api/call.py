"""The call of an operation: its caller, client and instant, and the change that it may write."""

from collections.abc import Mapping

from msgspec import Struct

from confsim.assumptions import Reason, ask
from confsim.assumptions.protocol import transport
from confsim.contract import Catalogue, Form, Operation
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.identity.credentials import Caller
from confsim.domain.users.users import User
from confsim.kernel import Change, Refusal
from confsim.values.forwarded import start_of_urls

#: The host in URLs of responses to a call without a Host, as in process.
HOST = "confsim.test"


class Address(Struct, frozen=True):
    """The place of a world on its server.

    ``mount`` is the path of the world, empty at the root. ``host`` is the host and port by which callers in this
    process reach the server. ``public_url``, if set, is the start of every URL in responses; with ``trusts_proxy`` the
    headers X-Forwarded-* of a request say so first. ``origins`` are those of web pages that the server lets call,
    whatever the clients allow; "*" stands for all.
    """

    mount: str = ""
    host: str = HOST
    public_url: str = ""
    origins: frozenset[str] = frozenset()
    trusts_proxy: bool = False

    def start(self, headers: Mapping[str, str], scheme: str) -> str:
        """Return the start of URLs in the answer to a request, "" if it is the Host header of the request."""
        return (self.trusts_proxy and start_of_urls(headers, scheme)) or self.public_url


#: The address of a world without a server.
NOWHERE = Address()


#: The catalogue in which families declare their operations, complete and in order once ``api.catalogue`` is imported.
API = Catalogue("Conferencing Service API", prefix=transport.PREFIX)


class Call(Struct, eq=False, gc=False):
    """What an operation is called with before its arguments. Its change is the context of assumptions.

    ``caller`` is None on a public call. ``channel`` and ``subject`` are the channel and the user on which gates depend;
    the resolvers of ``api.paths`` set them. ``address`` is that of the world, ``headers`` are those of the request, by
    names in lower case. ``content_type`` is that of a body of bytes, ``form`` the form in it, if any. ``known_client``
    is ``client`` once that is known.
    """

    operation: Operation
    change: Change
    address: Address
    headers: Mapping[str, str]
    known_client: Client | None = None
    caller: Caller | None = None
    channel: Channel | None = None
    subject: User | None = None
    content_type: str | None = None
    form: Form | None = None
    _root: str = ""

    @property
    def client(self) -> Client:
        """The client in whose context the call runs: the caller's own, or a child named by for_client.

        Raises Refusal CREDENTIAL_MISSING on a public call whose path names no client.
        """
        if self.known_client is None:
            raise Refusal(Reason.CREDENTIAL_MISSING)
        return self.known_client

    @client.setter
    def client(self, client: Client) -> None:
        self.known_client = client

    def root(self) -> str:
        """Return the URL of the mount, without a slash at its end, for URLs in answers."""
        if not self._root:
            scheme, address = ask(self.change, transport.SCHEME), self.address
            server = address.start(self.headers, scheme) or f"{scheme}://{self.headers.get('host', HOST)}"
            self._root = server + address.mount
        return self._root

    def require_caller(self) -> Caller:
        """Return the caller. Raises Refusal CREDENTIAL_MISSING when a profile makes the operation public."""
        if self.caller is None:
            raise Refusal(Reason.CREDENTIAL_MISSING)
        return self.caller

    @property
    def user(self) -> User:
        """The calling user. Raises Refusal NO_USER_CONTEXT for an API token (G159)."""
        user = self.require_caller().user
        if user is None:
            raise Refusal(Reason.NO_USER_CONTEXT)
        return user

    @property
    def maybe_user(self) -> User | None:
        """The calling user, or None for an API token and on a public call."""
        return self.caller.user if self.caller is not None else None
