"""The way of a question to hits: search on each retriever, fuse, read the passages with their surroundings."""
