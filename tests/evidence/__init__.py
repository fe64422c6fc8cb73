"""What was measured of confsim, beside what is aimed at."""
