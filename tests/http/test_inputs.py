"""Cookies and forms: parsed at every way in, and handed down as plain values."""

from __future__ import annotations

import pytest

from confsim.api.catalogue import API
from confsim.http.inputs import parse_cookies, parse_form
from confsim.service.messages import Request
from kit import demo
from kit.each import each

UPLOAD = API.operations["upload_client_media"]
FIELD = b'--B\r\nContent-Disposition: form-data; name="x"\r\n\r\nfield\r\n'
FILE = b'--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\nContent-Type: image/gif\r\n\r\nGIF\r\n'
END = b"--B--\r\n"


def form(body, kind="multipart/form-data; boundary=B", operation=UPLOAD):
    """The form of an upload, as content type, bytes and problem; None where there is none."""
    request = Request("POST", "/", headers={} if kind is None else {"content-type": kind}, body=body)
    parse_form(request, operation)
    return request.form and (request.form.content_type, request.form.data, request.form.problem)


def test_the_file_of_a_form_is_its_first_part_with_a_filename():
    """With its type, which it may lack; other fields are passed over (RFC 7578)."""
    second = FILE.replace(b"GIF", b"other")
    assert form(FIELD + FILE + second + END) == ("image/gif", b"GIF", "")
    assert form(FILE.replace(b"Content-Type: image/gif\r\n", b"") + END) == (None, b"GIF", "")
    assert form(FILE.replace(b'filename="a"', b"filename*=UTF-8''a") + END) == ("image/gif", b"GIF", "")
    assert form(b"preamble\r\n" + FILE + END + b"epilogue") == ("image/gif", b"GIF", "")


@each("data", [b"", b"line one\r\n--Bc\r\nmore", b"\r\n", b"\r\n--B", b"x" * 200_000, bytes(range(256))])
def test_the_file_is_whole(data):
    """A line that begins as the boundary does belongs to the file."""
    if data.endswith(b"--B"):
        data += b"x"
    assert form(FILE.replace(b"GIF", data) + END) == ("image/gif", data, "")


@each("kind", [None, "text/plain", "multipart/form-data", "multipart/mixed; boundary=B", "multipart/"])
def test_what_is_no_form(kind):
    """Another media type, or no boundary."""
    assert form(FILE + END, kind) is None


@pytest.mark.parametrize("kind", ['Multipart/Form-Data; boundary="B"', "multipart/form-data; charset=x; boundary=B"])
def test_media_types_of_a_form(kind):
    """In any case, quoted, with other parameters."""
    assert form(FILE + END, kind)[1] == b"GIF"


@pytest.mark.parametrize(
    ("body", "problem"),
    [(FIELD + END, "no part has a filename"), (FIELD + FILE, "cut short"), (b"", "cut short"), (b"GIF", "cut short")],
)
def test_what_is_wrong_with_a_form(body, problem):
    """No file, no end."""
    assert problem in form(body)[2]


def test_forms_are_parsed_for_uploads_only():
    """A call whose body is JSON, or that has none, has no use for one."""
    assert form(FILE + END, operation=API.operations["update_terms_url"]) is None
    assert form(FILE + END, operation=API.operations["get_me"]) is None


@each(
    "header, cookies",
    [
        ("session=one; other=two", {"session": "one", "other": "two"}),
        ('session="one two"', {"session": "one two"}),
        (r'session="a\"b\054"', {"session": 'a"b,'}),
        ("session=one; session=two", {"session": "one"}),
        (" session = one ;;=;x", {"session": "one", "x": ""}),
    ],
)
def test_cookies_are_read_as_they_may_be_written(header, cookies):
    """Quoted too (RFC 6265, 4.1.1); of two of one name the first counts."""
    request = Request("GET", "/", headers={"cookie": header})
    parse_cookies(request)
    assert request.cookies == cookies


def test_a_token_may_stand_in_a_quoted_cookie():
    """By a profile (G016)."""
    sim = demo(auth__presentation="Cookie: session={token}")
    for header, status in (("session=demo-owner", 200), ('a=b; session="demo-owner"', 200), ("other=demo-owner", 401)):
        assert sim.app(Request("GET", "/v1_0/users/me", "", {"cookie": header})).status == status
    assert sim.client("demo-owner").get("/users/me").status_code == 200
    assert sim.call("get_me", "demo-owner").status == 200


@pytest.mark.parametrize(
    ("operation", "arguments", "caller"),
    [
        ("upload_client_media", {"name": "a"}, "demo-customer-admin"),
        ("set_user_image", {"userId": "me"}, "demo-user"),
    ],
)
def test_a_form_is_no_file(sim, operation, arguments, caller):
    """By default the body is the file: a form is refused and not stored with its envelope (G106, G506)."""
    kind = "multipart/form-data; boundary=B"
    refused = sim.call(operation, caller, body=FILE + END, content_type=kind, **arguments)
    assert (refused.status, refused.body["code"]) == (415, "unsupported_media_type")
    used = sim.requests[-1].assumptions
    assert {"media.form", "images.form"} & set(used)


def test_beside_a_url_no_form_is_read(sim):
    """The body plays no part then (R167)."""
    given = {"body": FILE + END, "content_type": "multipart/form-data; boundary=B", "url": "https://x.example/1.png"}
    assert sim.call("set_user_image", "demo-user", userId="me", **given).status == 200


def test_a_form_is_read_over_any_way_in():
    """WSGI and Simulator.call alike."""
    sim = demo(media__form="multipart")
    kind = "multipart/form-data; boundary=B"
    call = sim.call("upload_client_media", "demo-customer-admin", name="a", body=FILE + END, content_type=kind)
    wsgi = sim.client("demo-customer-admin").post("/media?name=b", data=FILE + END, content_type=kind)
    assert (call.status, wsgi.status_code) == (200, 200)
    assets = [
        sim.call("get_client_media", "demo-customer-admin", mediaId=id).body
        for id in (call.body["id"], wsgi.json["id"])
    ]
    assert [(each["contentType"], each["size"]) for each in assets] == [("image/gif", 3)] * 2
