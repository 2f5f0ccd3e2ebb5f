"""Local models by name: those worth choosing, their download from a hub on request, and what is installed.

Nothing here contacts the network but :mod:`papergraph.model_hub.hub`, which only ``papergraph models get`` uses.
"""
