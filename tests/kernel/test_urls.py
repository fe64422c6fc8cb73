"""Hosts and URLs: what has an ASCII form gets it, anything else is refused."""

from __future__ import annotations

import pytest

from confsim.kernel.refusal import Misuse
from confsim.kernel.urls import host_name, is_loopback, origin_spellings, uri

#: URLs, and what they are as URIs.
URIS = {
    "http://a.example/x?y=1#z": "http://a.example/x?y=1#z",
    "HTTP://A.Example": "http://a.example",
    "http://a.example/ü b?q=ü{}#é": "http://a.example/%C3%BC%20b?q=%C3%BC%7B%7D#%C3%A9",
    "http://a.example/%c3%bc%zz": "http://a.example/%c3%bc%zz",
    "http://bücher.example:8080/": "http://xn--bcher-kva.example:8080/",
    "http://BÜCHER。example/": "http://xn--bcher-kva.example/",
    "http://ü:p%40ß@a.example/": "http://%C3%BC:p%40%C3%9F@a.example/",
    "http://[2001:DB8::1]:8080/ä": "http://[2001:db8::1]:8080/%C3%A4",
    "http://a_b.example./": "http://a_b.example./",
    "rtmp://live.example/app/ß": "rtmp://live.example/app/%C3%9F",
}
NOT_URLS = (
    "http://", "http://:80/", "http://user@/", "http://a:65536/", "http://a:port/", "http://[::1", "http://[x]/",
    "http://a b/", "http://a\"b/", "http://ü..example/", f"http://{'ü' * 70}/", "http://\u2100.example/", "x",
)  # fmt: skip


@pytest.mark.parametrize(("url", "expected"), URIS.items())
def test_a_url_becomes_ascii_once(url, expected):
    """Its host by IDNA, the rest in UTF-8 and percent-encoded; what is ASCII already stays."""
    assert uri(url).geturl() == expected
    assert uri(expected).geturl() == expected


@pytest.mark.parametrize("url", NOT_URLS)
def test_a_url_without_a_valid_host_and_port_is_refused(url):
    """ValueError, whatever the mistake is."""
    with pytest.raises(ValueError, match=r"."):
        uri(url)


@pytest.mark.parametrize(
    ("text", "name"),
    [("A.example", "a.example"), ("bücher.example.", "xn--bcher-kva.example"), ("[::1]", "::1"),
     ("10.0.0.1", "10.0.0.1"), ("my_host-1", "my_host-1")],
)  # fmt: skip
def test_a_host_name_is_compared_in_lower_case_and_ascii(text, name):
    """Without the brackets of an address and the dot at the end of a name."""
    assert host_name(text) == name


@pytest.mark.parametrize(
    "text",
    ["", ".", "http://a.example", "a.example:80", "a/b", "a b", "*", "*.x", "a..b", "x" * 254, "[a]", "ü" * 70],
)  # fmt: skip
def test_what_is_not_a_host_name_is_refused(text):
    """The error says what to leave away."""
    with pytest.raises(Misuse, match="is not a host name; leave scheme, port and path away"):
        host_name(text)


@pytest.mark.parametrize(
    ("sent", "spellings"),
    [
        ("https://app.example", {"https://app.example", "https://app.example:443"}),
        ("http://app.example:8080", {"http://app.example:8080"}),
        ("http://xn--bcher-kva.example:8", {"http://xn--bcher-kva.example:8", "http://bücher.example:8"}),
        ("null", {"null"}),
    ],
)
def test_an_origin_may_be_listed_as_people_write_it(sent, spellings):
    """With its host in ASCII or not, with the default port or without."""
    assert origin_spellings(sent) == spellings


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [("localhost", True), ("localhost.", True), ("app.localhost", True), ("a.b.localhost.", True), ("127.9.9.9", True),
     ("::1", True), ("10.0.0.1", False), ("localhost.example", False), ("notlocalhost", False), (".localhost", True),
     ("", False)],
)  # fmt: skip
def test_names_below_localhost_are_loopback(host, is_ours):
    """RFC 6761, 6.3."""
    assert is_loopback(host) is is_ours
