"""Scenarios: Arazzo 1.0 documents, read, checked against the catalogues of operations, and run over any transport."""
