"""The operations of the simulated API, one module for each family: here the domain meets the wire."""
