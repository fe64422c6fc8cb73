"""Gateway endpoints: addresses to which users send media, each with credentials."""

from confsim.assumptions import Reason, ask, media as assumed, not_found
from confsim.domain.conventions import fresh_id
from confsim.domain.users.users import User
from confsim.kernel import Change, Collection, Index, Record, Refusal, SecretForm, Table


class GatewayEndpoint(Record, kw_only=True):
    """One endpoint of a user. ``username`` and ``password`` are None for kinds without credentials."""

    uuid: str
    client: str
    user: int
    kind: str
    host: str
    port: int
    username: str | None = None
    password: str | None = None


BY_KIND: Index[GatewayEndpoint] = Index("user and kind", "user", "kind")
ENDPOINTS: Table[str, GatewayEndpoint] = Table(
    "gateway endpoints", GatewayEndpoint, "uuid", BY_KIND, secrets={"password": SecretForm.TEXT}
)


CREATED: Collection[GatewayEndpoint] = Collection(
    "gateway endpoint",
    "An endpoint at which a user sends media in; no call removes it (R332, R333, R520-R522).",
    ENDPOINTS,
    refused=Reason.NOT_FOUND,
)
_CREATE = CREATED.added("create", source="P2 L338, R520, G516")


def create(change: Change, user: User, kind: str) -> GatewayEndpoint:
    """Create an endpoint of the user with its own credentials; no server listens at its address.

    Return the existing one where a user has one of each kind (G516). Refusal INVALID_INPUT for an unknown kind (G514).
    """
    literal = _literal(change, kind)
    same = ENDPOINTS.where(change, BY_KIND, (user.id, literal), user.client).first
    if not ask(change, assumed.GATEWAY_SEVERAL) and same is not None:
        return same
    secret = literal in ask(change, assumed.GATEWAY_CREDENTIALS)
    draft = GatewayEndpoint(
        uuid=fresh_id(change),
        client=user.client,
        user=user.id,
        kind=literal,
        host=ask(change, assumed.GATEWAY_HOST),
        port=ask(change, assumed.GATEWAY_KINDS)[literal],
        username=f"user-{change.digits(8)}" if secret else None,
        password=change.token() if secret else None,
    )
    return _CREATE(change, draft)


def _literal(change: Change, kind: str) -> str:
    kinds = ask(change, assumed.GATEWAY_KINDS)
    if kind in kinds:
        return kind
    if ask(change, assumed.GATEWAY_KIND_CASE) == "ignore":
        for literal in kinds:
            if literal.casefold() == kind.casefold():
                return literal
    raise Refusal(Reason.INVALID_INPUT, where="body kind", problem=f"{kind[:40]!r} is none of {', '.join(kinds)}")


def get(change: Change, user: User, uuid: str) -> GatewayEndpoint:
    """The endpoint of the user. Refusal NOT_FOUND, also for an endpoint of another user."""
    endpoint = ENDPOINTS.get(change, uuid, user.client)
    return endpoint if endpoint and endpoint.user == user.id else not_found("gateway endpoint", uuid)
