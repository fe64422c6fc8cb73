"""The operations on recordings, their assets and downloads."""
