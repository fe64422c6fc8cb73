"""What the service starts with: two unrelated groups of clients, their people and what cannot be made by calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from services.conferencing.context import Service
from services.conferencing.store.models import (
    ApiToken,
    Channel,
    ChannelRole,
    Client,
    Credential,
    EventsEndpoint,
    LevelHeld,
    Media,
    Presence,
    RecordingAsset,
    Session,
    Template,
    User,
    Validator,
)

DAY = 86_400_000


@dataclass
class Seeded:
    """The accounts and items that the service starts with."""

    tokens: dict[str, str] = field(default_factory=dict)
    client: str = ""
    items: dict[str, Any] = field(default_factory=dict)


class Seeder:
    """Puts the first rows into the database."""

    def __init__(self, service: Service) -> None:
        self.service, self.style, self.db = service, service.style, service.db
        self.now = service.clock.now()
        self.result = Seeded()

    def key(self, form: str) -> str:
        """A new identifier."""
        return self.service.ids.make(form)

    def client(self, name: str, parent: Client | None = None) -> Client:
        """A client whose terms have been accepted by everybody."""
        slug = name.lower().replace(" ", "-")
        client = Client(
            self.key(self.style.ids.client), name, parent.id if parent else None, created=self.now - 90 * DAY
        )
        client.terms_url = f"https://{slug}.example/terms"
        client.terms_promulgated = client.created
        client.terms_required = self.style.auth.terms_required
        client.providers = list(self.style.users.available_providers[:2])
        for number in (1, 2, 3):
            self.db.validators.put(
                Validator(
                    self.key(self.style.ids.validator),
                    client.id,
                    f"Validator {number}",
                    f"secret-{number}",
                    number == 1,
                    client.created,
                )
            )
        return self.db.clients.put(client)

    def user(self, client: Client, role: str, handle: str, level: str | None = None) -> User:
        """A registered user with a token."""
        number = self.service.ids.number(self.style.ids.user, self.now)
        user = User(number, client.id, handle, "registered", full_name=f"{handle} Example", accepted_terms=1)
        user.email, user.email_verified = f"{handle.lower()}@example.com", True
        user.auth_kind, user.reputation = "Google", self.style.users.reputation
        user.created = self.now - 60 * DAY
        self.db.users.put(user)
        if level is not None:
            self.db.levels.put(LevelHeld(f"{user.id}:{level}", user.id, level))
        self.token(user, role, 365 * DAY)
        return user

    def token(self, user: User, role: str, life: int) -> None:
        """A token for a user, kept under the name of a role."""
        token = self.key(self.style.auth.user_token)
        self.db.credentials.put(Credential(token, user.id, self.now + life))
        self.result.tokens[role] = token
        self.result.items.setdefault("users", {})[role] = user.id

    def channel(self, client: Client, name: str, age: int, owner: User, operator: User | None = None) -> Channel:
        """A channel with an owner and perhaps an operator."""
        made = self.now - age
        ids = self.style.ids
        channel = Channel(
            self.key(ids.channel), client.id, name, None, name.lower().replace(" ", "-"), self.key(ids.meeting), made
        )
        for key, value in self.style.channels.defaults.items():
            setattr(channel, key, value)
        self.db.channels.put(channel)
        self.db.roles.put(ChannelRole(f"{channel.id}:{owner.id}", channel.id, owner.id, True, made))
        if operator is not None:
            self.db.roles.put(ChannelRole(f"{channel.id}:{operator.id}", channel.id, operator.id, False, made))
        return channel

    def template(self, client: Client, name: str, enabled: bool, inheritable: bool) -> Template:
        """A settings template."""
        return self.db.templates.put(
            Template(self.key("uuid"), client.id, name, enabled, inheritable, self.now - 50 * DAY)
        )

    def session(self, channel: Channel, age: int, people: list[User], recorded: bool) -> Session:
        """An hour that is over."""
        start = self.now - age
        name = self.style.channels.session_name.format(channel=channel.name, count=1)
        session = Session(
            self.key(self.style.ids.session), channel.id, channel.client_id, name, "conference", start, start
        )
        session.ended, session.had_recording = start + 3_600_000, recorded
        self.db.sessions.put(session)
        for i, user in enumerate(people):
            stay = Presence(
                self.service.ids.counter(), session.id, channel.id, user.id, start + i * 60_000, session.ended
            )
            self.db.presences.put(stay)
        if recorded:
            asset, recording = self.key(self.style.ids.asset), self.key(self.style.ids.asset)
            self.db.recording_assets.put(
                RecordingAsset(
                    asset,
                    session.id,
                    recording,
                    "MP4",
                    "video",
                    "Uploaded",
                    name,
                    start,
                    session.ended,
                    1_234_567,
                    None,
                )
            )
        return session

    def media(self, client: Client, name: str, tags: list[str], size: int) -> Media:
        """A file in a client's pool; all of them were put there at the same instant."""
        made = self.now - 40 * DAY
        key = self.key(self.style.ids.media)
        item = Media(key, client.id, None, name, size, None, tags, "image/png", False, made)
        return self.db.media.put(item)

    def endpoint(self, client: Client, name: str) -> str:
        """An events endpoint."""
        key = self.key(self.style.ids.endpoint)
        self.db.endpoints.put(EventsEndpoint(key, client.id, f"https://hooks.example/{name}", True))
        return key


def _people(s: Seeder, child: Client) -> tuple[Channel, Channel]:
    """The accounts of the child client and its two channels."""
    s.user(child, "customer-admin", "Carla", "customer-admin")
    owner, operator, plain = (
        s.user(child, r, h) for r, h in (("owner", "Olga"), ("operator", "Oscar"), ("user", "Uma"))
    )
    channel = s.channel(child, "Main hall", 30 * DAY, owner, operator)
    quiet = s.channel(child, "Side room", 20 * DAY, owner)
    guest = User(s.service.ids.number(s.style.ids.user, s.now), child.id, "Gustav", "guest", channel_id=channel.id)
    guest.accepted_terms, guest.created, guest.reputation = 1, s.now, s.style.users.reputation
    s.db.users.put(guest)
    s.token(guest, "guest", s.style.auth.guest_ttl)
    token = ApiToken(s.key(s.style.ids.api_token), child.id, s.key(s.style.auth.api_token), "Seeded", None, s.now)
    s.db.api_tokens.put(token)
    s.result.tokens["api-token"] = token.token
    recorded = s.session(channel, 10 * DAY, [owner, plain], True)
    s.session(channel, 5 * DAY, [owner, operator, plain], False)
    s.result.items |= {"channel": channel.id, "quietChannel": quiet.id, "session": recorded.id}
    return channel, quiet


def _stranger(s: Seeder) -> None:
    """The unrelated client with its admin and items."""
    other = s.client("Other")
    other.unique_handles = False  # here handles need not be unique
    s.db.clients.put(other)
    admin = s.user(other, "other-admin", "Otto", "customer-admin")
    channel = s.channel(other, "Other hall", 25 * DAY, admin)
    s.result.items |= {
        "otherClient": other.id,
        "otherChild": s.client("Other child", other).id,
        "otherChannel": channel.id,
        "otherSession": s.session(channel, 7 * DAY, [admin], True).id,
        "otherTemplate": s.template(other, "Other style", True, True).id,
        "otherMedia": s.media(other, "secret plan", ["brand"], 5000).id,
        "otherEndpoint": s.endpoint(other, "other"),
    }


def seed(service: Service) -> Seeded:
    """Fill an empty database."""
    s = Seeder(service)
    root = s.client("Root")
    partner = s.client("Partner", root)
    child, sibling = s.client("Child", partner), s.client("Sibling", partner)
    s.user(root, "root-admin", "Rita", "partner-admin")
    s.user(partner, "partner-admin", "Paula", "partner-admin")
    channel, _ = _people(s, child)
    house = s.template(partner, "House style", True, True)
    s.template(partner, "Partner only", True, False)
    for name, enabled, inheritable in (("Town hall", True, True), ("Aged", False, True), ("Class", True, False)):
        s.template(child, name, enabled, inheritable)
    channel.template_id = house.id
    s.db.channels.put(channel)
    for name, tags, size in (
        ("poster", ["brand", "print"], 4000),
        ("logo", ["brand"], 1000),
        ("flyer", ["print"], 3000),
        ("banner", [], 2000),
    ):
        s.media(child, name, tags, size)
    _stranger(s)
    s.result.client = child.id
    s.result.items |= {
        "rootAdminToken": s.result.tokens.pop("root-admin"),
        "rootClient": root.id,
        "partnerClient": partner.id,
        "siblingClient": sibling.id,
        "eventsEndpoints": [s.endpoint(child, "one"), s.endpoint(child, "two")],
        "validatorSecrets": ["secret-1", "secret-2", "secret-3"],
    }
    return s.result
