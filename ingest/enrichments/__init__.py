"""What the graph knows beyond the papers' text: enrichments made of papers that stand in it, each optional.

``enrichment``      what an enrichment is
``run``        making enrichments: a job of the ledger, paper by paper, then what spans a collection
``questions``, ``entities``, ``metadata``   enrichments made of each paper by itself
``prototypes``, ``clusters``, ``links``     enrichments over a whole collection
"""
