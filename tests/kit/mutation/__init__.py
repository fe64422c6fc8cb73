"""Mutation: small changes of the source and of the tables of machines, and which tests notice them."""
