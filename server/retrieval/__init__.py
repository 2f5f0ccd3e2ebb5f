"""The way of a question to hits: search on each leg, fuse, read the passages with their surroundings."""
