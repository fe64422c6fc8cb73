"""Verify: journeys through a service and a model side by side; each difference is shrunk, explained and printed.

Candidates are tried in the model first, which costs no request. A run begins with every operation (``sweeping``), by
callers who may and callers who may not; services that lose a change, make half of it or make what they refuse are
followed beside the model (``sweeping.wrong_services``), so that one read distinguishes several of them. After that
it makes the calls that show most that is new (``novelty``). A difference is made again on fresh things by ever fewer
calls (``shrinking``), and under other values of the assumptions that were used (``explaining``).
"""
