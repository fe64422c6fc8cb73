"""Probes that no known one takes the place of: they are searched among calls that are drawn."""

from __future__ import annotations

import pytest

from confsim.testing.calibrating import playing
from confsim.testing.calibrating.raw import RawPlayer
from kit import choices
from kit.beside import Beside


@pytest.fixture
def sought(monkeypatch):
    """Calibrate under a profile by searched probes of one assumption alone; answers the report."""

    def calibrating(profile, id):
        monkeypatch.setattr(playing, "probes", lambda: ())
        monkeypatch.setattr(playing, "_telling", dict)
        monkeypatch.setattr(RawPlayer, "wanted", lambda self: iter(()))
        calibrator = Beside(profile).calibrator(journeys=4)
        monkeypatch.setattr(calibrator, "_sought", (id,))
        return calibrator.run()

    return calibrating


@pytest.mark.parametrize("grant", ["customer-admin", "user"])
def test_who_may_look_up_what_is_not_there_is_found_out(sought, grant):
    """A run that can make no room asks for an unknown one, by several callers until one value alone is left."""
    gate = "gate.find_channel_by_meeting_id"
    report = sought(choices(size__json_body=2, gate__find_channel_by_meeting_id=[grant]), gate)
    assert report.learned[gate] == [grant]
    assert report.contradicted == []
