"""The operations on providers, validators, API tokens and access levels."""
