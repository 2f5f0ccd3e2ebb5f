"""REST at ``/v1``: the same functions that GraphQL stands over, and uploads, which are only here."""
