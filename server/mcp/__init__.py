"""The Model Context Protocol: the graph as tools of an agent, all of them read-only."""
