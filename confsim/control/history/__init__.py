"""The history of a record, of a person and of a room: what changed it, what reads it, what is to come."""
