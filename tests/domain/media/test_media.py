"""Media pools at the domain's own functions: uploads, searches, batches, links."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.media import media
from confsim.domain.media.media import AssetSort, File, Search
from confsim.kernel.document import restored
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, NOTHING, ROOM, refused

ORIGIN = Simulator(clock=0).service.world


def pools(change):
    """The pool of the demo room, and that of its client."""
    room, client = channels.get(change, CUSTOMER, ROOM), clients.get(change, CUSTOMER)
    return [media.of_channel(room), media.pool(change, client, None)]


FILES = st.lists(
    st.builds(File, name=st.text(min_size=1, max_size=3), data=st.binary(min_size=1, max_size=4)), max_size=8
)


@given(files=FILES, sort=st.sampled_from(AssetSort), place=st.sampled_from([0, 1]))
def test_ascending_is_descending_reversed(files, sort, place):
    """Ties included, so that paging either way meets every asset once."""
    change = ORIGIN.change(0)
    pool = pools(change)[place]
    made = [media.upload(change, pool, file).id for file in files]
    up, down = (
        [each.id for each in media.list_assets(change, pool, Search(), sort, descending=flag)] for flag in (False, True)
    )
    assert up == down[::-1]
    assert sorted(up) == sorted(made)


@given(files=FILES, gone=st.sets(st.integers(0, 7)))
def test_what_is_used_is_what_is_there(files, gone):
    """The bytes of the assets that were not deleted; the other pool is not touched."""
    change = ORIGIN.change(0)
    pool, other = pools(change)
    made = [media.upload(change, pool, file) for file in files]
    for place in gone:
        if place < len(made):
            media.delete(change, made[place])
    left = [asset.size for place, asset in enumerate(made) if place not in gone]
    assert (media.used(change, pool), media.used(change, other)) == (sum(left), 0)


def test_a_signature_is_of_one_asset_instant_and_world():
    """Another of any of them has another."""
    change = ORIGIN.change(0)
    pool = pools(change)[0]
    one, two = (media.upload(change, pool, File("a", b"x")) for _ in range(2))
    elsewhere = Simulator(seed=1, clock=0).service.world.change(0)
    signed = {
        media.sign_link(change, one, 1),
        media.sign_link(change, one, 2),
        media.sign_link(change, two, 1),
        media.sign_link(elsewhere, one, 1),
    }
    assert len(signed) == 4
    with pytest.raises(Refusal, match="media_link_invalid"):
        media.follow_link(change, CUSTOMER, one.id, 1, media.sign_link(change, two, 1))


def test_bytes_survive_export_and_restoration():
    """A world written out and read in again has them, and the same links."""
    change = ORIGIN.change(0)
    asset = media.upload(change, pools(change)[0], File("a", b"\x00\xff"))
    world = change.commit()
    again = restored(msgspec.json.decode(b"".join(world.encoded())))
    assert again.digest() == world.digest()
    there = again.change(0)
    assert media.follow_link(there, CUSTOMER, asset.id, 9, media.sign_link(there, asset, 9)).data == b"\x00\xff"


def named(change, pool, search=Search()):  # noqa: B008  (it is frozen)
    """The names of the assets that match, in order of their names."""
    return [each.name for each in media.list_assets(change, pool, search, AssetSort.NAME, descending=False)]


@pytest.fixture(params=[0, 1], ids=["channel", "client"])
def tagged(request):
    """A change and each of the pools, with three assets of different tags."""
    change = ORIGIN.change(0)
    pool = pools(change)[request.param]
    for name, tags in {"Beta": ("red", "blue"), "alpha": ("blue",), "Gamma": ("red",)}.items():
        media.set_tags(change, media.upload(change, pool, File(name, b"x")), tags)
    return change, pool


@pytest.mark.rule("R515", "R516", "R517")
@pytest.mark.parametrize(
    ("search", "names"),
    [
        (Search(), ["alpha", "Beta", "Gamma"]),
        (Search(query="ALPHA"), ["alpha"]),
        (Search(tags_all=("red",)), ["Beta", "Gamma"]),
        (Search(tags_all=("red", "blue")), ["Beta"]),
        (Search(tags_any=("blue", "green")), ["alpha", "Beta"]),
        (Search(tags_all=("red",), tags_any=("blue", "green")), ["Beta"]),
        (Search(query="gam", tags_all=("red",)), ["Gamma"]),
        (Search(query="gam", tags_any=("blue",)), []),
        (Search(tags_all=("RED",)), []),
    ],
)
def test_every_filter_narrows_the_list(tagged, search, names):
    """A text within the name, all of some tags, one of others; tags are matched in their case."""
    assert named(*tagged, search) == names


def test_tags_may_match_without_case(tagged):
    """Where a profile says so (G509)."""
    change, pool = tagged
    change.carried = ProfileContext({"media.tag-match": "caseless"})
    assert named(change, pool, Search(tags_all=("RED",))) == ["Beta", "Gamma"]


@pytest.mark.rule("R512")
@pytest.mark.parametrize(("choice", "inherits"), [("separate", False), ("inherited", True)])
def test_whether_a_channel_reads_the_pool_of_its_client(choice, inherits):
    """An id of the client's pool is not there; or it is read, and still not deleted, in the channel (G511)."""
    change = Simulator(clock=0, profile={"media.pools": choice}).service.change()
    channel, client = pools(change)
    ours = media.upload(change, client, File("ours", b"x"))
    mine = media.upload(change, channel, File("Mine", b"x"))
    assert media.get(change, channel, mine.id) == mine
    assert named(change, channel) == ["Mine", "ours"][: 1 + inherits]
    if inherits:
        assert media.get(change, channel, ours.id) == ours
    else:
        assert refused(media.get, change, channel, ours.id) is Reason.NOT_FOUND
    assert refused(media.get_own, change, channel, ours.id) is Reason.NOT_FOUND
    assert refused(media.get, change, client, mine.id) is Reason.NOT_FOUND


def test_an_upload_without_a_byte_is_refused():
    """Nothing is stored (G506)."""
    change = ORIGIN.change(0)
    pool = pools(change)[0]
    assert refused(media.upload, change, pool, File("a", b"")) is Reason.MEDIA_MISSING
    assert named(change, pool) == []


def test_a_pool_is_full_at_its_limit():
    """What fits to the byte is stored, one more is refused; a pool without a limit takes any number (G513)."""
    change = ORIGIN.change(0)
    limited = media.Pool(CUSTOMER, None, 3)
    media.upload(change, limited, File("a", b"xxx"))
    assert refused(media.upload, change, limited, File("b", b"x")) is Reason.MEDIA_POOL_FULL
    media.upload(change, media.Pool(CUSTOMER, None, 0), File("c", b"x"))
    assert named(change, limited) == ["a", "c"]


@pytest.mark.parametrize(("choice", "left"), [("all-or-nothing", None), ("skip", ["b"])])
def test_a_batch_that_names_an_unknown_asset(choice, left):
    """It is refused, or the others are deleted (G572); each is deleted once."""
    change = Simulator(clock=0, profile={"media.batch": choice}).service.change()
    pool = pools(change)[0]
    one, _ = (media.upload(change, pool, File(name, b"x")) for name in "ab")
    if left is None:
        assert refused(media.delete_several, change, pool, [NOTHING, one.id]) is Reason.NOT_FOUND
        assert named(change, pool) == ["a", "b"]
    media.delete_several(change, pool, [one.id, one.id] if left is None else [NOTHING, one.id, one.id])
    assert named(change, pool) == ["b"]


@pytest.mark.rule("R331")
@pytest.mark.parametrize("choice", [True, False])
def test_public_bytes_are_read_without_a_signature(choice):
    """Where that is assumed; private ones never are (G510)."""
    change = Simulator(clock=0, profile={"media.public-read": choice}).service.change()
    public, private = (media.upload(change, pools(change)[0], File("a", b"x", public=flag)) for flag in (True, False))
    if choice:
        assert media.follow_link(change, CUSTOMER, public.id, None, None) == public
    else:
        assert refused(media.follow_link, change, CUSTOMER, public.id, None, None) is Reason.MEDIA_LINK_INVALID
    assert refused(media.follow_link, change, CUSTOMER, private.id, None, None) is Reason.MEDIA_LINK_INVALID
    assert media.follow_link(change, CUSTOMER, private.id, 9, media.sign_link(change, private, 9)) == private


def test_the_pool_goes_with_its_channel():
    """Assets of a deleted channel are gone, those of the client stay (G309)."""
    change = ORIGIN.change(0)
    channel, client = pools(change)
    asset = media.upload(change, channel, File("a", b"x"))
    media.upload(change, client, File("b", b"x"))
    channels.delete(change, channels.get(change, CUSTOMER, ROOM))
    assert refused(media.get_of_client, change, CUSTOMER, asset.id) is Reason.NOT_FOUND
    assert (named(change, channel), named(change, client)) == ([], ["b"])


@pytest.mark.rule("R514")
@pytest.mark.parametrize("choice", ["separate", "inherited"])
@pytest.mark.parametrize(
    ("order", "sort", "names"),
    [
        ("caseless", AssetSort.CREATED, ["b", "C", "a"]),
        ("caseless", AssetSort.SIZE, ["C", "b", "a"]),
        ("caseless", AssetSort.NAME, ["a", "b", "C"]),
        ("binary", AssetSort.NAME, ["C", "a", "b"]),
        ("binary", AssetSort.SIZE, ["C", "b", "a"]),
    ],
)
def test_assets_are_listed_by_age_size_or_name(choice, order, sort, names):
    """Names without regard to case or by code points; also where a channel lists the pool of its client (G511)."""
    change = Simulator(clock=0, profile={"media.pools": choice, "lists.text-order": order}).service.change()
    channel, client = pools(change)
    for now, (name, size) in enumerate({"b": 2, "C": 1, "a": 3}.items()):
        change.now = now
        pool = client if choice == "inherited" and name == "C" else channel
        media.upload(change, pool, File(name, b"x" * size))
    for descending, expected in ((False, names), (True, names[::-1])):
        found = media.list_assets(change, channel, Search(), sort, descending=descending)
        assert [each.name for each in found] == expected
