"""MP4 files out of nothing: a grey picture in H.264, silence in AAC, and the boxes around them (ISO/IEC 14496-12).

Everything is made bit by bit and is the same every time; any player opens it.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import pack

from msgspec import Struct

WIDTH, HEIGHT, RATE = 320, 240, 25
_BLOCKS = WIDTH // 16, HEIGHT // 16

#: AAC-LC, 48 kHz, one channel; a frame holds 1024 samples of silence.
_AUDIO_RATE, _AUDIO_FRAME = 48_000, 1024
_AUDIO_CONFIG = bytes((0x11, 0x88))
_SILENCE = bytes((0x00, 0xC8, 0x00, 0x80, 0x23, 0x80))

_MATRIX = pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)


class Track(Struct, frozen=True):
    """One track: its samples, how long each lasts in ticks of its scale, and what describes them."""

    handler: bytes
    scale: int
    span: int
    entry: bytes
    media: bytes
    samples: tuple[bytes, ...]
    width: int = 0
    height: int = 0

    @property
    def milliseconds(self) -> int:
        """How long the track lasts."""
        return len(self.samples) * self.span * 1000 // self.scale


def video(seconds: int) -> Track:
    """A grey picture that stands for so many seconds."""
    frames = tuple(_picture(number) for number in range(seconds * RATE))
    return Track(b"vide", RATE * 512, 512, _avc1(), _full(b"vmhd", 1, bytes(8)), frames, WIDTH, HEIGHT)


def audio(seconds: int) -> Track:
    """Silence for at least so many seconds."""
    count = -(-seconds * _AUDIO_RATE // _AUDIO_FRAME)
    return Track(b"soun", _AUDIO_RATE, _AUDIO_FRAME, _mp4a(), _full(b"smhd", 0, bytes(4)), (_SILENCE,) * count)


def movie(brand: bytes, *tracks: Track) -> bytes:
    """A file of these tracks, which can be played while it still loads."""
    head = _box(b"ftyp", brand + pack(">I", 0x200) + brand + b"isomiso2mp41")
    # Offsets have one size whatever they are, so that a draft tells where the samples will begin.
    start = len(head) + len(_moov(tracks, 0)) + 8
    return head + _moov(tracks, start) + _box(b"mdat", b"".join(sample for track in tracks for sample in track.samples))


# Boxes


def _box(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return pack(">I4s", 8 + len(body), kind) + body


def _full(kind: bytes, flags: int, *parts: bytes) -> bytes:
    return _box(kind, pack(">I", flags), *parts)


def _moov(tracks: Iterable[Track], start: int) -> bytes:
    traks, longest, number = [], 0, 0
    for number, track in enumerate(tracks, 1):
        traks.append(_trak(track, number, start))
        start += sum(map(len, track.samples))
        longest = max(longest, track.milliseconds)
    mvhd = pack(">IIIIIH", 0, 0, 1000, longest, 0x10000, 0x100) + bytes(10) + _MATRIX + bytes(24)
    return _box(b"moov", _full(b"mvhd", 0, mvhd, pack(">I", number + 1)), *traks)


def _trak(track: Track, number: int, start: int) -> bytes:
    tkhd = pack(">IIIII8xHHHH", 0, 0, number, 0, track.milliseconds, 0, 0, 0x100 if track.width == 0 else 0, 0)
    size = pack(">II", track.width << 16, track.height << 16)
    mdhd = pack(">IIIIHH", 0, 0, track.scale, len(track.samples) * track.span, 0x55C4, 0)
    hdlr = pack(">I4s12x", 0, track.handler) + b"confsim\0"
    dinf = _box(b"dinf", _full(b"dref", 0, pack(">I", 1), _full(b"url ", 1)))
    minf = _box(b"minf", track.media, dinf, _stbl(track, start))
    mdia = _box(b"mdia", _full(b"mdhd", 0, mdhd), _full(b"hdlr", 0, hdlr), minf)
    return _box(b"trak", _full(b"tkhd", 3, tkhd, _MATRIX, size), mdia)


def _stbl(track: Track, start: int) -> bytes:
    count = len(track.samples)
    parts = [
        _full(b"stsd", 0, pack(">I", 1), track.entry),
        _full(b"stts", 0, pack(">III", 1, count, track.span)),
        _full(b"stsc", 0, pack(">IIII", 1, 1, count, 1)),
        _full(b"stsz", 0, pack(">II", 0, count), *(pack(">I", len(sample)) for sample in track.samples)),
        _full(b"stco", 0, pack(">II", 1, start)),
    ]
    if track.width:
        parts.append(_full(b"stss", 0, pack(">II", 1, 1)))
    return _box(b"stbl", *parts)


def _avc1() -> bytes:
    sps, pps = _sequence(), _pictures()
    config = bytes((1, *sps[1:4], 0xFF, 0xE1)) + pack(">H", len(sps)) + sps + b"\1" + pack(">H", len(pps)) + pps
    shape = pack(">HHIIIH", WIDTH, HEIGHT, 0x480000, 0x480000, 0, 1) + bytes(32) + pack(">Hh", 24, -1)
    return _box(b"avc1", bytes(6), pack(">H", 1), bytes(16), shape, _box(b"avcC", config))


def _mp4a() -> bytes:
    decoder = _tagged(4, pack(">BB3xII", 0x40, 0x15, 0, 0) + _tagged(5, _AUDIO_CONFIG))
    esds = _full(b"esds", 0, _tagged(3, pack(">HB", 1, 0) + decoder + _tagged(6, b"\2")))
    return _box(b"mp4a", bytes(6), pack(">H", 1), bytes(8), pack(">HHHHI", 1, 16, 0, 0, _AUDIO_RATE << 16), esds)


def _tagged(tag: int, body: bytes) -> bytes:
    return bytes((tag, len(body))) + body


# H.264 (ITU-T H.264, 7.3): Baseline, no reordering, one reference


class _Bits:
    """Bits one after another, with the Exp-Golomb codes of the standard."""

    def __init__(self) -> None:
        self._text = ""

    def put(self, *bits: int) -> _Bits:
        self._text += "".join(map(str, bits))
        return self

    def ue(self, *values: int) -> _Bits:
        for value in values:
            code = f"{value + 1:b}"
            self._text += "0" * (len(code) - 1) + code
        return self

    def unit(self, kind: int) -> bytes:
        """The bits as a NAL unit of this kind: trailing bits, and no start code inside."""
        text = self._text + "1"
        text += "0" * (-len(text) % 8)
        unit, zeros = bytearray((kind,)), 0
        for byte in int(text, 2).to_bytes(len(text) // 8, "big"):
            if zeros == 2 and byte <= 3:
                unit.append(3)
                zeros = 0
            unit.append(byte)
            zeros = zeros + 1 if byte == 0 else 0
        return bytes(unit)


def _sequence() -> bytes:
    """The sequence parameter set: its profile and level are its first three bytes."""
    bits = _Bits().put(*map(int, f"{66:08b}{0xC0:08b}{30:08b}"))
    bits.ue(0, 0, 2, 1).put(0).ue(_BLOCKS[0] - 1, _BLOCKS[1] - 1)
    return bits.put(1, 1, 0, 0).unit(0x67)


def _pictures() -> bytes:
    """The picture parameter set."""
    return _Bits().ue(0, 0).put(0, 0).ue(0, 0, 0).put(0, 0, 0).ue(0, 0, 0).put(0, 0, 0).unit(0x68)


def _picture(number: int) -> bytes:
    """The first picture is grey: every block predicted from nothing, without a residue. The others repeat it."""
    count = _BLOCKS[0] * _BLOCKS[1]
    if number == 0:
        bits = _Bits().ue(0, 7, 0).put(0, 0, 0, 0).ue(0).put(0, 0).ue(0)
        for _ in range(count):
            bits.ue(3, 0, 0).put(1)
        unit = bits.unit(0x65)
    else:
        frame = map(int, f"{number % 16:04b}")
        unit = _Bits().ue(0, 5, 0).put(*frame, 0, 0, 0).ue(0, count).unit(0x41)
    return pack(">I", len(unit)) + unit
