"""Whether the tests that carry the mark of a rule fail when the behaviour of the rule is broken."""
