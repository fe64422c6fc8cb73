"""Who a caller is: credentials, providers, validators, invitations, access levels."""
