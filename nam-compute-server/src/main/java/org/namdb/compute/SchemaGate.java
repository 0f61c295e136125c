package org.namdb.compute;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.namdb.fabric.Host;

/// What a session goes through before it touches a table. It is closed while the schema changes: then no transaction runs, nor any
/// background work, and what sessions remember is the changing thread's to look after.
///
/// A session says that it runs, by the count of its [GatePassage], and looks at the gate after that; the closing thread closes the gate, and
/// looks at the sessions after that. Both are volatile, so one of them sees the other.
final class SchemaGate {
    private static final long WAIT_NANOS = 20_000;

    private final Host host;
    private final Supplier<List<Session>> sessions;
    private volatile boolean closed;

    /// @param sessions all sessions that there are
    SchemaGate(Host host, Supplier<List<Session>> sessions) {
        this.host = host;
        this.sessions = sessions;
    }

    boolean isClosed() {
        return closed;
    }

    /// Waits until the gate is open; it may be closed again.
    void awaitOpen() {
        while (closed) {
            host.sleep(WAIT_NANOS);
        }
    }

    /// Closes the gate, and waits until all sessions have come to rest.
    ///
    /// @throws SchemaBusyException if one of them does not in time; the gate is open again
    void close(Duration most) {
        long start = host.nanoTime();
        closed = true;
        List<Integer> running = running();
        while (!running.isEmpty()) {
            if (host.nanoTime() - start > most.toNanos()) {
                closed = false;
                throw new SchemaBusyException(running);
            }
            host.sleep(WAIT_NANOS);
            running = running();
        }
    }

    void open() {
        closed = false;
    }

    private List<Integer> running() {
        List<Integer> slots = new ArrayList<>();
        for (Session session : sessions.get()) {
            if (session.isRunning()) {
                slots.add(session.slotNumber());
            }
        }
        return slots;
    }
}
