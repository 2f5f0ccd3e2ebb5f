// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Selection of relevant, diverse passages with a certificate. Options that are not set have the defaults of the server.
 */
public final class SelectionOptions extends Options<SelectionOptions> {
    /**
     * Weight of relevance against redundancy, 0 to 1.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions alpha(Double value) {
        return set("alpha", value);
    }

    /**
     * Exact, cpsat, anneal, mmr, top_k or pbit.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions backend(String value) {
        return set("backend", value);
    }

    /**
     * Time limit of the selection; device, CP-SAT and annealing need more.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions deadlineMs(Double value) {
        return set("deadlineMs", value);
    }

    /**
     * Form. Known values: mean, pairs.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions form(String value) {
        return set("form", value);
    }

    /**
     * K.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions k(Integer value) {
        return set("k", value);
    }

    /**
     * Maximum passages per paper.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions maxPerPaper(Integer value) {
        return set("maxPerPaper", value);
    }

    /**
     * Number of candidates to select from.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions pool(Integer value) {
        return set("pool", value);
    }

    /**
     * Seed.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions seed(Integer value) {
        return set("seed", value);
    }

    /**
     * Maximum tokens of all passages together; fewer than k are selected if k do not fit.
     *
     * @param value the value
     * @return these options
     */
    public SelectionOptions tokenBudget(Integer value) {
        return set("tokenBudget", value);
    }
}
