"""Who belongs to a channel or client, and what they may do there."""
