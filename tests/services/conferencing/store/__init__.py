"""What is kept: the tables, their records, ids, and what there is at the start."""
