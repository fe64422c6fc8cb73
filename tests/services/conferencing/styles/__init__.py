"""The three styles."""

from services.conferencing.style import Style
from services.conferencing.styles.aster import ASTER
from services.conferencing.styles.birch import BIRCH
from services.conferencing.styles.cedar import CEDAR

STYLES: dict[str, Style] = {"a": ASTER, "b": BIRCH, "c": CEDAR}

__all__ = ["STYLES"]
