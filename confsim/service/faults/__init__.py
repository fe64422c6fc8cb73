"""Fault injection: the specification, selection and effects of the failures that tests ask for."""
