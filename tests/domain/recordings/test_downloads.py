from __future__ import annotations

import jwt
import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.recordings import assets, downloads
from confsim.domain.recordings.assets import AssetContent, RecordingAsset
from confsim.kernel.world import World
from kit import refused

ASSET = RecordingAsset(
    id="a", client="c", channel="ch", recording="r", content=AssetContent.COMBINED, label="L",
    state=assets.Upload.UPLOADED, started=0,
)  # fmt: skip
NOW = 1_769_904_000_123


def at(now, world=None):
    """A change at an instant, in a world with one asset."""
    change = (world or World()).change(now)
    assets.ASSETS.of(change, "c").put(ASSET)
    return change


@pytest.mark.rule("R508", "R542")
def test_five_minutes_are_the_default():
    """Of URLs and of tokens; each expires at the very instant."""
    change = at(NOW)
    link, token = downloads.issue_link(change, ASSET), downloads.issue_token(change, "c", "ch", "r")
    last, over = at(NOW + 299_999), at(NOW + 300_000)
    assert downloads.asset_of_link(last, link) == ASSET
    assert downloads.open_token(last, token).recording == "r"
    assert refused(downloads.asset_of_link, over, link) is Reason.DOWNLOAD_LINK_EXPIRED
    assert refused(downloads.open_token, over, token) is Reason.ASSET_TOKEN_EXPIRED


@pytest.mark.rule("R509")
@given(now=st.integers(0, 2**42), life=st.integers(1, 10**13))
def test_a_life_is_exact_to_the_millisecond(now, life):
    """Whatever the instant and the life."""
    token = downloads.issue_token(World().change(now), "c", "ch", "r", life)
    assert downloads.open_token(World().change(now + life - 1), token).expires == now + life
    assert refused(downloads.open_token, World().change(now + life), token) is Reason.ASSET_TOKEN_EXPIRED


@given(st.text(max_size=300))
def test_no_text_is_taken_for_a_token(text):
    """It is refused as none, and nothing breaks."""
    assert refused(downloads.asset_of_link, at(NOW), text) is Reason.DOWNLOAD_LINK_INVALID
    assert refused(downloads.open_token, at(NOW), text) is Reason.ASSET_TOKEN_INVALID


@pytest.mark.rule("R510")
@given(data=st.data())
def test_a_changed_token_is_refused(data):
    """One character of it that is another."""
    token = downloads.issue_token(at(NOW), "c", "ch", "r")
    place = data.draw(st.integers(0, len(token) - 2))  # the last character holds bits that say nothing
    other = data.draw(st.sampled_from("abcXYZ019-_").filter(lambda char: char != token[place]))
    changed = token[:place] + other + token[place + 1 :]
    assert refused(downloads.open_token, at(NOW), changed) is Reason.ASSET_TOKEN_INVALID


def test_tokens_hang_on_the_world():
    """A token of a world with another seed is none; the same world makes the same token."""
    token = downloads.issue_token(at(NOW), "c", "ch", "r")
    assert downloads.issue_token(at(NOW), "c", "ch", "r") == token
    assert refused(downloads.open_token, at(NOW, World(seed=1)), token) is Reason.ASSET_TOKEN_INVALID


def test_other_algorithms_are_refused():
    """Also with the right key: HS256 and no other, never none."""
    change = at(NOW)
    claims = {"client": "c", "channel": "ch", "recording": "r", "iat": 0, "exp": 2**40}
    key = change.key("recording credentials")
    assert downloads.open_token(change, jwt.encode(claims, key, "HS256")).expires == 2**40 * 1000
    for token in (jwt.encode(claims, key * 2, "HS512"), jwt.encode(claims, None, "none")):
        assert refused(downloads.open_token, change, token) is Reason.ASSET_TOKEN_INVALID


def test_a_link_to_what_is_gone_is_not_found():
    """The signature is right, the asset is no more."""
    change = at(NOW)
    link = downloads.issue_link(change, ASSET)
    assets.REMOVE(change, ASSET)
    assert refused(downloads.asset_of_link, change, link) is Reason.NOT_FOUND


@pytest.mark.rule("R305")
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (AssetContent.ARCHIVE, "archive"),
        (AssetContent.COMBINED, "combined_video"),
        (AssetContent.CAPTIONS, "captions"),
        (AssetContent.INDIVIDUAL, "other"),
    ],
)
def test_downloads_have_kinds_of_their_own(content, kind):
    """Each content is one of the four."""
    assert downloads.kind(at(NOW), content) == kind


def test_a_kind_that_the_recording_has_not_is_refused():
    """What it has is found, also without saying so."""
    change = at(NOW)
    assert downloads.asset_of_kind(change, "c", "r", "combined_video") is downloads.asset_of_kind(
        change, "c", "r", None
    )
    assert refused(downloads.asset_of_kind, change, "c", "r", "captions") is Reason.RECORDING_WITHOUT
