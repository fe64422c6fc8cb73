"""Media pools and the gateway that takes media in."""
