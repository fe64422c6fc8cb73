"""Mutation: small changes of the source and of the tables of machines, and which tests notice them.

Tables are compared with tables of the tests' own (``tests/data/machines``, ``tests/data/influence.toml``), which are
made from the documents and changed with them alone.
"""
