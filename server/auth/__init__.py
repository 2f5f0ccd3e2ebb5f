"""Authentication and authorization: API keys with scopes and collections, access to routes, and limits.

Below every face that is reached over the network, so that none has rules of its own.
"""
