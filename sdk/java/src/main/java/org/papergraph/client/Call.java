package org.papergraph.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** A request; one that is repeatable is sent again where the fate of the first try is not known. */
final class Call {
    final String method;
    final String path;
    final Map<String, String> places = new LinkedHashMap<>();
    final Map<String, Object> query = new LinkedHashMap<>();
    final Map<String, String> headers = new LinkedHashMap<>();
    Object body;
    String fileName;
    byte[] file;
    boolean repeatable = true;

    Call(String method, String path) {
        this.method = method;
        this.path = path;
    }

    Call place(String name, String value) {
        places.put(name, value);
        return this;
    }

    Call query(String name, Object value) {
        if (value != null) {
            query.put(name, value);
        }
        return this;
    }

    Call body(Object value) {
        body = value;
        return this;
    }

    Call file(String name, byte[] content) {
        fileName = name;
        file = content;
        return this;
    }

    Call header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    Call once() {
        repeatable = false;
        return this;
    }

    Call copy() {
        Call other = new Call(method, path);
        other.places.putAll(places);
        other.query.putAll(query);
        other.headers.putAll(headers);
        other.body = body;
        other.repeatable = repeatable;
        return other;
    }
}
