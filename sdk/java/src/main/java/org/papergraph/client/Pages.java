package org.papergraph.client;

import com.fasterxml.jackson.databind.JavaType;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list: iterate over its entries, or read its pages; a page is read when it is needed.
 *
 * @param <T> type of the entries
 */
public final class Pages<T> implements Iterable<T> {
    private final Transport transport;
    private final Call call;
    private final Class<T> model;
    private final int first;

    Pages(Transport transport, Call call, Class<T> model, int first) {
        this.transport = transport;
        this.call = call;
        this.model = model;
        this.first = first;
    }

    /**
     * The same list with pages of another size.
     *
     * @param size entries per page, 1 to 100
     * @return the list
     */
    public Pages<T> pageSize(int size) {
        return new Pages<>(transport, call, model, size);
    }

    /**
     * Read one page.
     *
     * @param after {@code next} of the previous page; null for the first
     * @return the page
     */
    public Page<T> page(String after) {
        return read(call.copy().query("first", first).query("after", after));
    }

    /** Read the length of the whole list. @return the length */
    public int count() {
        return read(call.copy().query("first", 1).query("count", true)).total();
    }

    /** The entries as a stream. @return the stream */
    public Stream<T> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    /** The entries in order. @return an iterator */
    @Override
    public Iterator<T> iterator() {
        return new Iterator<>() {
            private Page<T> page;
            private Iterator<T> entries = List.<T>of().iterator();

            @Override
            public boolean hasNext() {
                while (!entries.hasNext() && (page == null || page.next() != null)) {
                    page = page(page == null ? null : page.next());
                    entries = page.data().iterator();
                }
                return entries.hasNext();
            }

            @Override
            public T next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return entries.next();
            }
        };
    }

    private Page<T> read(Call wanted) {
        JavaType type = Transport.JSON.getTypeFactory().constructParametricType(Page.class, model);
        return Transport.JSON.convertValue(transport.send(wanted).json(), type);
    }
}
