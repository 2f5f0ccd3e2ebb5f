"""Archives of a store: a folder of immutable objects, named by their content, and of manifests that list them.

An archive does not depend on how Neo4j stores a graph. It is made while the store is used, from any Neo4j, and restored
into an empty store of any later version. See ``docs/backup.md``.
"""
