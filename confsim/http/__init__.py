"""HTTP: routes from the catalogues, the app, the WSGI application, the live server. The only importer of werkzeug and
httptools.
"""
