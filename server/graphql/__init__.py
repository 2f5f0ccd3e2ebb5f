"""GraphQL: types and resolvers over ``server.retrieval`` and ``server.graph``."""
