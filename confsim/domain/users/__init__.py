"""Users of a client: their accounts, handles, addresses, languages and images."""
