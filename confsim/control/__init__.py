"""The control plane: what tests do to a world and ask about it beside the API. It is mounted at /_confsim.

``control.catalogue`` declares the operations; a server imports it with the first call.
"""
