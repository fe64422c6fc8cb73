"""The api_tokens family."""

from __future__ import annotations
