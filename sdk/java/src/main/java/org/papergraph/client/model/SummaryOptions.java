// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Papers to summarize: those of a cluster, or those with metadata. Options that are not set have the defaults of the server.
 */
public final class SummaryOptions extends Options<SummaryOptions> {
    /**
     * Id of a cluster.
     *
     * @param value the value
     * @return these options
     */
    public SummaryOptions cluster(String value) {
        return set("cluster", value);
    }

    /**
     * Name of the collection; default: main, or the first that the key reaches.
     *
     * @param value the value
     * @return these options
     */
    public SummaryOptions collection(String value) {
        return set("collection", value);
    }

    /**
     * Values that the papers have; one of each field is enough.
     *
     * @param value the value
     * @return these options
     */
    public SummaryOptions metadata(Object value) {
        return set("metadata", value);
    }
}
