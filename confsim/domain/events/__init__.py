"""The events interface: endpoints, the event log, and deliveries to endpoints."""
