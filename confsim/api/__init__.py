"""The operations of the simulated API, one module or package for each family: bindings of the domain to the wire."""
