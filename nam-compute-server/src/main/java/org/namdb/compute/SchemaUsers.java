package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.namdb.fabric.FabricException;

/// The sessions of this compute server, as those who change the schema see them: what they remember
/// of a table or an index goes before its memory does. But for [#running()], used behind the closed
/// gate only.
final class SchemaUsers {
    private final Supplier<List<Session>> sessions;

    /// @param sessions all sessions that there are
    SchemaUsers(Supplier<List<Session>> sessions) {
        this.sessions = sessions;
    }

    /// The slots of those that have a transaction or background work.
    List<Integer> running() {
        List<Integer> slots = new ArrayList<>();
        for (Session session : sessions.get()) {
            if (session.isRunning()) {
                slots.add(session.slotNumber());
            }
        }
        return slots;
    }

    /// The table goes, and its indexes with it.
    void forget(Table table) {
        for (Session session : sessions.get()) {
            session.forget(table);
        }
    }

    /// The index goes.
    void forget(Index index) {
        for (Session session : sessions.get()) {
            session.indexes.forget(index);
        }
    }

    /// The table is opened again where it is, as another object.
    void release(Table table) {
        for (Session session : sessions.get()) {
            session.release(table);
        }
    }

    /// Gives memory that is not in use back to the memory servers.
    void releaseMemory() {
        for (Session session : sessions.get()) {
            try {
                session.releaseMemory();
            } catch (FabricException e) {
                // Its connection is lost, and its memory with it.
            }
        }
    }
}
