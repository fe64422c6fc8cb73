"""Why a call was refused: what decided it, what is missing or in the way, and how that came about."""
