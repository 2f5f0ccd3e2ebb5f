"""Clusters of chunks and papers, found by algorithms over the whole collection.

``enrichment``      what is made, and written where it changed
``reading``    what it is made of
``nearest``    which chunks are similar
``links``      how papers hang together
``engines``    communities, ranks and places: by Graph Data Science, or without
``forest``     communities on levels as clusters within clusters
``keywords``   what sets a cluster apart
``naming``     names and keywords of all clusters
``places``     ranks and places of papers and entities
``looking``    clusters that stand, to be looked at
"""

from ingest.enrichments.clusters.enrichment import ClustersEnrichment

__all__ = ["ClustersEnrichment"]
