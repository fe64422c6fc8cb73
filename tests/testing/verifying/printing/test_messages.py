"""A request and its answer as HTTP messages of a report."""

from confsim.service.messages import Request
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.verifying.printing.messages import answer_text, request_text


def test_a_request_is_its_line_its_headers_and_its_body():
    """Header names are in lower case, as they are compared; a cookie is not shown."""
    request = Request("POST", "/v1_0/users", "a=1", {"content-type": "application/json", "cookie": "s=1"}, b'{"a":1}')
    assert request_text(request) == 'POST /v1_0/users?a=1\ncontent-type: application/json\ncookie: ***\n\n{"a":1}'
    assert request_text(Request("GET", "/v1_0/users/me")) == "GET /v1_0/users/me"


def test_an_answer_has_a_json_body_a_text_or_the_number_of_its_bytes():
    """JSON is shown compact, and bytes that are no text are counted."""
    assert answer_text(Reply(200, "application/json", {"a": "é"}, {"set-cookie": "s=1"})) == (
        '200\nset-cookie: ***\n\n{"a":"é"}'
    )
    assert answer_text(Reply(404, "text/plain", b"not found")) == "404\n\nnot found"
    assert answer_text(Reply(200, "image/png", b"\x89\xff")) == "200\n\n(2 bytes)"
    assert answer_text(Reply(204, "", None)) == "204"


def test_what_may_give_access_is_masked():
    """Headers by their names, and parameters of a URL, whether the API declares them or not."""
    headers = {"authorization": "Bearer abcdef", "x-auth-token": "t", "x-api-key": "k", "www-authenticate": "Bearer"}
    request = Request("GET", "/v1_0/users", "session=1&access_token=secret&b=2", headers)
    assert request_text(request) == "\n".join(
        [
            "GET /v1_0/users?session=1&access_token=***&b=2",
            *("authorization: Bearer ***", "x-auth-token: ***", "x-api-key: ***", "www-authenticate: Bearer"),
        ]
    )
    reply = Reply(302, "", None, {"location": "https://x.example/?apiKey=secret#top"})
    assert answer_text(reply) == "302\nlocation: https://x.example/?apiKey=***"


def test_a_long_body_is_abridged():
    """Its length is given behind the part that is shown."""
    shown = answer_text(Reply(200, "text/plain", b"x" * 5000))
    assert shown.endswith("x… (5000 characters)")
    assert len(shown) < 4100
