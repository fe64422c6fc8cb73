"""The operations of the control plane, a module for each theme."""
