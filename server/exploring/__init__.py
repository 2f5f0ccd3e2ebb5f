"""Cypher for researchers: any query that only reads, within limits, and the library of questions to start from."""
