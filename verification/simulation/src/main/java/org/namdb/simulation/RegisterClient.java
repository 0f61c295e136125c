package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionException;
import org.namdb.timestamp.CommitTimestamp;

/// A client of the register workload: one session, one transaction after the other, every attempt
/// of which it notes down.
final class RegisterClient {
    private static final int VALUE_SHIFT = 32;
    private static final long[] NO_SNAPSHOT = {};

    private final RegisterWorkload workload;
    private final Registers registers;
    private final LongSupplier clock;
    private final AttemptLog log;
    private final SplittableRandom random;
    private final String name;
    private long values;

    private List<Operation> operations = new ArrayList<>();
    private long[] snapshot = NO_SNAPSHOT;

    /// @param clock one for all clients of a history
    /// @param number another one for each client, so that no two write one value
    RegisterClient(
            RegisterWorkload workload,
            NamDb db,
            LongSupplier clock,
            AttemptLog log,
            SplittableRandom random,
            long number,
            String name) {
        this.workload = workload;
        this.registers = Registers.of(db);
        this.clock = clock;
        this.log = log;
        this.random = random;
        this.name = name;
        this.values = number + 1 << VALUE_SHIFT;
    }

    /// Tries a transaction, once.
    ///
    /// @return whether it was committed
    /// @throws org.namdb.fabric.FabricException if the session's connection was lost
    boolean attempt(Session session) {
        return attempt(session, this::run);
    }

    /// Reads all registers in one transaction.
    boolean readAll(Session session) {
        return attempt(
                session,
                transaction -> {
                    for (long key = 0; key < workload.keys(); key++) {
                        read(transaction, key);
                    }
                    return true;
                });
    }

    /// Writes to all registers in one transaction.
    ///
    /// @return whether it was committed
    boolean writeAll(Session session) {
        return attempt(
                session,
                transaction -> {
                    for (long key = 0; key < workload.keys(); key++) {
                        read(transaction, key);
                        values++;
                        registers.write(transaction, key, values);
                        operations.add(Operation.write(key, values));
                    }
                    return true;
                });
    }

    private boolean attempt(Session session, org.namdb.compute.TransactionBody<Boolean> body) {
        operations = new ArrayList<>();
        snapshot = NO_SNAPSHOT;
        long begin = clock.getAsLong();
        @Nullable Status status = null;
        try {
            session.transact(transaction -> {
                operations.clear();
                snapshot = NO_SNAPSHOT;
                return body.run(transaction);
            });
            status = Status.OK;
            return true;
        } catch (TransactionException e) {
            status = Status.FAIL;
            return false;
        } finally {
            note(session, status, begin);
        }
    }

    /// Without a status, the connection was lost or the process has crashed: unless it had no
    /// commit timestamp yet, it may be committed.
    private void note(Session session, @Nullable Status known, long begin) {
        long word = session.commitTimestamp();
        Status status = known;
        if (status == null) {
            status = word == 0 ? Status.FAIL : Status.INFO;
        }
        boolean hasTimestamp = word != 0 && status != Status.FAIL;
        log.attempted(
                name,
                status,
                hasTimestamp ? CommitTimestamp.slot(word) : -1,
                hasTimestamp ? CommitTimestamp.timestamp(word) : -1,
                begin,
                clock.getAsLong(),
                snapshot,
                operations);
    }

    private boolean run(Transaction transaction) {
        for (int i = 0; i < workload.operations(); i++) {
            long key = workload.key(random);
            if (workload.writes(random)) {
                read(transaction, key);
                values++;
                registers.write(transaction, key, values);
                operations.add(Operation.write(key, values));
            } else {
                read(transaction, key);
            }
        }
        return true;
    }

    /// The first read chooses the snapshot.
    private void read(Transaction transaction, long key) {
        long value = registers.read(transaction, key);
        if (operations.isEmpty()) {
            snapshot = transaction.snapshot().toArray();
        }
        operations.add(Operation.read(key, value));
    }
}
