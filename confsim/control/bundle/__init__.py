"""Bundles: a journal in one file, complete enough to be replayed by anybody, elsewhere.

A replay makes each call again in a world of its own and compares the answers byte by byte. In a masked bundle stand-ins
take the place of secrets: ``masking`` finds them, ``substitution`` replaces them, ``masked`` makes the calls.
"""
