"""Where a client's pages may be embedded, and to which hosts a login may redirect."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.clients import clients, embedding
from confsim.kernel.world import World
from kit import refused


@pytest.fixture
def client():
    """A change under which entries are checked, and a client in it."""
    change = World(seed=1).change(0, ProfileContext({"embedding.check": True}))
    return change, clients.create(change, "C", None)


@pytest.mark.rule("R230")
def test_domains_are_host_names_in_any_case(client):
    """They are stored as given, in order, duplicates removed (G291)."""
    assert embedding.set_domains(*client, ["B.Example", "a.example", "B.Example"]).domains == ("B.Example", "a.example")


@pytest.mark.rule("R229")
def test_origins_have_a_scheme_a_host_and_perhaps_a_port(client):
    """In any case, too (G291)."""
    origins = ("https://A.Example", "HTTP://b.example:8080")
    assert embedding.set_origins(*client, origins).origins == origins


@pytest.mark.parametrize(
    "entry", ["", "a b", "https://a.example", "\u212aelvin.example", "-a", "a.example\n", "a..b", "x" * 64]
)
def test_what_is_no_host_name_is_no_domain(client, entry):
    """Nor is a letter that has one of ASCII as its other case."""
    assert refused(embedding.set_domains, *client, ["a.example", entry]) is Reason.INVALID_INPUT


@pytest.mark.parametrize(
    "entry",
    ["a.example", "ftp://a.example", "https://a.example/", "https://a.example:123456", "https://a..b", "https://a:0"],
)
def test_what_is_no_origin(client, entry):
    """Without a scheme, of another one, with a path, with a port out of range, with an invalid host."""
    assert refused(embedding.set_origins, *client, [entry]) is Reason.INVALID_INPUT
