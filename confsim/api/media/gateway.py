"""The gateway: endpoints at which users send media in (P2 Endpoints, Gateway)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import GatewayKindName, Secret, SourceId
from confsim.api.paths import MeOrUser
from confsim.assumptions import ask, media as assumed
from confsim.contract import Int, OwnText, Wire, gates
from confsim.domain.media import gateway

operation = API.family(gate=gates.SELF_OR_ADMIN.assumed("G516"), line="P2 Gateway")


class GatewayKind(Wire):
    """The protocol of an endpoint: RTMP or SRT."""

    kind: Annotated[GatewayKindName, "The protocol of the endpoint."]


class GatewayCredentials(Wire):
    """The credentials of a sender: the password is the stream key or the passphrase."""

    username: Annotated[OwnText, "The user name that a sender presents."]
    password: Annotated[Secret, "The stream key or the passphrase."]


class GatewayEndpoint(Wire):
    """A gateway endpoint (P2 Gateway endpoint)."""

    uuid: Annotated[SourceId, "The id of the endpoint."]
    host: Annotated[str, "The host to send to."]
    port: Annotated[Int, "The port to send to."]
    kind: Annotated[str, "The protocol of the endpoint."]
    credentials: Annotated[GatewayCredentials | None, "The credentials of a sender."] = None


def _endpoint_view(endpoint: gateway.GatewayEndpoint, *, secret: bool) -> GatewayEndpoint:
    credentials = None
    if secret and endpoint.username is not None and endpoint.password is not None:
        credentials = GatewayCredentials(username=endpoint.username, password=endpoint.password)
    return GatewayEndpoint(
        uuid=endpoint.uuid, host=endpoint.host, port=endpoint.port, kind=endpoint.kind, credentials=credentials
    )


@operation("POST /users/{userId}/source", rules="R332 R333 R520 R522", gaps="G514 G517", identifies={"uuid": "sources"})
def create_gateway_endpoint(call: Call, user: MeOrUser, body: GatewayKind) -> GatewayEndpoint:
    """Create an endpoint of a user, with credentials.

    400 for an unknown kind.
    """
    return _endpoint_view(gateway.create(call.change, user, body.kind), secret=True)


@operation("GET /users/{userId}/source/{uuid}", rules="R332 R521", gaps="G515")
def get_gateway_endpoint(call: Call, user: MeOrUser, endpoint: gateway.GatewayEndpoint) -> GatewayEndpoint:
    """Get an endpoint of a user.

    404 when it is another user's.
    """
    secret = ask(call.change, assumed.GATEWAY_CREDENTIALS_SHOWN) == "always"
    return _endpoint_view(endpoint, secret=secret)
