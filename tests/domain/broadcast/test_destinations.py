from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.broadcast import destinations
from confsim.domain.channels import channels
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, ROOM


@pytest.fixture
def change():
    """A change of the demo world."""
    return Simulator(clock=0).service.change()


@pytest.mark.rule("R526")
@pytest.mark.parametrize(
    "url",
    [
        "rtmp://h/app/key",
        "rtmps://h:443/app",
        "RTMP://H",
        "rtmp://user:pw@h/app",
        "rtmp://[::1]:1935/a",
        "rtmp://h/a?k=v",
    ],
)
def test_valid_rtmp_urls_are_taken(change, url):
    """As they were given."""
    room = channels.get(change, CUSTOMER, ROOM)
    assert destinations.add(change, room, url, None, None).url == url
    assert destinations.enabled(change, room) == (url,)


@pytest.mark.rule("R526")
@pytest.mark.parametrize(
    "url",
    [
        "rtmp:h",
        "//h/app",
        "rtmp://",
        "rtmp://:1935/a",
        "rtmp://h:0/",
        "rtmp://h:99999/",
        "rtmp://[::1/",
        "srt://h/a",
        "rtmp://h/a b",
    ],
)
def test_other_urls_are_refused(change, url):
    """Of another scheme, without a host, with no port that there is."""
    with pytest.raises(Refusal, match="body destination"):
        destinations.add(change, channels.get(change, CUSTOMER, ROOM), url, None, None)
