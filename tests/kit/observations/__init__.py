"""What real calls of each operation give, which the OpenAPI documents show."""
