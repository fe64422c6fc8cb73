from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confsim import Simulator
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.media import media
from confsim.domain.media.media import AssetSort, File, Search
from confsim.kernel.document import restored
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, ROOM

ORIGIN = Simulator(clock=0).service.world


def pools(change):
    """The pool of the demo room, and that of its client."""
    room, client = channels.get(change, CUSTOMER, ROOM), clients.get(change, CUSTOMER)
    return [media.of_channel(room), media.of_client(change, client)]


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
