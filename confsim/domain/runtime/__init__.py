"""Running channels: presence, sessions, the lobby, streaming."""
