"""Observe: learns about assumptions from the traffic between a client and a service, passed through a proxy."""
