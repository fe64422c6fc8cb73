"""The pools of media, of a channel and of a client."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from confsim.domain.media import media
from confsim.service.document import FILES
from confsim.service.incoming import Incoming
from confsim.service.messages import Request
from kit import ADMIN, CUSTOMER, OWNER, ROOM, USER

#: The two kinds of pool: what the names of their operations contain, path parameters, who writes, who reads.
POOLS = {"channel": ("channel", {"uuid": ROOM}, OWNER, USER), "client": ("client", {}, ADMIN, USER)}


class Pool:
    """One pool of a simulator, so that both are put through the same tests."""

    def __init__(self, sim, word, path, writer, reader):
        self.sim, self.word, self.path, self.writer, self.reader = sim, word, path, writer, reader

    def call(self, name, /, by=None, **arguments):
        """Call an operation of the pool; writers upload and delete, readers do the rest."""
        caller = by or (self.writer if name.startswith(("upload", "delete", "batch")) else self.reader)
        return self.sim.call(name.replace("_media", f"_{self.word}_media"), caller, **self.path, **arguments)

    def upload(self, name="a.txt", data=b"bytes", **more):
        """Upload a file and answer its id."""
        answer = self.call("upload_media", body=data, name=name, **more)
        assert answer.ok, answer
        return answer.body["id"]

    def names(self, **query):
        """The names in the order of the list."""
        return [each["name"] for each in self.call("list_media", **query).body["results"]]

    def link(self, id, **query):
        """The link to the bytes of an asset."""
        return self.call("get_media_link", mediaId=id, **query).body["url"]


def pool_of(sim, name="client"):
    """The pool of this kind."""
    return Pool(sim, *POOLS[name])


def fetch(sim, url):
    """What the address answers, without any token."""
    parts = urlsplit(url)
    client, _, id = parts.path.removeprefix("/files/").split("/")
    request = Request("GET", parts.path)
    return sim.service.perform(
        Incoming(FILES["get_media_file"], (client, id), dict(parse_qsl(parts.query)), None, request)
    )


def tag(sim, id, *tags):
    """Set the tags of an asset, as the control plane does."""
    change = sim.service.change()
    media.set_tags(change, media.get_of_client(change, CUSTOMER, id), tags)
    sim.service.commit(change)
