"""The nearest route is that of an exhaustive search."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import given, strategies as st

from confsim.api.catalogue import API
from confsim.control.why.routes import SimilarRoutes

WORDS = st.sampled_from(["users", "user", "chanels", "settings", "me", "breakout", "7", "x", "new", "sesions", "POST"])
SEGMENTS = st.lists(st.one_of(WORDS, st.text("aeinrstu/", min_size=1, max_size=9)), max_size=5)
ROUTES = SimilarRoutes({})


def similarity(method, asked, operation):
    """The mean similarity of segments, by the longer path; any text is like a path parameter by four fifths."""
    offered = [part for part in operation.path.split("/") if part]
    alike = sum(
        0.8 if part.startswith("{") else SequenceMatcher(None, text, part.lower()).ratio()
        for text, part in zip(asked, offered, strict=False)
    )
    return alike / max(len(asked), len(offered), 1) + (0.05 if method == operation.method else 0.0)


@given(st.sampled_from(["GET", "POST", "DELETE", "PUT"]), SEGMENTS)
def test_it_is_the_first_of_the_most_similar(method, parts):
    """Routes that are passed over by their characters could not have won."""
    path = "/" + "/".join(parts)
    asked = [part.lower() for part in path.split("/") if part]
    best = max(API, key=lambda operation: similarity(method, asked, operation))
    assert ROUTES.nearest(method, f"/v1_0{path}") == f"{best.method} /v1_0{best.path}"
