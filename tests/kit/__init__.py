"""What tests share: names of the demo world, walks through the catalogue, transports for the whole suite."""
