"""The graph model: node and relationship types, ids, migrations, and the checks that hold a store to them."""
