"""Files that ship with confsim.

They are read through the loader that imported confsim. A test that replaces the file system (pyfakefs) replaces
``open`` and ``pathlib``, and the folder of the package is not in the new one.
"""

from __future__ import annotations

from pkgutil import get_data

#: The parent of folders that are inside the package when it is installed, and beside it in a checkout.
_CHECKOUT = "../"


def read(path: str) -> bytes:
    """Return the content of a file by its path in the package. Raises FileNotFoundError."""
    try:
        content = get_data(__package__, path)
    except FileNotFoundError:
        content = get_data(__package__, _CHECKOUT + path)
    assert content is not None, "every loader of files and archives reads data"
    return content


def text(path: str) -> str:
    """Return the text of a file by its path in the package. Raises FileNotFoundError."""
    return read(path).decode()
