"""Local models by name: those worth choosing, their download from a hub on request, and what is installed.

Only ``papergraph models get`` contacts the network.
"""
