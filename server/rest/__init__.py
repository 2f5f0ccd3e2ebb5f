"""REST at ``/v1``: the functions of GraphQL, and uploads."""
