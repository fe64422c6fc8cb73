"""The app_sessions family."""

from __future__ import annotations
