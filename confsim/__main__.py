"""``python -m confsim`` and the program ``confsim`` are the command line."""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line and exit. What is imported for it is no garbage, and is not examined."""
    gc.disable()
    from .cli import main as run

    gc.freeze()
    gc.enable()
    run()


if __name__ == "__main__":
    main()
