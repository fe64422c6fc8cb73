"""Assumptions about users: how they are shown and listed, their handles, addresses and languages."""
