"""Campaigns that plant defects, and see whether the tests notice them."""
