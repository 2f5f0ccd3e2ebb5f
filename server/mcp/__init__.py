"""Model Context Protocol: read-only tools for agents."""
