"""The users connected to the channels of a served world by websockets, and the notifications sent to them."""
