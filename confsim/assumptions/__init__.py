"""The register of everything the documents do not say.

Every choice the API's documents leave open is an ``Entry`` with an id in words. Code asks for the choice with ``ask``,
which also notes that the call leaned on it. A ``Profile`` (TOML) chooses alternatives.
"""
