"""Coverage: how much of the API calls have shown."""
