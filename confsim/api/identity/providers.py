"""Authentication providers and profiles (P1 Authentication providers and profile)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import ProviderNames
from confsim.api.paths import MeOrUser
from confsim.assumptions import ask, identity as assumed
from confsim.contract import Link, OwnText, Present, Wire, gates
from confsim.domain.clients.clients import Client
from confsim.domain.identity import providers

operation = API.family(line="P1 Authentication providers")


class AvailableProvider(Wire):
    """A provider of the service; ``icon`` is the URL of its icon."""

    name: Annotated[str, "The name of the provider."]
    icon: Annotated[Link, "The URL of its icon."]


class Provider(Wire):
    """A provider as clients and users have it (G181)."""

    name: Annotated[str, "The name of the provider."]
    icon: Annotated[Link | None, "The URL of its icon.", Present(assumed.PROVIDER_FIELDS, always={"name and icon"})] = (
        None
    )


class ClientProviders(Wire):
    """The providers by which the users of a client may log in."""

    providers: Annotated[list[Provider], "The providers that users can log in by."]
    defaultProvider: Annotated[str | None, "The name of the one that is offered first."] = None


class AuthMethod(Wire):
    """How a user authenticates; without ``provider`` only where nobody is refused for having none (G211)."""

    provider: Annotated[
        Provider | None, "The provider that the user logs in by.", Present(assumed.NO_PROVIDER, always={"refuse"})
    ] = None


class AuthProfile(Wire):
    """Profile of the caller as the provider reported it last; texts are empty where it reported none."""

    name: Annotated[OwnText, "The name that the provider reported."]
    email: Annotated[OwnText, "The address that the provider reported."]
    imageUrl: Annotated[OwnText, "The image that the provider reported."]


def _provider_view(call: Call, name: str) -> Provider:
    if ask(call.change, assumed.PROVIDER_FIELDS) == "name":
        return Provider(name=name)
    return Provider(name=name, icon=providers.icon(call.change, name))


@operation("GET /providers/auth/available", gate=gates.SIGNED_IN.assumed("G029"), rules="R024 R072 R124", gaps="G182")
def list_auth_providers(call: Call) -> list[AvailableProvider]:
    """List every authentication provider of the service.

    A bare array in the order of the service.
    """
    return [
        AvailableProvider(name=name, icon=providers.icon(call.change, name))
        for name in ask(call.change, assumed.AVAILABLE_PROVIDERS)
    ]


@operation(
    "GET /users/{userId}/auth",
    gate=gates.SELF_OR_ADMIN.assumed("G032"),
    rules="R032 R074 R125",
    gaps="G031 G158 G181 G211",
    for_client=True,
    depends_on_outside="it answers how a user logs in, which happens outside the API",
)
def get_user_auth_method(call: Call, user: MeOrUser) -> AuthMethod:
    """Get the authentication method of a user.

    For users of custom authentication the provider is their validator. Refusal AUTH_METHOD_NOT_FOUND for guests and
    predefined users.
    """
    identity = providers.find_identity(call.change, user)
    return AuthMethod(provider=None if identity is None else _provider_view(call, identity.provider))


@operation(
    "GET /clients/{clientId}/providers/auth",
    gate=gates.PUBLIC,
    rules="R063 R073 R126 R127 R128 R242 R562",
    gaps="G181 G183 G198",
)
def list_client_auth_providers(call: Call, client: Client) -> ClientProviders:
    """List the OAuth providers by which the users of a client may log in; no token needed."""
    return ClientProviders(
        providers=[_provider_view(call, name) for name in providers.enabled(call.change, client)],
        defaultProvider=providers.default(call.change, client),
    )


@operation("POST /providers/auth", gate=gates.ADMIN.assumed("G187"), rules="R128 R129 R130", gaps="G184 G185 G188")
def set_auth_providers(call: Call, body: ProviderNames) -> None:
    """Set the authentication providers in all channels of the client.

    The body is a bare array of names. Refusal PROVIDER_UNKNOWN, and then nothing changes.
    """
    providers.choose(call.change, call.client, body)


@operation(
    "GET /auth/profile",
    gate=gates.SIGNED_IN.assumed("G031"),
    rules="R075 R131",
    gaps="G031",
    depends_on_outside="it answers what an identity provider reported",
)
def get_auth_profile(call: Call) -> AuthProfile:
    """Get the profile that the provider reported of the caller; what the service shows may differ.

    Refusal AUTH_METHOD_NOT_FOUND for guests, predefined users and API tokens.
    """
    identity = providers.find_identity(call.change, call.maybe_user)
    if identity is None:
        return AuthProfile(name="", email="", imageUrl="")
    return AuthProfile(name=identity.name, email=identity.email, imageUrl=identity.picture)
