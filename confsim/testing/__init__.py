"""Property-based contract testing: strategies for arguments, targets to call, journeys that drive them side by side.

The one room that imports hypothesis.
"""
