"""Stages of the pipeline that a profile switches on: rate limit, idempotency keys, stale reads."""
