package org.papergraph.client.model;

/** Papers to list or to count, and their order. Options that are not set have the defaults of the server. */
public final class PapersOptions extends Options<PapersOptions> {
    /** Make options without values. */
    public PapersOptions() {}

    /**
     * Name of the collection; default: main, or the first that the key reaches.
     *
     * @param value the value
     * @return these options
     */
    public PapersOptions collection(String value) {
        return set("collection", value);
    }

    /**
     * Words in the title, the abstract or an author's name.
     *
     * @param value the value
     * @return these options
     */
    public PapersOptions text(String value) {
        return set("text", value);
    }

    /**
     * Conditions, such as {@code Map.of("years", Map.of("from", 2020))}.
     *
     * @param value the value
     * @return these options
     */
    public PapersOptions filter(Object value) {
        return set("filter", value);
    }

    /**
     * Order of a list: by title, newest year, newest in the graph (ingested), or most cited first; counts have none.
     *
     * @param value the value
     * @return these options
     */
    public PapersOptions sort(String value) {
        return set("sort", value);
    }
}
