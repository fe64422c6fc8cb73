"""One module for each kind of object in a world: records, machine and rules. Independent of HTTP and JSON."""
