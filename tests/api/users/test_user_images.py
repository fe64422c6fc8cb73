"""Images of users."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol import conventions
from confsim.domain.images import STUB
from kit import CUSTOMER
from kit.things.people import PNG, under

LIMIT = 8 * 2**20


# Images
def image_of(sim: Simulator, caller: str = "demo-user") -> bytes | None:
    """The bytes of the caller's image, None without one."""
    from confsim.domain import images

    key = sim.call("get_me", caller).body.get("imageUrl")
    if key is None:
        return None
    client, _, image = key.removeprefix("http://confsim.test/files/").partition("?")[0].split("/")
    return images.get(sim.service.change(), client, image).data


@pytest.mark.rule("R166")
def test_without_url_the_body_is_the_image(sim):
    """The bytes of the body are stored as they came."""
    assert sim.call("set_user_image", "demo-user", userId="me", body=PNG + b"rest").content == b""
    assert image_of(sim) == PNG + b"rest"


@pytest.mark.rule("R165", "R167")
@pytest.mark.parametrize("body", [None, PNG, b"no image at all", b"x" * (LIMIT + 1)])
def test_the_url_wins_over_the_body(sim, body):
    """With url the body plays no part, whatever it holds."""
    answer = sim.call("set_user_image", "demo-user", userId="me", url="https://img.example/1.png", body=body)
    assert answer.status == 200
    assert image_of(sim) == STUB


@pytest.mark.rule("R011", "R168")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "image_missing"),
        ({"body": b""}, "image_missing"),
        ({"body": b'{"url": "https://img.example/1.png"}'}, "image_unknown_format"),
        ({"body": b"GIF"}, "image_unknown_format"),
        ({"url": ""}, "invalid_input"),
        ({"url": "img.example/1.png"}, "invalid_input"),
        ({"url": "ftp://img.example/1.png"}, "invalid_input"),
        ({"url": "https://"}, "invalid_input"),
        ({"url": "https://unreachable.invalid/1.png"}, "image_unreachable"),
    ],
)
def test_what_is_no_image_is_refused(sim, arguments, code):
    """An image comes from an absolute URL that answers, or from bytes that are one; a url in the body is no url."""
    answer = sim.call("set_user_image", "demo-user", userId="me", **arguments)
    assert (answer.status, answer.body["code"]) == (400, code)
    assert image_of(sim) is None


@pytest.mark.rule("R169", "R248")
def test_an_image_has_at_most_8_mbytes(sim):
    """8 Mbytes are taken, one byte more is refused with 413 and changes nothing; no JSON limit applies."""
    whole = PNG + b"\x00" * (LIMIT - len(PNG))
    assert sim.call("set_user_image", "demo-user", userId="me", body=whole).status == 200
    answer = sim.call("set_user_image", "demo-user", userId="me", body=whole + b"\x00")
    assert (answer.status, answer.body["code"]) == (413, "image_too_large")
    assert image_of(sim) == whole


def test_a_replaced_or_removed_image_is_gone(sim):
    """The bytes of an image go with it; removing none is no error, unless a profile says so."""
    from confsim.domain.images import IMAGES

    for body in (PNG + b"1", PNG + b"2"):
        sim.call("set_user_image", "demo-user", userId="me", body=body)
    assert len(IMAGES.seen(sim.service.world, CUSTOMER)) == 1
    for _ in range(2):
        assert sim.call("remove_user_image", "demo-user", userId="me").status == 200
    assert len(IMAGES.seen(sim.service.world, CUSTOMER)) == 0
    assert image_of(sim) is None
    strict = under({conventions.EMPTY_SLOT.id: "refuse"})
    assert strict.call("remove_user_image", "demo-user", userId="me").status == 404
