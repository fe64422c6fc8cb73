"""Channels: the meeting rooms of a client, their switches, links and lists."""
