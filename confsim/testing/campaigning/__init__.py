"""Campaigns: journeys, or a verify run, spread by seed over a Dask cluster; a later run continues them."""
