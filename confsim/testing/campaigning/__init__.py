"""Campaigns: journeys, or a verify run, by seed over a Dask cluster, with results that another run goes on from."""
