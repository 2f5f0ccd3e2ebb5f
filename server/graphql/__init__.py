"""The GraphQL face: types and resolvers, thin over ``server.retrieval``."""
