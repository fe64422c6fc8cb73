"""The channel_properties family."""

from __future__ import annotations
