"""A successful call of every operation, and worlds that are grown, for the benchmarks and the test of growth."""
