"""The operations on users: profiles, handles, predefined users, invitations, properties."""
