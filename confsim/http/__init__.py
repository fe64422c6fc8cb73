"""HTTP: routes from the catalogues, the WSGI app, the live server. The only importer of werkzeug and of the server."""
