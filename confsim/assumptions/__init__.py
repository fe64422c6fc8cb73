"""The register of assumptions: every choice that the documents of the API leave open.

Each choice is an ``Assumption`` with an id in words. ``register.ask`` returns the value in force and notes that the
call used it; a profile (TOML) chooses alternatives. The modules are named for the packages of ``domain``;
``protocol`` holds what belongs to none of them, with the refusals. All entries whose ids share a prefix, the part
before the first dot, stand in one module.
"""
