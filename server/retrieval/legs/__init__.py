"""Ways of searching: each takes a query and a scope to the chunks that it finds, best first, with scores of its own."""
