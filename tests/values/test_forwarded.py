"""The headers by which a proxy says what its client asked for."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.values.forwarded import start_of_urls


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        ({}, ""),
        ({"proto": "https"}, "https://here:81"),
        ({"host": "conf.example"}, "http://conf.example"),
        ({"proto": "https", "host": "conf.example", "port": "443"}, "https://conf.example"),
        ({"proto": "https", "host": "conf.example", "port": "8443"}, "https://conf.example:8443"),
        ({"host": "conf.example:90", "port": "8443"}, "http://conf.example:90"),
        ({"host": "[::1]:90"}, "http://[::1]:90"),
        ({"prefix": "/conf/"}, "http://here:81/conf"),
        ({"host": "far.example, near.example", "proto": "http,https"}, "https://near.example"),
        ({"proto": "gopher", "host": "a/b"}, "http://here:81"),
        ({"host": "a b", "prefix": "//x?y"}, "http://here:81"),
    ],
)
def test_the_start_of_urls_is_what_the_nearest_proxy_says(lines, start):
    """A part that is missing or malformed is that of the request."""
    headers = {f"x-forwarded-{name}": value for name, value in lines.items()}
    assert start_of_urls({"host": "here:81", **headers}, "http") == start


@given(st.dictionaries(st.sampled_from(["proto", "host", "port", "prefix"]), st.text(max_size=20)))
def test_no_header_breaks_out_of_the_start_of_a_url(lines):
    """Whatever the headers have, the start has no space, quote, query, fragment or user name."""
    headers = {f"x-forwarded-{name}": value for name, value in lines.items()}
    start = start_of_urls({"host": "here", **headers}, "http")
    assert not set(start) & set(" \t\r\n\"'<>?#@\\")
    assert start == "" or start.partition("://")[0] in ("http", "https")
