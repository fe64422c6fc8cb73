"""The operations of telephony: switches, PINs, inbound numbers, calls."""
