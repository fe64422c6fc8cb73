"""Programs as processes of their own: ``confsim`` and ``pytest``."""
