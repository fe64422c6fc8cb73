"""The running of channels: presence, sessions, the lobby, streaming."""
