"""Cypher for researchers: any query that only reads, checked, in turns and within limits, and its answers in forms."""
