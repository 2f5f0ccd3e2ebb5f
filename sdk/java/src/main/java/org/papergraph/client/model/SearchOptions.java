// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Search query and options. Options that are not set have the defaults of the server.
 */
public final class SearchOptions extends Options<SearchOptions> {
    /**
     * Fill the list from the whole collections if too few hits pass the filter.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions backfill(Boolean value) {
        return set("backfill", value);
    }

    /**
     * Name of the collection; default: main, or the first that the key reaches.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions collection(String value) {
        return set("collection", value);
    }

    /**
     * Names of collections to search together, instead of one.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions collections(Object value) {
        return set("collections", value);
    }

    /**
     * Filter on papers and passages; see docs/filters.md.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions filter(Object value) {
        return set("filter", value);
    }

    /**
     * Optional parts: explanation of hits, their highlights, neighbouring chunks, trace of steps, saved run.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions include(Object value) {
        return set("include", value);
    }

    /**
     * Number of hits; default: that of the pipeline.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions k(Integer value) {
        return set("k", value);
    }

    /**
     * Other values for options of its steps, such as search.k, or fuse2.by for the second fuse.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions overrides(Object value) {
        return set("overrides", value);
    }

    /**
     * Retrieval pipeline, by name.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions pipeline(String value) {
        return set("pipeline", value);
    }

    /**
     * Selection after the pipeline, or instead of its own.
     *
     * @param value the value
     * @return these options
     */
    public SearchOptions selection(Object value) {
        return set("selection", value);
    }
}
