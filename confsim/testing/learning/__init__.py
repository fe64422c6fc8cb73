"""Learning from a real service: its answers are compared with those of a model, by the API alone.

The model is a world of confsim. Ids, tokens, links and instants of the two sides are matched by their places in the
declared types (``places``, ``correspondence``), never compared as text.
"""
