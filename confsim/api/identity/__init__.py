"""The operations on providers, validators, API tokens, invitations and access levels."""
