"""Users of a client: their accounts, lists, handles, addresses, languages and images."""
