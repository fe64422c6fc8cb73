"""The users connected to the channels of a served world over websockets, and the notifications sent to them."""
