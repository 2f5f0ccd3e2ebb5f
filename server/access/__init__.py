"""Who may ask what: keys with scopes and collections, what each route takes, and how much of it.

Below every face that is reached over the network, so that none has rules of its own.
"""
