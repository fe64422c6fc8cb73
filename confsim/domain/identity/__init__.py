"""The identity of callers: credentials, providers, validators, invitations, access levels."""
