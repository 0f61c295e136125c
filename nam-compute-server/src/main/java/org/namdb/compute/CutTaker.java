package org.namdb.compute;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.journal.Cut;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalClient;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.mvcc.ring.SpillState;
import org.namdb.timestamp.snapshot.Snapshot;

/// Takes [cuts][Cut] of a cluster whose memory servers have data directories. Snapshot and schema
/// are those of one transaction, so no schema change comes between the two:
/// ```
/// this                                  a schema change
/// chooses S_K
///                                       copies rows to another table, publishes that
/// reads the schema: the new table,      (must not be: S_K does not show what was copied)
/// requests cut K
/// ```
/// Belongs to one thread.
final class CutTaker implements AutoCloseable {
    private static final long POLL_NANOS = 60_000;
    private static final long TIMEOUT_NANOS = 20_000_000_000L;

    private final ComputeServer server;
    private final ImageRings rings;
    private final int servers;
    private final int generation;
    private @Nullable Session session;
    private @Nullable QueuePair queuePair;

    /// The schema, as it was in this version, and the hash of what is on all disks.
    private byte[] catalog = {};

    private long catalogVersion = -1;
    private long forcedHash;
    private boolean hasForcedHash;

    /// The last one that is on all disks.
    private long forcedSequence = -1;

    private long forcedNumbers = -1;

    /// How many checkpoints were begun when the last cut was chosen, and the last one that is on
    /// all disks: a checkpoint removes what was before.
    private long checkpoints;

    private long forcedCheckpoints = -1;

    /// @param generation the journals' that it adds to
    CutTaker(ComputeServer server, ImageRings rings, int generation) {
        this.server = server;
        this.rings = rings;
        this.servers = server.options().memoryServers();
        this.generation = generation;
    }

    /// Takes one, and returns when it is on all disks.
    ///
    /// @throws JournalFullException if a disk is full
    /// @throws JournalException if a disk has failed
    /// @throws FabricException if a memory server can't be reached
    void take() {
        boolean isDone = false;
        try {
            take(session(), Objects.requireNonNull(queuePair));
            isDone = true;
        } finally {
            if (!isDone) {
                close(); // the next attempt is by other connections
            }
        }
    }

    private Session session() {
        Session used = session;
        if (used == null) {
            used = server.sessions().openReserved();
            used.setDurability(Durability.NONE); // it waits for no cut
            session = used;
            queuePair = server.connect();
        }
        return used;
    }

    /// The transaction is open until the cut is on all disks: a schema change needs no other number
    /// of a snapshot, and a cut of before would come behind that of after.
    private void take(Session used, QueuePair pair) {
        used.expireSnapshot();
        Transaction transaction = used.begin();
        try {
            Cut cut = setDurability(transaction.snapshot(), pair);
            if (cut != null) {
                force(cut, pair);
            }
        } finally {
            if (used.isOpen()) {
                used.rollback();
            }
        }
    }

    /// @return null if all is on the disks
    private @Nullable Cut setDurability(Snapshot snapshot, QueuePair pair) {
        byte[] tables = catalog();
        long hash = Cut.hash(tables);
        checkpoints = pair.readWord(rings.checkpoints());
        boolean isKnown = hasForcedHash && hash == forcedHash && checkpoints == forcedCheckpoints;
        long numbers = pair.readWord(RegionLayout.address(0, RegionLayout.CATALOG_NUMBER_OFFSET));
        if (isKnown && snapshot.sequence() == forcedSequence && numbers == forcedNumbers) {
            return null;
        }
        return new Cut(
                snapshot.sequence(),
                numbers,
                hash,
                trimmed(snapshot.toArray()),
                isKnown ? null : tables);
    }

    private void force(Cut cut, QueuePair pair) {
        byte[] body = cut.encode();
        long[] tickets = new long[servers];
        for (int number = 0; number < servers; number++) {
            tickets[number] = new JournalClient(pair, number, generation).cut(body);
        }
        for (int number = 0; number < servers; number++) {
            awaitForced(pair, number, tickets[number]);
        }
        forcedCheckpoints = checkpoints;
        forcedHash = cut.hash();
        hasForcedHash = true;
        forcedSequence = cut.sequence();
        forcedNumbers = cut.catalogNumbers();
    }

    private static long[] trimmed(long[] vector) {
        int length = vector.length;
        while (length > 0 && vector[length - 1] <= 0) {
            length--;
        }
        return Arrays.copyOf(vector, length);
    }

    private byte[] catalog() {
        long version = server.catalog().schemaVersion();
        if (version != catalogVersion) {
            List<String> names = server.catalog().tableNames();
            catalog = Cut.catalog(names.stream().map(this::table).toList());
            catalogVersion = server.catalog().schemaVersion();
        }
        return catalog;
    }

    private Table table(String name) {
        return server.catalog().table(name);
    }

    private void awaitForced(QueuePair pair, int number, long ticket) {
        long start = server.options().host().nanoTime();
        while (pair.readWord(rings.forcedCut(number)) < ticket) {
            server.checkNotFenced();
            SpillState state = SpillState.of(pair.readWord(rings.state(number)));
            requireWorking(state, number);
            if (server.options().host().nanoTime() - start > TIMEOUT_NANOS) {
                throw new FabricException(
                        FabricException.Kind.CONNECTION_LOST,
                        "memory server %d has not written for %d s"
                                .formatted(number, TIMEOUT_NANOS / 1_000_000_000));
            }
            server.options().host().sleep(POLL_NANOS);
        }
    }

    private static void requireWorking(SpillState state, int number) {
        if (state == SpillState.FULL) {
            throw new JournalFullException(
                    "the disk of memory server %d is full".formatted(number), null);
        }
        if (state == SpillState.FAILED) {
            throw failed("memory server %d".formatted(number));
        }
    }

    static JournalException failed(String who) {
        return new JournalException(
                JournalException.Kind.FAILED,
                who
                        + " can't write to its disk any more, and what was not acknowledged may be"
                        + " lost: restart all memory servers when the disk is repaired",
                null);
    }

    @Override
    public void close() {
        FirstFailure ignored = new FirstFailure();
        Session used = session;
        session = null;
        if (used != null) {
            ignored.attempt(used::close);
        }
        QueuePair pair = queuePair;
        queuePair = null;
        if (pair != null) {
            ignored.attempt(pair::close);
        }
    }
}
