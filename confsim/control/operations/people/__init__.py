"""People around a world: their accounts, phones and presence, and what their clients have."""
