"""Webhooks: delivery over HTTP or to receivers in this process, and signatures."""
