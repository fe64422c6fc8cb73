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
KEYS_CONTAINER = assumption(
    "channel-properties.container",
    "G097",
    "Container of the keys of a channel's properties: an array, an object with keys, or a map of keys to values.",
    "array",
    ("keys", "values"),
    "list_channel_properties",
)
TEXT_VALUE = assumption(
    "properties.text",
    "G099",
    "A property that is a text: answered as JSON with its quotes, as plain text, or every value inside an object.",
    "json",
    ("plain", "object"),
    "get_user_property get_channel_property",
)
