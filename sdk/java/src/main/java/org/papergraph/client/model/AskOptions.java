// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Question and answer options. Options that are not set have the defaults of the server.
 */
public final class AskOptions extends Options<AskOptions> {
    /**
     * Backfill.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions backfill(Boolean value) {
        return set("backfill", value);
    }

    /**
     * Name of the collection; default: main, or the first that the key reaches.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions collection(String value) {
        return set("collection", value);
    }

    /**
     * Names of collections to search together, instead of one.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions collections(Object value) {
        return set("collections", value);
    }

    /**
     * Filter.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions filter(Object value) {
        return set("filter", value);
    }

    /**
     * Earlier turns; they complete the question.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions history(Object value) {
        return set("history", value);
    }

    /**
     * Language, length and tone of the answer, in words; other instructions are ignored and reported.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions instructions(String value) {
        return set("instructions", value);
    }

    /**
     * Number of passages to answer from.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions k(Integer value) {
        return set("k", value);
    }

    /**
     * Minimum answerability (0 to 1); below it the question is refused.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions minAnswerability(Double value) {
        return set("minAnswerability", value);
    }

    /**
     * Mode. Known values: auto, generative, extractive.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions mode(String value) {
        return set("mode", value);
    }

    /**
     * Overrides.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions overrides(Object value) {
        return set("overrides", value);
    }

    /**
     * Retrieval pipeline, by name.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions pipeline(String value) {
        return set("pipeline", value);
    }

    /**
     * Several pipelines instead of one: each answers, and the best answer is returned.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions pipelines(Object value) {
        return set("pipelines", value);
    }

    /**
     * Input of the language model; default: the reader of the pipeline. Known values: passages, questions, pages.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions reader(String value) {
        return set("reader", value);
    }

    /**
     * Several readers instead of one, for each pipeline; at most 4 answers in all.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions readers(Object value) {
        return set("readers", value);
    }

    /**
     * Complete the question from the history, with a language model, or by rules without one.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions rewrite(Boolean value) {
        return set("rewrite", value);
    }

    /**
     * Selection.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions selection(Object value) {
        return set("selection", value);
    }

    /**
     * Store the answer; GET /v1/answers/{id} returns it by its id.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions store(Boolean value) {
        return set("store", value);
    }

    /**
     * Maximum tokens of all passages together, also for a selection.
     *
     * @param value the value
     * @return these options
     */
    public AskOptions tokenBudget(Integer value) {
        return set("tokenBudget", value);
    }
}
