"""The inspector as a browser sees it."""

from __future__ import annotations

from functools import cached_property
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from confsim.service.messages import Request
from confsim.service.waiting import wait_for


class Page:
    """A page that was answered: its status, header lines, links, forms, elements with their attributes, and text.

    It is parsed when it is first looked into.
    """

    def __init__(self, response):
        self.status = response.status
        self.headers = dict(response.headers)
        self._body = response.body.decode()

    @cached_property
    def _parsed(self):
        parsed = _Parsed()
        parsed.feed(self._body)
        return parsed

    @property
    def elements(self):
        """Its elements, each as its tag and its attributes."""
        return self._parsed.elements

    @cached_property
    def text(self):
        """All of its text."""
        return "".join(self._parsed.texts)

    def headings(self):
        """The texts of its headings."""
        return self._parsed.titles

    def links(self):
        """Where its links and its forms without a body lead."""
        return [attrs["href"] for tag, attrs in self.elements if tag == "a" and not attrs["href"].startswith("#")]


class _Parsed(HTMLParser):
    """What a page consists of."""

    def __init__(self):
        super().__init__()
        self.elements, self.texts = [], []
        self.titles, self._in_title = [], False

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        self.titles += [""] if tag == "h2" else []
        self._in_title = self._in_title or tag == "h2"

    def handle_endtag(self, tag):
        """Note the end of a heading."""
        self._in_title = self._in_title and tag != "h2"

    def handle_data(self, data):
        """Collect the text."""
        self.texts.append(data)
        if self._in_title:
            self.titles[-1] += data


@pytest.fixture
def browse(sim):
    """Asks for a path as a browser does, and returns the page."""

    def get(path, **headers):
        target, _, query = path.partition("?")
        given = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "host": "localhost", **headers}
        return Page(wait_for(sim.app(Request("GET", target, query, given, b""))))

    return get


@pytest.fixture
def submit(sim):
    """Sends a form of a page, and returns the response."""

    def post(form, headers=None, **fields):
        given = {"accept": "text/html", "host": "localhost", "content-type": "application/x-www-form-urlencoded"}
        body = urlencode(fields).encode()
        return wait_for(sim.app(Request("POST", f"/_confsim/inspector/{form}", "", {**given, **(headers or {})}, body)))

    return post
