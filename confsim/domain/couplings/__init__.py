"""Couplings between machines: transitions that fire other triggers, emitted events, and cascades of deletions."""
