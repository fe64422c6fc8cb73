"""The inspector as a browser sees it."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from confsim.service.deferred import wait_for
from confsim.service.messages import Request


class Page(HTMLParser):
    """A page that was answered: its status, header lines, links, forms, elements with their attributes, and text."""

    def __init__(self, response):
        super().__init__()
        self.status = response.status
        self.headers = dict(response.headers)
        self.elements = []
        self.text = ""
        self.titles, self.in_title = [], False
        self.feed(response.body.decode())

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        self.titles += [""] if tag == "h2" else []
        self.in_title = self.in_title or tag == "h2"

    def handle_endtag(self, tag):
        """Note the end of a heading."""
        self.in_title = self.in_title and tag != "h2"

    def handle_data(self, data):
        """Collect the text."""
        self.text += data
        if self.in_title:
            self.titles[-1] += data

    def headings(self):
        """The texts of its headings."""
        return self.titles

    def links(self):
        """Where its links and its forms without a body lead."""
        return [attrs["href"] for tag, attrs in self.elements if tag == "a" and not attrs["href"].startswith("#")]


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
