"""What the accounts can read of a service, and the model that is made of it."""
