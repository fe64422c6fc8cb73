"""Calibrate: finds the alternative of each assumption that a service follows, from its answers to API calls alone.

Each call is also made in the model under every other value that it may distinguish from the one in force
(``alternatives``). An answer rules out the values that would have given another one; a value is claimed once all
others are ruled out. When it differs from the one in force, the model is made anew from the recorded exchanges,
without a request, and everything is judged again (``recording``, ``learner``). ``probing`` searches in the model for
calls that distinguish the values that are left.
"""
