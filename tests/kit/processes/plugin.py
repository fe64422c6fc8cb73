"""How pytest is run inside a test."""

from __future__ import annotations

import jsonschema  # noqa: F401  (see everything_imported)

QUIET = ("-p", "no:randomly", "-p", "no:cacheprovider")
