"""API tokens of a client: administrative credentials for servers."""

from confsim.assumptions import Reason, ask, identity as assumed, not_found
from confsim.assumptions.protocol import durations
from confsim.domain.clients.clients import Client
from confsim.domain.conventions import fresh_id
from confsim.kernel import Change, Collection, Record, SecretForm, Table, replace

from . import credentials


class ApiToken(Record):
    """One API token. ``expires`` is in epoch milliseconds, None for never; no call sets it (G279)."""

    id: str
    client: str
    value: str
    label: str | None = None
    expires: int | None = None


API_TOKENS: Table[str, ApiToken] = Table("api tokens", ApiToken, "id", secrets={"value": SecretForm.TEXT})


TOKENS: Collection[ApiToken] = Collection(
    "API token", "One API token of a client (R117-R121).", API_TOKENS, refused=Reason.NOT_FOUND
)
CREATE = TOKENS.added("create", source="P1 States L182, R117")
#: Delete the token, which may be the last one or that of the call itself.
delete = TOKENS.removed("delete", source="P1 States L184, R119-R121")


@TOKENS.changed("regenerate", source="P1 States L183, R118")
def regenerate(change: Change, token: ApiToken) -> ApiToken:
    """Give the token a new value, which is shown once; the label is unchanged, the old value invalid (R118, G280)."""
    expires = token.expires if ask(change, assumed.REGENERATED_EXPIRY) == "kept" else _expiry(change)
    return replace(token, value=credentials.secret(change), expires=expires)


@TOKENS.changed("set expiry", source="G279")
def set_expiry(change: Change, token: ApiToken, expires: int) -> ApiToken:
    """Set the expiry of the token, in epoch milliseconds."""
    return replace(token, expires=expires)


def _expiry(change: Change) -> int | None:
    life = ask(change, durations.API_TOKEN)
    return change.now + life if life else None


def create(change: Change, client: Client, label: str | None) -> ApiToken:
    """A new API token with its value."""
    return CREATE(change, ApiToken(fresh_id(change), client.id, credentials.secret(change), label, _expiry(change)))


def add(change: Change, client: Client, value: str, label: str | None) -> ApiToken:
    """A new API token with a given value, which never expires, for a world file."""
    return CREATE(change, ApiToken(fresh_id(change), client.id, value, label))


def get(change: Change, client: Client, id: str) -> ApiToken:
    """The token of this id in the client. Refusal NOT_FOUND."""
    return API_TOKENS.get(change, id, client.id) or not_found("API token", id)


def masked(change: Change, value: str) -> str:
    """The masked value for lists: recognisable, but useless as a credential (R092, G278)."""
    form = ask(change, assumed.MASK)
    return {"last-4": "****" + value[-4:], "first-4": value[:4] + "****", "asterisks": "********"}[form]
