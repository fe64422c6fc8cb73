"""The live server: one connection, the server of connections, and worlds on a server."""
