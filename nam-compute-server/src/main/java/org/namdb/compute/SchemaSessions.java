package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaUsers;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;

/// The sessions of this compute server, as schema changes see them.
final class SchemaSessions implements SchemaUsers {
    /// In the place of a slot: recovery of dead sessions, which has none.
    private static final int NO_SLOT = -1;

    private final Supplier<List<Session>> sessions;
    private final BooleanSupplier isRecovering;
    private final Runnable checkUsable;

    /// @param sessions all sessions that there are
    /// @param isRecovering whether dead sessions are being recovered
    /// @param checkUsable throws if this compute server can't go on
    SchemaSessions(
            Supplier<List<Session>> sessions, BooleanSupplier isRecovering, Runnable checkUsable) {
        this.sessions = sessions;
        this.isRecovering = isRecovering;
        this.checkUsable = checkUsable;
    }

    @Override
    public List<Integer> running() {
        List<Integer> slots = new ArrayList<>();
        for (Session session : sessions.get()) {
            if (session.isRunning()) {
                slots.add(session.slotNumber());
            }
        }
        if (isRecovering.getAsBoolean()) {
            slots.add(NO_SLOT);
        }
        return slots;
    }

    @Override
    public void requireNoTransaction() {
        checkUsable.run();
        for (Session session : sessions.get()) {
            if (session.isRunning() && session.sharedLatch.isEnteredBy(Thread.currentThread())) {
                throw new IllegalStateException(
                        "the schema can't be changed within a transaction of the same thread");
            }
        }
    }

    @Override
    public void forget(Table table) {
        for (Session session : sessions.get()) {
            session.splits.clear();
            table.allIndexes().forEach(session.indexes::forget);
            session.readSet.forget(table);
            try {
                session.maintenance().collector().forget(table.records());
            } catch (FabricException e) {
                // What else waits for the table is passed over, as it has no number any more.
            }
        }
    }

    @Override
    public void forget(Index index) {
        for (Session session : sessions.get()) {
            session.indexes.forget(index);
        }
    }

    @Override
    public void release(Table table) {
        for (Session session : sessions.get()) {
            session.splits.clear();
            session.readSet.forget(table);
            table.allIndexes().forEach(session.indexes::release);
        }
    }

    @Override
    public void freeMemory() {
        for (Session session : sessions.get()) {
            session.maintenance().wantMemory();
        }
    }

    @Override
    public void releaseMemory() {
        for (Session session : sessions.get()) {
            try {
                if (!session.fatalFailure.isThere()) {
                    session.maintenance().releaseMemory();
                }
            } catch (FabricException e) {
                // Its connection is lost, and its memory with it.
            }
        }
    }
}
