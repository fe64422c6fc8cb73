"""Names for people: what a record, a timer or an id is called wherever the control plane shows it."""
