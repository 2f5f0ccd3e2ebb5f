package org.papergraph.client.model;

/**
 * A list that nodes of a kind have.
 *
 * @param name kind of the nodes and name of the list, such as papers/cites
 * @param model class of its entries
 * @param <T> type of its entries
 */
public record ListOf<T>(String name, Class<T> model) {}
