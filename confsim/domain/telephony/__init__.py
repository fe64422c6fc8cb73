"""Phone numbers, PINs, calls and what they cost."""
