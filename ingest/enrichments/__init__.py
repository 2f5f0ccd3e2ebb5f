"""What the graph knows beyond the papers' text: layers made of papers that stand in it, each optional.

``layer``      what a layer is
``run``        making layers: a job of the ledger, paper by paper, then what spans a collection
``questions``, ``entities``, ``metadata``   layers made of each paper by itself
``prototypes``, ``clusters``, ``links``     layers over a whole collection
"""
