"""The graph model: node and relationship types, ids, a store's schema, and the checks that hold a store to them."""
