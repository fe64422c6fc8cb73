"""The wire contract: types, the declaration of operations, gates, decoding, encoding, OpenAPI. Knows no domain."""
