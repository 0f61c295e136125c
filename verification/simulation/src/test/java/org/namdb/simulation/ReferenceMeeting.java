package org.namdb.simulation;

import java.util.EnumSet;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.SimHost;

/// The outcome of a child's insert that requires its parent, and the parent's delete that requires
/// no child, on two compute servers that commit at about the same time.
///
/// @param ended whether both have ended
/// @param inserted whether the insert was committed
/// @param deleted whether the delete was committed
record ReferenceMeeting(boolean ended, boolean inserted, boolean deleted) {
    private static final long MAX_SHIFT_NANOS = 40_000;
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class)).withServers(2, 2);

    /// Whether there is a child without its parent.
    boolean isFailed() {
        return inserted && deleted;
    }

    /// Has them meet. How they are shifted against each other, and whether the index of the
    /// references is ordered, is up to the seed.
    static ReferenceMeeting of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try (TestCluster cluster = new TestCluster(seed, OPTIONS)) {
            cluster.load(db -> create(db, seed % 2 == 0), 3);
            int[] begun = new int[1];
            @Nullable CommitOutcome[] outcomes = new @Nullable CommitOutcome[2];
            start(
                    cluster,
                    "inserter",
                    begun,
                    random.nextLong(MAX_SHIFT_NANOS),
                    ReferenceMeeting::insertChild,
                    outcome -> outcomes[0] = outcome);
            start(
                    cluster,
                    "deleter",
                    begun,
                    random.nextLong(MAX_SHIFT_NANOS),
                    ReferenceMeeting::deleteParent,
                    outcome -> outcomes[1] = outcome);
            cluster.run(3);
            return new ReferenceMeeting(
                    outcomes[0] != null && outcomes[1] != null,
                    outcomes[0] instanceof CommitOutcome.Committed,
                    outcomes[1] instanceof CommitOutcome.Committed);
        }
    }

    private static void create(NamDb db, boolean ordered) {
        Table parents =
                db.createTable(
                        TableDefinition.named("parents")
                                .column("id", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(10)
                                .build());
        db.createTable(
                TableDefinition.named("children")
                        .column("id", ColumnType.INT64)
                        .column("parent", ColumnType.INT64)
                        .primaryKey("id")
                        .expectedRows(10)
                        .build());
        Index _ =
                db.createIndex(
                        ordered
                                ? IndexDefinition.ordered("of_parent", "children", "parent")
                                : IndexDefinition.hash("of_parent", "children", "parent"));
        db.transact(tx -> tx.insert(parents, parents.newKey().set(1)));
    }

    /// Begins a transaction, waits until the other one has begun as well, and commits after
    /// a while.
    private static void start(
            TestCluster cluster,
            String name,
            int[] begun,
            long shiftNanos,
            BiConsumer<NamDb, Transaction> body,
            Consumer<CommitOutcome> result) {
        SimHost _ =
                cluster.start(
                        name,
                        (db, host) -> {
                            try (Session session = db.session()) {
                                body.accept(db, session.begin());
                                begun[0]++;
                                while (begun[0] < 2) {
                                    host.sleep(1_000);
                                }
                                host.sleep(shiftNanos);
                                result.accept(session.commit());
                            }
                        });
    }

    private static void insertChild(NamDb db, Transaction transaction) {
        Table children = db.table("children");
        transaction.requirePresent(parent(db, transaction));
        Row _ =
                transaction
                        .insert(children, children.newKey().set(7))
                        .setInt64(children.column("parent"), 1);
    }

    private static void deleteParent(NamDb db, Transaction transaction) {
        Table children = db.table("children");
        Index index = children.indexes().getFirst();
        transaction.delete(parent(db, transaction));
        transaction.requireNone(index, children, index.newKey().set(1));
    }

    private static Row parent(NamDb db, Transaction transaction) {
        Table parents = db.table("parents");
        return Objects.requireNonNull(transaction.read(parents, parents.newKey().set(1)));
    }
}
