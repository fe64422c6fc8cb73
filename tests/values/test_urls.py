"""Hosts and URLs: what has an ASCII form gets it, anything else is refused."""

from __future__ import annotations

import pytest

from confsim.kernel.refusal import Misuse
from confsim.values.urls import host_name, is_loopback, origin_spellings, uri

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
    "http://a b/", "http://a\"b/", "http://ü..example/", f"http://{'ü' * 70}/", "http://\u2100.example/", "x", "http://a:0/",
)  # fmt: skip
#: Hosts that are not valid, whether or not they have characters of a URL.
NOT_HOSTS = (
    "a..b", ".a", "a..", "-bad-", "a.-b", "b-.example", "x" * 64, ".".join(["x" * 63] * 4), "x" * 254, "ü" * 64, "a~b",
    "a%41", "[::1%25lo]", "[::1%lo]", "[fe80::1%25eth0]",
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


@pytest.mark.parametrize("host", NOT_HOSTS)
def test_there_is_one_rule_for_hosts(host):
    """A host that is not a host name is not one of a URL either, and each says what is expected."""
    with pytest.raises(Misuse, match=r"is not a host name.*expected a name such as"):
        host_name(host)
    for url in (f"http://{host}/", f"rtmp://me:secret@{host}:80/x"):
        with pytest.raises(ValueError, match=r"^the host .*is not valid .expected a name such as") as caught:
            uri(url)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "host", ["x" * 63, ".".join(["x" * 63] * 3 + ["x" * 61]), "_dmarc.a-b.c", "ü" * 50 + ".example"]
)
def test_names_up_to_the_limits_are_hosts(host):
    """63 characters between dots, and 253 together."""
    assert uri(f"http://{host}:65535/").hostname == host_name(host)


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
    with pytest.raises(Misuse, match=r"is not a host name; leave scheme, port and path away"):
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
     ("", False), ("::ffff:127.0.0.1", True), ("::ffff:7f00:1", True), ("::ffff:10.0.0.1", False), ("::2", False)],
)  # fmt: skip
def test_names_below_localhost_are_loopback(host, is_ours):
    """RFC 6761, 6.3; and addresses, also an IPv4 address that is written as an IPv6 address (RFC 4291, 2.5.5.2)."""
    assert is_loopback(host) is is_ours
