"""The words everything is written in: World, Table, Change, Timer, Machine, Refusal, ids. Imports nothing above it."""
