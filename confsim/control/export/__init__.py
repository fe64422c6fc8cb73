"""Journals written as something to be run again: curl commands, a pytest test, an Arazzo scenario, a HAR."""
