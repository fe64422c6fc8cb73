"""Which requests a page of another site made a browser send."""

from __future__ import annotations

import pytest

from confsim.service.checks.sites import cross_site
from confsim.service.messages import Request

PUBLIC = "https://conf.example/root"


@pytest.mark.parametrize(
    ("scheme", "host", "origin", "public_url", "foreign"),
    [
        ("http", "127.0.0.1:8080", "http://127.0.0.1:8080", "", False),
        ("http", "LocalHost:8080", "HTTP://localhost:8080", "", False),
        ("http", "localhost", "http://localhost:80", "", False),
        ("http", "localhost:80", "http://localhost", "", False),
        ("https", "localhost:443", "https://localhost", "", False),
        ("http", "[::1]:8080", "http://[::1]:8080", "", False),
        ("http", "conf.example", "https://conf.example", PUBLIC, False),
        ("http", "10.0.0.1:8080", "https://conf.example:443", PUBLIC, False),
        ("http", "10.0.0.1:8080", "http://10.0.0.1:8080", PUBLIC, False),
        ("http", "127.0.0.1:8080", "https://127.0.0.1:8080", "", True),
        ("https", "127.0.0.1:8080", "http://127.0.0.1:8080", "", True),
        ("http", "127.0.0.1:8080", "x://127.0.0.1:8080", "", True),
        ("http", "127.0.0.1:8080", "://127.0.0.1:8080", "", True),
        ("http", "127.0.0.1:8080", "127.0.0.1:8080", "", True),
        ("http", "127.0.0.1:8080", "http://127.0.0.1", "", True),
        ("http", "127.0.0.1:8080", "http://127.0.0.1:8081", "", True),
        ("http", "127.0.0.1:8080", "http://a@127.0.0.1:8080", "", True),
        ("http", "127.0.0.1:8080", "http://127.0.0.1:99999", "", True),
        ("http", "127.0.0.1:8080", "http://[", "", True),
        ("http", "127.0.0.1:8080", "null", "", True),
        ("http", "127.0.0.1:8080", "", "", True),
        ("http", "127.0.0.1:8080", "http://conf.example", PUBLIC, True),
        ("http", "", "http://", "", True),
    ],
)
def test_a_page_of_ours_has_our_scheme_host_and_port(scheme, host, origin, public_url, foreign):
    """An Origin is ours if scheme, host and port are those of the request or of the public URL, and else foreign."""
    request = Request("POST", "/", headers={"host": host, "origin": origin}, scheme=scheme)
    assert cross_site(request, public_url=public_url) is foreign


@pytest.mark.parametrize(("site", "foreign"), [("same-origin", False), ("none", False), ("same-site", True)])
def test_a_browser_says_from_which_site_a_request_comes(site, foreign):
    """Sec-Fetch-Site counts without an Origin, and with one of ours."""
    headers = {"host": "localhost", "sec-fetch-site": site}
    assert cross_site(Request("POST", "/", headers=headers)) is foreign
    assert cross_site(Request("POST", "/", headers={**headers, "origin": "http://localhost"})) is foreign
