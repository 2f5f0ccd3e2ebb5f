"""What runs: the way of a question to its passages, and the faces that are thin over it."""
