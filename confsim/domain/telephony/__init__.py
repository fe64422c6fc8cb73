"""Phone numbers, PINs, calls and their prices."""
