"""How things influence each other: what moves what, what is emitted, what a deletion takes along."""
