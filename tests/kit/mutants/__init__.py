"""Services that are wrong in one way each, what a run could reach, and when a plan of calls detects them."""
