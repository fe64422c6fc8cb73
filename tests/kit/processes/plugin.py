"""How pytest is run inside a test."""

from __future__ import annotations

import jsonschema  # noqa: F401  (see everything_imported)

#: Without what would order or remember tests, and without the plugins of packages that happen to be installed.
QUIET = tuple(word for name in ("randomly", "cacheprovider", "anyio", "schemathesis") for word in ("-p", f"no:{name}"))
