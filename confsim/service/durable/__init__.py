"""Durable worlds: a store, what is recorded in it, and what is recovered from it."""
