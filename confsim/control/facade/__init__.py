"""The control plane as typed Python objects, a module for each part of the Simulator."""
