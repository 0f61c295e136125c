package org.namdb.sql.shell;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/// The sessions that are open in the shell, by name; one of them is in use.
final class Sessions implements AutoCloseable {
    /// The name of the first session.
    static final String FIRST = "a";

    private final ShellDatabase database;
    private final SequencedMap<String, ShellConnection> connections = new LinkedHashMap<>();
    private String current = FIRST;
    private volatile ShellConnection connection;

    Sessions(ShellDatabase database) {
        this.database = database;
        this.connection = database.connect();
        connections.put(FIRST, connection);
    }

    /// The session in use. For any thread.
    ShellConnection connection() {
        return connection;
    }

    /// The name of the session in use.
    String name() {
        return current;
    }

    /// All sessions, in the order in which they were opened.
    Map<String, ShellConnection> all() {
        return connections;
    }

    /// Uses the session of this name, and opens it if there is none.
    void use(String name) {
        connection = connections.computeIfAbsent(name, key -> database.connect());
        current = name;
    }

    /// Ends a session; the first of the others is in use then, if it was this one.
    void close(String name) {
        ShellConnection closed = connections.get(name);
        if (closed == null) {
            throw new ShellException("there is no session \"" + name + "\"");
        }
        if (connections.size() == 1) {
            throw new ShellException("this is the only session; \\q leaves");
        }
        connections.remove(name);
        closed.close();
        if (current.equals(name)) {
            use(connections.firstEntry().getKey());
        }
    }

    @Override
    public void close() {
        connections.values().forEach(ShellConnection::close);
        connections.clear();
    }
}
