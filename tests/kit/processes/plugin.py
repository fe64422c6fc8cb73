"""How pytest is run inside a test."""

from __future__ import annotations

#: For a run in this process: what it imports is not forgotten after it.
IN_PROCESS = ("-p", "kit.processes.imported")
#: Without what would order or remember tests, and without the plugins of packages that happen to be installed.
QUIET = tuple(
    word for name in ("randomly", "cacheprovider", "anyio", "fakefs", "schemathesis") for word in ("-p", f"no:{name}")
)

#: Plugins of pytest itself that no run needs. To register them all takes longer than most tests.
_UNUSED = ("cacheprovider", "doctest", "faulthandler", "junitxml", "legacypath", "pastebin", "stepwise", "unittest")
#: The plugin alone, by its module: half of a run of one test goes by while pytest looks through what is installed.
ALONE = (
    *(word for name in _UNUSED for word in ("-p", f"no:{name}")),
    *("-p", "confsim.pytest_plugin"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # this process has imported the plugin before
)
#: The variable that is set for it.
NO_AUTOLOAD = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
