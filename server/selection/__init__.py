"""From candidates to the k passages that are relevant and not redundant, with a proof of how far from optimal they are.

``problem``   what is asked: objective, options, validation
``result``    what is answered, with its certificate
``kernels``   compiled inner loops
``bounds``    lower bounds that hold for every selection, and what they rule out
``exact``     branch and bound
``solver``    the stages in order, until the proof or the deadline
``backends``  other ways to the answer behind one protocol, all under the same certificate
``ising``     a selection in spins, and the samplers that minimise it
``ising_backend``  the back end that asks an Ising device over HTTP, or any sampler
``calibration``  what a device makes of h and J, by small problems

It knows nothing of Neo4j: candidates are rows of vectors and a relevance.
"""
