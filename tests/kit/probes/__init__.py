"""Makes the probes that ship, and notes which values API calls alone can show."""
