"""Recordings of sessions, their assets and how these are downloaded."""
