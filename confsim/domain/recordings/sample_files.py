"""Sample files of recordings: small, valid, and equal for the same recording. They contain no recorded media."""

from base64 import b85decode
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from zlib import decompress

#: The duration of a file in seconds, independent of the duration of the recording.
SECONDS = 2

# Printed by fixtures/make_films.py: zlib-compressed MP4 files as base85 text.
_MOVIE = (
    "c-muNU{FXasVvAXFfn3aU}6B#nZ^0JKx_nL8!|Akh2-YvmoYFf<m8rRq%fcW<`)bM>{l5W89)dD7*SQB^BoxQ0%o8)c9s++W&_zVCD~v*nK4ac"
    "zks2W2zwbp#0L<MDKs}FGZDy8$W1}_7ceLoQW!#yfH@i&DLF+jnX=53RAiOO`FUx@nYkeISaUP;(tr$+vRtrv$hNDbK;&dnic-^%T*p&dl%oJ)"
    "GafB2Ny-7TTZ>DIQ;^h@CYB`|;_xBJKOY!8fD8{@DlmY=|NlTz9%!mFqtgMo{|^~B(t-3XR`w^13@jPvEE+(Hic3n0k&FZ<4v+_cj!Q-ohsuHJ"
    "J3zTA)KFwJ0n%K<0E-ltB<Cai%~k^uD=tP23ubjZ36}|)aIa#dQIawY(_!2RcXtB=V+GcPTby5-ha=$@Lldq*aW0B^L?l`!b7-QCMoYBbz``RD"
    "!#9i!0#H|ifO=|i3OM|jC4n+5f)1icma{SmcCaxrVM&T{3=Ax|l42Y*FZG}$MUXh#C>{`umUTF10V6jmHzlzI$TdjqXqh|;hz18hVd^+biBY!!"
    "!g7MMlHjZ+IBOA{bqLOS1Y^x+g0tY}&4!yd8*bigxOubT=FNtiHydu=EVy~2?xTkLPB1hmkCLM#2_yjYH$+A"
)
_SOUND = (
    "c-muNU{FXasVwj{aa3SnU}6B#nZ^0JKx~v-U}DI?z&txQKfjEDfgvZiEF*;h1u(y0U|_$>z{mhX2*8M{3Z3u3fEO?U%~dZcO3VhbV@k5Yb~0m{"
    "2DBGlkR*GV4(Fz1CIT4>xhd%W+TFmwSiul_1kBOMNXaRJ$rR_8<{_(0&d*CL&dddwSDc%fmj+}A6z8Itr;-8@mq{r~O+#`SPiaw(0))+EUR;ut"
    "17t@RmlUTUsqqHJK_Z547#Reht^@(~)Z&z4aBN5dWmp6qM3F3KWfJUQV*~~%gG6yjNimX9aSRMBAhrz9%48&Qs2n&_dw_CPNTz|r*+%hzV3FdI"
    "<a|UtF&_pd8=Kse#1e)R3=PT+qvR+_JP81QVfIV"
)


@cache
def movie() -> bytes:
    """A grey picture with silence, as MP4."""
    return decompress(b85decode(_MOVIE))


@cache
def sound() -> bytes:
    """Silence alone, as MP4."""
    return decompress(b85decode(_SOUND))


def captions(text: str) -> bytes:
    """A WebVTT file with one cue, of the duration of the sample files."""
    return f"WEBVTT\n\n00:00:00.000 --> 00:00:{SECONDS:02}.000\n{text}\n".encode()


def archive(members: Iterable[tuple[str, bytes]]) -> bytes:
    """An uncompressed ZIP archive of members by name. Equal members give equal bytes: each is dated 1 January 1980."""
    from zipfile import ZipFile, ZipInfo

    file = BytesIO()
    with ZipFile(file, "w") as opened:
        for name, data in members:
            member = ZipInfo(name)
            member.create_system = 3  # Unix on every machine
            opened.writestr(member, data)
    return file.getvalue()
