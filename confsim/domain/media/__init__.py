"""Media pools and the media gateway."""
