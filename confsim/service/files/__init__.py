"""Worlds and profiles as data: world files, state documents, profiles, and the stored formats."""
