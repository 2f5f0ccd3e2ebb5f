package org.papergraph.client;

import java.util.List;

/**
 * Page of a list.
 *
 * @param data entries
 * @param next cursor of the next page; null at the end
 * @param total length of the whole list, if it was asked for
 * @param <T> type of the entries
 */
public record Page<T>(List<T> data, String next, Integer total) {}
