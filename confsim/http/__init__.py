"""HTTP: routes, the app, the WSGI application, the live server. Only this package imports werkzeug and httptools."""
