from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confsim.domain.recordings import files, mp4

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"dinf"}


def boxes(data):
    """Every box of the file, its kind and its content, those inside others too; the lengths must add up."""
    place = 0
    while place < len(data):
        size, kind = struct.unpack_from(">I4s", data, place)
        assert 8 <= size <= len(data) - place
        body = data[place + 8 : place + size]
        yield kind, body
        if kind in CONTAINERS:
            yield from boxes(body)
        place += size


def tracks(data):
    """For each track its handler, its boxes by kind, its samples, and where they end in the file."""
    found = []
    for kind, body in boxes(data):
        if kind == b"trak":
            track = dict(boxes(body))
            count = struct.unpack_from(">I", track[b"stsz"], 8)[0]
            sizes = struct.unpack_from(f">{count}I", track[b"stsz"], 12)
            place = struct.unpack_from(">I", track[b"stco"], 8)[0]
            samples = []
            for size in sizes:
                samples.append(data[place : place + size])
                place += size
            found.append((track[b"hdlr"][8:12], track, samples, place))
    return found


def test_the_movie_has_a_picture_and_sound():
    """The offsets lead to the samples, which fill the file to its last byte."""
    data = files.movie()
    (video, _, pictures, first_end), (audio, _, sounds, end) = tracks(data)
    assert (video, audio) == (b"vide", b"soun")
    assert (len(pictures), len(sounds)) == (files.SECONDS * mp4.RATE, 94)
    assert all(struct.unpack(">I", each[:4])[0] == len(each) - 4 for each in pictures)
    assert [each[4] & 31 for each in pictures[:3]] == [5, 1, 1]  # an IDR picture, then others that lean on it
    assert data[first_end : first_end + len(sounds[0])] == sounds[0]
    assert end == len(data)


def test_the_head_of_a_file_comes_before_its_samples():
    """So that it can be played while it loads; the brand says what it is."""
    for data, brand in ((files.movie(), b"mp42"), (files.sound(), b"M4A ")):
        outer = [kind for kind, _ in boxes(data) if kind in (b"ftyp", b"moov", b"mdat")]
        assert outer == [b"ftyp", b"moov", b"mdat"]
        assert data[8:12] == brand


def test_a_file_tells_how_long_it_lasts():
    """The head of the file and that of each track agree to the hundredth of a second."""
    for data in (files.movie(), files.sound()):
        told = dict(boxes(data))
        scale, length = struct.unpack_from(">II", told[b"mvhd"], 12)
        assert length / scale == pytest.approx(files.SECONDS, abs=0.01)
        for _, track, samples, _ in tracks(data):
            scale, length = struct.unpack_from(">II", track[b"mdhd"], 12)
            count, span = struct.unpack_from(">II", track[b"stts"], 8)
            assert (count, length) == (len(samples), count * span)
            assert length / scale == pytest.approx(files.SECONDS, abs=0.01)


def test_the_picture_is_described():
    """Size, Baseline profile, and both parameter sets, without a start code in them."""
    entry = tracks(files.movie())[0][1][b"stsd"]
    place = entry.index(b"avcC") + 4
    version, profile, compatibility, level, lengths, count = entry[place : place + 6]
    assert (version, profile, compatibility, level, lengths, count) == (1, 66, 0xC0, 30, 0xFF, 0xE1)
    size = struct.unpack_from(">H", entry, place + 6)[0]
    assert entry[place + 8] & 31 == 7
    assert entry[place + 8 + size] == 1
    assert entry[place + 11 + size] & 31 == 8
    assert struct.unpack_from(">HH", entry, entry.index(b"avc1") + 28) == (mp4.WIDTH, mp4.HEIGHT)


def test_files_are_the_same_every_time():
    """Byte for byte, also when they are made anew."""
    assert files.movie.__wrapped__() == files.movie()
    assert files.sound.__wrapped__() == files.sound()


def test_captions_are_webvtt():
    """The signature, one cue of the length of the file, its text."""
    assert files.captions("Ä") == "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nÄ\n".encode()


@given(st.dictionaries(st.text(st.characters(exclude_characters="/\\\0:", codec="utf-8"), min_size=1), st.binary()))
def test_an_archive_gives_back_its_members(members):
    """Names and bytes in their order, each with the date of the oldest ZIP file."""
    with zipfile.ZipFile(io.BytesIO(files.archive(members.items()))) as opened:
        assert opened.testzip() is None
        assert {info.filename: opened.read(info) for info in opened.infolist()} == members
        assert {info.date_time for info in opened.infolist()} <= {(1980, 1, 1, 0, 0, 0)}
