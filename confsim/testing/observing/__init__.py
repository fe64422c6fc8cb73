"""Observe: what traffic between a client and a service, passed through a proxy, tells of assumptions."""
