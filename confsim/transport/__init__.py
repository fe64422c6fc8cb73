"""Transports: send requests of operations to a world in this process, through a WSGI application, or on a server."""
