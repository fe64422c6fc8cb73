"""Header lines whose bytes are no ASCII, written down as curl commands and run by a shell."""

from __future__ import annotations

import subprocess
from http.client import HTTPConnection

import pytest

from confsim import Simulator

#: A program in the place of curl that shows its arguments as bytes.
SHOWING = 'curl() { for each in "$@"; do printf "%s\\0" "$each"; done; }\n'


@pytest.mark.parametrize(
    "value",
    [b"caf\xe9 'quoted' \"twice\" $HOME `x` 100% \\n", "naïve 💡 'x'".encode(), b"\xe9\xe8", b"plain"],
)
@pytest.mark.own_ways
def test_a_header_goes_out_with_the_bytes_that_came(value):
    """Be they UTF-8 or not; a shell that has no extensions reads the line."""
    sim = Simulator()
    with sim.serve() as server:
        connection = HTTPConnection(server.root.partition("//")[2], timeout=30)
        connection.putrequest("GET", "/v1_0/users/me")
        connection.putheader("X-Odd", value)
        connection.putheader("Authorization", "Bearer demo-owner")
        connection.endheaders()
        assert connection.getresponse().status == 200
        connection.close()
    script = SHOWING + sim.requests.export("curl")
    shown = subprocess.run(["sh", "-eu"], input=script.encode(), check=True, capture_output=True, timeout=60).stdout
    assert b"x-odd: " + value in shown.split(b"\0")
