"""What calls meet of the API, of what they can meet."""
