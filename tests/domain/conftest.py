"""Tests of the domain have the couplings in force: without them, machines would not influence each other."""

from __future__ import annotations

import confsim.api.catalogue  # noqa: F401 its modules declare the machines and the couplings
