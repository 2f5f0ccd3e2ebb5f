"""Data of one paper beyond its node: positions of its text on the pages."""
