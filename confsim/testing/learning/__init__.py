"""Learning from a real service: its answers are compared with those of a model, by the API alone.

The model is a world of confsim, made of what the accounts can read (``discovering``). A call names things as the model
does and is translated on its way to the service (``calls``). Ids, tokens, links and instants of two answers are matched
by their places in the declared types (``comparing``), never compared as text. Which calls are allowed is decided in one
place (``scope``).
"""
