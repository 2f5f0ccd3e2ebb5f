"""GraphQL: types and resolvers over ``papergraph.server.retrieval`` and ``papergraph.server.graph``."""
