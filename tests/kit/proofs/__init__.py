"""Checks of properties over the whole catalogue, for the suite in part and for campaigns in full."""
