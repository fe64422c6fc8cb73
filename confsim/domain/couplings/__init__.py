"""What each thing does to others: triggers that it fires, events and mail, and what its removal takes along.

A module for each package of things; a row says what one causes, its finder stands above it.
"""

from . import breakout, channels, clients, deliveries, events, recordings, runtime, telephony

__all__ = ("breakout", "channels", "clients", "deliveries", "events", "recordings", "runtime", "telephony")
