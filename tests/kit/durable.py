"""Processes that keep their world in a directory."""

from __future__ import annotations

import shutil

URL = {"url": "https://terms.example/9"}


def killed(simulator):
    """End it and leave the files as kill -9 leaves them, with nothing tidied up."""
    stored = simulator.durable
    place = stored.store.path
    aside = place.with_name(f"{place.name}-aside")
    shutil.copytree(place, aside)
    stored._release()
    shutil.rmtree(place)
    aside.rename(place)


def busy(simulator):
    """Things made, changed and removed; timers set, cancelled and fired."""
    simulator.call("reserve_handle", "demo-user", body={"handle": "Held"})
    simulator.call("create_api_token", "demo-customer-admin", body={"label": "x"})
    simulator.call("set_user_image", "demo-user", userId="me", url="https://pictures.example/1.png")
    simulator.call("update_terms_url", "demo-api-token", body=URL)
    simulator.clock.advance("16m")
    room = simulator.call("create_channel", "demo-owner", body={"name": "Room"}).body["channelUuid"]
    simulator.call("delete_channel", "demo-owner", uuid=room)


def reported(simulator):
    """Everything about a world that is to come back."""
    service = simulator.service
    snapshots = {name: (each.now, each.world.digest()) for name, each in service.history.snapshots.items()}
    around = snapshots, service.provenance.outputs, service.faults.state(), service.settings
    return service.world.digest(), service.history.origin.digest(), service.clock.values(), *around
