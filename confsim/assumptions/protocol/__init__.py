"""Assumptions about the protocol: what concerns every family and belongs to no package of the domain."""
