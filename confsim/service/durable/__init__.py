"""Durable worlds: a store, the records in it, and the recovery from them."""
