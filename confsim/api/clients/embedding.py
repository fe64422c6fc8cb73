"""Embedding: origins of the widget and domains of the OAuth redirect (P1 Endpoints, Friendly URLs and embedding)."""

from confsim.api.admission import require_service
from confsim.api.call import API, Call
from confsim.api.forms import Domain, Origin
from confsim.assumptions import note_shown
from confsim.contract import gates
from confsim.domain.clients import embedding
from confsim.domain.clients.clients import Client

operation = API.family(requires=require_service, line="P1 Friendly URLs and embedding")


@operation(
    "GET /clients/{clientId}/origins", gate=gates.SIGNED_IN.assumed("G030 G157"), rules="R024 R229", gaps="G157 G292"
)
def list_origins(call: Call, client: Client) -> list[str]:
    """List the allowed origins, needed only when the conferencing widget runs outside an iframe."""
    note_shown(call.change, client, "origins")
    return list(client.origins)


@operation(
    "POST /clients/{clientId}/origins",
    gate=gates.ADMIN.assumed("G030 G157"),
    rules="R018 R229 R231",
    gaps="G156 G157 G291",
)
def set_origins(call: Call, client: Client, body: list[Origin]) -> None:
    """Set the allowed origins, in place of the earlier ones; order is preserved, duplicates are removed."""
    embedding.set_origins(call.change, client, body)


@operation(
    "GET /clients/{clientId}/domains",
    gate=gates.SIGNED_IN.assumed("G030 G157"),
    rules="R024 R230 R558",
    gaps="G157 G292",
)
def list_domains(call: Call, client: Client) -> list[str]:
    """List the domains that are allowed as targets of the redirect after OAuth."""
    note_shown(call.change, client, "domains")
    return list(client.domains)


@operation(
    "POST /clients/{clientId}/domains",
    gate=gates.ADMIN.assumed("G030 G157"),
    rules="R018 R024 R230",
    gaps="G156 G157 G291",
)
def set_domains(call: Call, client: Client, body: list[Domain]) -> list[str]:
    """Set the domains of the redirect after OAuth, in place of the earlier ones, and return them."""
    return list(embedding.set_domains(call.change, client, body).domains)
