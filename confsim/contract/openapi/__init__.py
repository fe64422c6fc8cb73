"""OpenAPI documents, derived from the declarations of operations."""
