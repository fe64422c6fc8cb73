"""Calls to the conferencing service: tours through its operations, and those that show its bugs."""
