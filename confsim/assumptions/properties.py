"""Properties of users and channels: values under keys."""

from __future__ import annotations

from .register import assumption

# properties.*
PROPERTY_MISSING = assumption(
    "properties.missing",
    "G247",
    "A property that was never stored: refused as not found, or null.",
    "refused",
    ("null",),
    "get_user_property",
)
PROPERTY_NULL = assumption(
    "properties.null",
    "G248",
    "Storing null: it is a value like any other, or removes the property. An empty body is refused in either case.",
    "stored",
    ("removes",),
    "set_user_property set_channel_property",
)

# channel-properties.*
CHANNEL_PROPERTY_MISSING = assumption(
    "channel-properties.missing",
    "G356",
    "A property of a channel that was never stored: refused as not found, or null.",
    "refused",
    ("null",),
    "get_channel_property",
)
