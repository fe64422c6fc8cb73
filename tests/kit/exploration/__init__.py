"""Exploration: every sequence of acts from a small world, and what must hold in each world and at each step."""
