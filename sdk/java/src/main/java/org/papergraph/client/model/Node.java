// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/** A node of the graph; one of a label that this version does not know is an {@link UnknownNode}. */
public sealed interface Node permits Paper, Section, Chunk, Author, Reference, Question, Entity, Cluster, UnknownNode {
    /** Id of the node, a sha-256 as hex. @return the id */
    String id();
}
