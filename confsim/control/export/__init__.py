"""Exports: journals as curl commands, a pytest test, an Arazzo scenario or a HAR."""
