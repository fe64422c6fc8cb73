"""The people who are connected to the channels of a served world over websockets, and what they are told."""
