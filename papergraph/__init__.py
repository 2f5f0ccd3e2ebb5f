"""The ground floor: settings, errors, the database, the local Neo4j and the embedding model."""

__version__ = "0.1.0"
