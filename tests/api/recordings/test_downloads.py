"""Downloads of recordings: URLs, bytes, and the token for assets."""

from __future__ import annotations

import io
import zipfile
from urllib.parse import urlsplit

import jwt
import pytest

from confsim import Simulator
from kit import (
    ADMIN,
    API_TOKEN,
    OPERATOR,
    OTHER_ADMIN,
    OWNER,
    ROOM,
    START,
    START_MS,
    USER,
    code,
)
from kit.things.recordings import assets, fetch, listed, read, record, recorded, simulator, start, stop

# Downloads


@pytest.mark.rule("R506")
@pytest.mark.parametrize(
    ("kind", "place", "media_type", "name"),
    [
        (None, 0, "video/mp4", "combined.mp4"),
        ("combined_video", 0, "video/mp4", "combined.mp4"),
        ("archive", 1, "application/zip", "archive.zip"),
        ("captions", 2, "text/vtt; charset=utf-8", "captions.vtt"),
    ],
)
def test_a_download_url_answers_the_file(sim, kind, place, media_type, name):
    """Without any token; kind selects, and the size is that of the asset."""
    sim.call("set_speech2text_state", ADMIN, uuid=ROOM, state="enable")
    id = recorded(sim)
    answer = read(sim, "get_recording_download", id, OWNER, kind=kind)
    assert list(answer.body) == ["url"]
    file = fetch(sim, answer.body["url"])
    assert (file.status_code, file.headers["Content-Type"]) == (200, media_type)
    assert file.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert len(file.data) == assets(sim, id)[place]["size"]


def test_the_archive_is_a_zip_file(sim):
    """It names its recording and contains the video."""
    id = recorded(sim)
    archive = fetch(sim, read(sim, "get_recording_download", id, OWNER, kind="archive").body["url"]).data
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        assert opened.namelist() == ["manifest.json", "combined.mp4"]
        assert id.encode() in opened.read("manifest.json")


@pytest.mark.rule("R506")
@pytest.mark.parametrize(("kind", "status"), [("captions", 404), ("other", 404), ("audio", 400), ("", 400)])
def test_a_kind_that_is_not_there_is_refused(sim, kind, status):
    """404 for one that the recording has not, 400 for one that is none."""
    assert read(sim, "get_recording_download", recorded(sim), OWNER, kind=kind).status == status


@pytest.mark.rule("R038", "R039", "R040", "R508", "R509", "R542")
@pytest.mark.parametrize(
    ("ttl", "span"), [(None, 300_000), ("1s", 1000), ("1m", 60_000), ("2h", 7_200_000), ("1d", 86_400_000)]
)
@pytest.mark.parametrize("name", ["get_recording_download", "get_recording_credentials"])
def test_urls_and_tokens_live_for_their_time(sim, name, ttl, span):
    """Five minutes, or ttl; dead at the very instant."""
    id = recorded(sim)
    sim.clock.advance(7)
    given = read(sim, name, id, OWNER, ttl=ttl).body
    sim.clock.advance(span - 1)
    assert use(sim, given) == 200
    sim.clock.advance(1)
    assert use(sim, given) == (403 if "url" in given else 401)


def use(sim, given):
    """The status that a download URL, or the list of a token, answers."""
    if "url" in given:
        return fetch(sim, given["url"]).status_code
    return sim.call("list_downloadable_assets", jwtToken=given["jwt"]).status


@pytest.mark.rule("R038")
@pytest.mark.parametrize("ttl", ["5", "m", "0m", "1.5.5m", "-1m", "1M", "5 minutes", ""])
@pytest.mark.parametrize("name", ["get_recording_download", "get_recording_credentials"])
def test_other_spellings_of_ttl_are_refused(sim, name, ttl):
    """It is a number followed by a unit."""
    assert read(sim, name, recorded(sim), OWNER, ttl=ttl).status == 400


@pytest.mark.rule("R510")
@pytest.mark.parametrize("name", ["get_recording_download", "get_recording_credentials"])
def test_nothing_is_downloaded_before_it_is_ready(sim, name):
    """Neither while it is in progress nor while it is processed."""
    start(sim)
    id = listed(sim)[0]["id"]
    assert code(read(sim, name, id, OWNER)) == (409, "recording_not_ready")
    stop(sim)
    assert code(read(sim, name, id, OWNER)) == (409, "recording_not_ready")


@pytest.mark.rule("R507", "R536")
def test_the_download_is_for_owners_alone(sim):
    """A host who is no owner is refused, and so is an administrator."""
    id = recorded(sim)
    for caller in (OPERATOR, ADMIN, USER):
        assert code(read(sim, "get_recording_download", id, caller)) == (403, "role_missing")


def test_a_download_url_is_of_another_host_by_choice():
    """Which is not served here."""
    sim = simulator(recordings__download_host="elsewhere")
    url = read(sim, "get_recording_download", recorded(sim), OWNER).body["url"]
    assert urlsplit(url).netloc == "downloads.example"


def test_the_download_without_kind_is_a_choice():
    """The archive, then."""
    sim = simulator(recordings__download_default="archive")
    url = read(sim, "get_recording_download", recorded(sim), OWNER).body["url"]
    assert fetch(sim, url).headers["Content-Type"] == "application/zip"


@pytest.mark.parametrize("token", ["x", "a.b.c", "eyJhbGciOiJub25lIn0.e30."])
def test_a_download_url_that_is_none_is_refused(sim, token):
    """Whatever stands in it."""
    recorded(sim)
    assert fetch(sim, f"http://confsim.test/files/recordings/{token}").status_code == 403


def test_urls_and_tokens_are_not_each_other(sim):
    """A token is no download URL, and the token of a URL opens no list."""
    id = recorded(sim)
    url = read(sim, "get_recording_download", id, OWNER).body["url"]
    token = read(sim, "get_recording_credentials", id, OWNER).body["jwt"]
    assert fetch(sim, f"http://confsim.test/files/recordings/{token}").status_code == 403
    assert sim.call("list_downloadable_assets", jwtToken=url.rpartition("/")[2]).status == 401


@pytest.mark.parametrize(
    ("caller", "status"), [(OPERATOR, 200), (ADMIN, 200), (API_TOKEN, 200), (USER, 403), (None, 401)]
)
def test_the_url_of_an_asset_needs_the_callers_own_token(sim, caller, status):
    """Anyone who may read the asset may read its bytes."""
    url = assets(sim, recorded(sim))[0]["url"]
    assert fetch(sim, url, caller).status_code == status


# The token for downloading assets


@pytest.mark.rule("R024", "R305", "R510", "R511")
def test_a_token_opens_the_assets_of_its_recording(sim):
    """A bare array of items under the ids of the assets, without any other token."""
    recorded(sim)
    id = recorded(sim)
    answer = read(sim, "get_recording_credentials", id)
    assert list(answer.body) == ["jwt"]
    video, archive = assets(sim, id)
    assert sim.call("list_downloadable_assets", jwtToken=answer.body["jwt"]).body == [
        {
            "id": video["id"],
            "format": "MP4",
            "label": "Combined video",
            "size": video["size"],
            "kind": "combined_video",
        },
        {"id": archive["id"], "format": "CMS", "label": "Archive", "size": archive["size"], "kind": "archive"},
    ]


@pytest.mark.rule("R510")
def test_the_token_is_a_jwt(sim):
    """Of HS256, its times in seconds."""
    id = recorded(sim)
    token = read(sim, "get_recording_credentials", id).body["jwt"]
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}
    claims = jwt.decode(token, options={"verify_signature": False})
    assert (claims["recording"], claims["iat"], claims["exp"]) == (id, START_MS // 1000 + 12, START_MS // 1000 + 312)


def test_the_token_downloads_each_asset(sim):
    """The bytes are those of the download URL; what it does not open is not there."""
    one, id = recorded(sim), recorded(sim)
    token = read(sim, "get_recording_credentials", id).body["jwt"]
    for item in sim.call("list_downloadable_assets", jwtToken=token).body:
        answer = sim.call("download_recording_asset", jwtToken=token, assetId=item["id"])
        assert (answer.status, len(answer.content)) == (200, item["size"])
        url = read(sim, "get_recording_download", id, OWNER, kind=item["kind"]).body["url"]
        assert answer.content == fetch(sim, url).data
    foreign = assets(sim, one)[0]["id"]
    assert code(sim.call("download_recording_asset", jwtToken=token, assetId=foreign)) == (404, "not_found")


def test_the_token_is_served_over_http_in_full(sim):
    """Dots and all, as one segment of the path (G503)."""
    token = read(sim, "get_recording_credentials", recorded(sim)).body["jwt"]
    listed = sim.client().get(f"/channels/recording/assets/{token}")
    assert (listed.status_code, len(listed.json)) == (200, 2)
    file = sim.client().get(f"/channels/recording/assets/{token}/{listed.json[0]['id']}")
    assert (file.status_code, file.headers["Content-Type"]) == (200, "video/mp4")


@pytest.mark.rule("R511")
@pytest.mark.parametrize("name", ["list_downloadable_assets", "download_recording_asset"])
@pytest.mark.parametrize(
    ("choice", "expired"), [("as-unknown", "asset_token_invalid"), ("told", "asset_token_expired")]
)
def test_a_token_that_is_none_or_no_longer_is_refused(name, choice, expired):
    """Forged, cut short, unsigned, of another world, expired: 401, since it is the credential."""
    sim = simulator(errors__spent_secrets=choice)
    id = recorded(sim)
    token = read(sim, "get_recording_credentials", id).body["jwt"]
    claims = jwt.decode(token, options={"verify_signature": False})
    forged = [
        "x",
        token[:-2],
        jwt.encode(claims, "a guess of the key, of 32 bytes and more"),
        jwt.encode(claims, None, algorithm="none"),
        recorded_elsewhere(),
    ]
    more = {"assetId": assets(sim, id)[0]["id"]} if name == "download_recording_asset" else {}
    for each in forged:
        assert code(sim.call(name, OWNER, jwtToken=each, **more)) == (401, "asset_token_invalid")
    sim.clock.advance("5m")
    assert code(sim.call(name, OWNER, jwtToken=token, **more)) == (401, expired)


def recorded_elsewhere():
    """A token for downloading of a world with another seed."""
    sim = Simulator(seed=1, clock=START)
    sim.presence.join(ROOM, USER)
    return read(sim, "get_recording_credentials", recorded(sim)).body["jwt"]


def test_a_token_opens_every_recording_of_the_channel_by_choice():
    """Those that are ready."""
    sim = simulator(recordings__token_scope="channel")
    ids = [recorded(sim), recorded(sim)]
    record(sim)
    token = read(sim, "get_recording_credentials", ids[1]).body["jwt"]
    opened = [each["id"] for each in sim.call("list_downloadable_assets", jwtToken=token).body]
    assert opened == [each["id"] for id in ids for each in assets(sim, id)]


def test_a_token_needs_a_caller_by_choice():
    """One of the same client, then."""
    sim = Simulator(clock=START, profile={"gate.list_downloadable_assets": ["signed-in"]})
    sim.presence.join(ROOM, USER)
    token = read(sim, "get_recording_credentials", recorded(sim)).body["jwt"]
    reported = {by: sim.call("list_downloadable_assets", by, jwtToken=token).status for by in (None, USER, OTHER_ADMIN)}
    assert reported == {None: 401, USER: 200, OTHER_ADMIN: 401}


def test_what_items_are_called_is_a_choice():
    """Their kinds and the language of captions."""
    sim = simulator(
        recordings__captions_language="de",
        recordings__download_kinds={
            "archive": "other",
            "combined": "combined_video",
            "captions": "captions",
            "individual": "other",
        },
    )
    sim.call("set_speech2text_state", ADMIN, uuid=ROOM, state="enable")
    id = recorded(sim)
    token = read(sim, "get_recording_credentials", id).body["jwt"]
    items = sim.call("list_downloadable_assets", jwtToken=token).body
    assert [(each["kind"], each.get("language")) for each in items] == [
        ("combined_video", None),
        ("other", None),
        ("captions", "de"),
    ]
