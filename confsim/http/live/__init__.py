"""The live server: a connection, the server, and the serving of worlds."""
