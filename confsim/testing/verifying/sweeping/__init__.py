"""The systematic start of a run: what is called in which order, and the services that it distinguishes."""
