"""What interfaces show of one paper beyond its node: where its text stands on the pages."""
