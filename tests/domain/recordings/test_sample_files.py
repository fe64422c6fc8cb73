from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from runpy import run_path

import pytest
from hypothesis import given, strategies as st

from confsim.domain.recordings import sample_files as files

#: The script from which the films come.
SCRIPT = Path(__file__).parents[3] / "fixtures" / "make_films.py"
SIZE, RATE = (320, 240), 25
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
    assert (len(pictures), len(sounds)) == (files.SECONDS * RATE, 94)
    assert all(struct.unpack(">I", each[:4])[0] == len(each) - 4 for each in pictures)
    assert [each[4] & 31 for each in pictures[:3]] == [5, 1, 1]  # an IDR picture, then others that refer to it
    assert data[first_end : first_end + len(sounds[0])] == sounds[0]
    assert end == len(data)


def test_the_head_of_a_file_comes_before_its_samples():
    """So that it can be played while it loads; the brand says what it is."""
    for data, brand in ((files.movie(), b"mp42"), (files.sound(), b"M4A ")):
        outer = [kind for kind, _ in boxes(data) if kind in (b"ftyp", b"moov", b"mdat")]
        assert outer == [b"ftyp", b"moov", b"mdat"]
        assert data[8:12] == brand


def test_duration():
    """The head of the file and that of each track agree to the hundredth of a second."""
    for data in (files.movie(), files.sound()):
        head = dict(boxes(data))
        scale, length = struct.unpack_from(">II", head[b"mvhd"], 12)
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
    assert struct.unpack_from(">HH", entry, entry.index(b"avc1") + 28) == SIZE


def test_the_films_are_those_of_the_script():
    """The script in fixtures/ makes the bytes of both constants."""
    made = run_path(str(SCRIPT))
    assert made["SECONDS"] == files.SECONDS
    assert (made["movie"](), made["sound"]()) == (files.movie(), files.sound())


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
