"""The checks of a call in their order: its credential, its caller, what it names, what it brings."""
