"""One module for each thing that lives in a world: its records, its machine, its rules. Knows no HTTP and no JSON."""
