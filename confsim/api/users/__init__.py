"""The operations on users: profiles, addresses, handles, languages, predefined users, properties."""
