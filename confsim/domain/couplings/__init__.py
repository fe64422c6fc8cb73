"""Couplings between machines: transitions that fire other events, emitted events, and cascades of deletions."""
