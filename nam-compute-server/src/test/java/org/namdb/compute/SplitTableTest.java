package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RestSplitter;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Transactions on a table, and a hashed index of it, whose buckets are split while no transaction
/// holds a lock, also in the middle of one; by two compute servers with their own caches of it.
class SplitTableTest {
    private static final int MAX_DEPTH = 10;
    private static final int SLOTS = 8;
    private static final int ROWS = 300;

    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final MemoryServer server =
            new MemoryServer(fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS));
    private final NamDb db;
    private final NamDb other;
    private final Table table;

    /// Its rows' bodies are not in the buckets, and stay where they are when a row moves.
    private final Table parents;

    private final Index byGroup;
    private final Column group;
    private final Column value;
    private final QueuePair queuePair;
    private final ThreadExtents memory;

    SplitTableTest() {
        List<Region> regions = List.of(server.region());
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withSlots(SLOTS / 2)
                        .withExecutionThreads(1)
                        .withRetryPolicy(RetryPolicy.NONE)
                        .withMaintenanceInterval(Duration.ofHours(1));
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        db = AttachedDatabase.open(options, fabric, regions);
        table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("grp", ColumnType.INT64)
                                .column("value", ColumnType.INT64)
                                .nullable("none", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(10)
                                .build());
        byGroup = db.createIndex(IndexDefinition.hash("by_group", "t", "grp"));
        group = table.column("grp");
        value = table.column("value");
        parents =
                db.createTable(
                        TableDefinition.named("parents")
                                .column("id", ColumnType.INT64)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(10)
                                .inlined(false)
                                .build());
        other = AttachedDatabase.open(options, fabric, regions);
        queuePair = fabric.connect(regions);
        memory = new ThreadExtents(new MemoryClient(queuePair, 1));
    }

    @AfterEach
    void close() {
        queuePair.close();
        other.close();
        db.close();
        server.close();
        fabric.close();
    }

    private Key id(long id) {
        return table.newKey().set(id);
    }

    private void insert(NamDb by, long id) {
        Table theirs = by.table("t");
        by.transact(tx -> tx.insert(theirs, id(id)).setInt64(group, id % 7).setInt64(value, id));
    }

    private static long hash(HashTable of, Key key) {
        return of.hash(key.words());
    }

    private void insertParent(Table theirs, long id) {
        other.transact(tx ->
                tx.insert(theirs, theirs.newKey().set(id)).setInt64(theirs.column("value"), 0));
    }

    private void moveAway(long id) {
        moveAway(table, id);
    }

    /// Splits the home bucket of a row until the row is in another one.
    private void moveAway(Table of, long id) {
        RestSplitter splitter = new RestSplitter(queuePair, memory, of.records());
        long hash = hash(of.records(), of.newKey().set(id));
        long before = splitter.find(hash);
        for (int splits = 0; splits < 20 && splitter.find(hash) == before; splits++) {
            long _ = splitter.split(hash);
        }
        assertThat(splitter.find(hash)).isNotEqualTo(before);
    }

    private void splitSome(SplittableRandom random, int splits) {
        HashTable entries = Objects.requireNonNull(byGroup.hash());
        RestSplitter rows = new RestSplitter(queuePair, memory, table.records());
        RestSplitter index = new RestSplitter(queuePair, memory, entries);
        for (int split = 0; split < splits; split++) {
            splitIfFlat(rows, hash(table.records(), id(random.nextInt(ROWS))));
            splitIfFlat(index, hash(entries, byGroup.newKey().add(random.nextInt(7))));
        }
    }

    /// The arrays of addresses double with the depth, and the memory is small.
    private static void splitIfFlat(RestSplitter splitter, long hash) {
        if (splitter.depth(hash) < MAX_DEPTH) {
            long _ = splitter.split(hash);
        }
    }

    /// What both compute servers show is what a map shows.
    @Test
    void aTableThatIsSplitShowsWhatItShowedBefore() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        Map<Long, Long> model = new HashMap<>();
        for (int step = 0; step < 900; step++) {
            NamDb by = random.nextInt(3) == 0 ? other : db;
            Table theirs = by.table("t");
            long id = random.nextInt(ROWS);
            if (!model.containsKey(id)) {
                insert(by, id);
                model.put(id, id);
            } else if (random.nextInt(3) == 0) {
                by.transact(tx -> {
                    tx.delete(tx.read(theirs, id(id)));
                    return true;
                });
                model.remove(id);
            } else {
                long now = step;
                by.transact(tx -> tx.read(theirs, id(id)).setInt64(value, now));
                model.put(id, now);
            }
            if (step % 50 == 49) {
                splitSome(random, 6);
                check(db, model);
                check(other, model);
            }
        }
    }

    private void check(NamDb by, Map<Long, Long> model) {
        Table theirs = by.table("t");
        Index index = theirs.allIndexes().getFirst();
        by.transact(tx -> {
            for (long id = 0; id < ROWS; id++) {
                Row row = tx.read(theirs, id(id));
                assertThat(row == null ? null : row.int64(value)).isEqualTo(model.get(id));
            }
            Map<Long, Long> scanned = new HashMap<>();
            TableScan scan = tx.scan(theirs, theirs.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                assertThat(scanned.put(row.int64(theirs.column("id")), row.int64(value))).isNull();
            }
            scan.close();
            assertThat(scanned).isEqualTo(model);
            for (long each = 0; each < 7; each++) {
                long wanted = each;
                Rows found = new Rows();
                tx.lookup(index, theirs, index.newKey().add(each), theirs.schema().all(), found);
                assertThat(found.size())
                        .isEqualTo(
                                (int)
                                        model.keySet().stream()
                                                .filter(id -> id % 7 == wanted)
                                                .count());
            }
            return true;
        });
    }

    @Test
    void aTransactionCommitsAlthoughItsRowsWereMoved() {
        for (long id = 0; id < 40; id++) {
            insert(db, id);
        }
        for (long id = 0; id < 40; id++) {
            long moved = id;
            db.transact(tx -> {
                Row row = Objects.requireNonNull(tx.read(table, id(moved)));
                moveAway(moved);
                row.setInt64(value, 1000 + moved);
                return true;
            });
        }
        for (long id = 0; id < 40; id++) {
            long wanted = id;
            long found = db.transact(tx -> tx.read(table, id(wanted)).int64(value));
            assertThat(found).isEqualTo(1000 + id);
        }
    }

    @Test
    void whatATransactionRequiresHoldsAlthoughItWasMoved() {
        for (long id = 0; id < 20; id++) {
            insert(db, id);
        }
        for (long id = 0; id < 20; id++) {
            long moved = id;
            db.transact(tx -> {
                Row row = Objects.requireNonNull(tx.read(table, id(moved)));
                tx.requireUnchanged(row);
                moveAway(moved);
                tx.insert(table, id(1000 + moved)).setInt64(group, 0).setInt64(value, 0);
                return true;
            });
        }
    }

    @Test
    void whatATransactionRequiresIsSeenToHaveChangedAlthoughItWasMoved() {
        for (long id = 0; id < 20; id++) {
            insert(db, id);
        }
        Table theirs = other.table("t");
        for (long id = 0; id < 20; id++) {
            long moved = id;
            assertThatThrownBy(() ->
                            db.transact(tx -> {
                                Row row = Objects.requireNonNull(tx.read(table, id(moved)));
                                tx.requireUnchanged(row);
                                moveAway(moved);
                                other.transact(
                                        write -> write.read(theirs, id(moved)).setInt64(value, -1));
                                tx.insert(table, id(1000 + moved))
                                        .setInt64(group, 0)
                                        .setInt64(value, 0);
                                return true;
                            }))
                    .isInstanceOf(TransactionException.class);
        }
    }

    /// ```
    /// tx       reads parent 5, requires it, inserts its child
    /// split    moves parent 5 away
    /// other    inserts a row in the entry that it has left; deletes parent 5
    /// tx       commits: finds a row in the entry, and the old body says nothing of a deletion
    /// ```
    @Test
    void whatATransactionRequiresIsSeenToBeGoneAlthoughAnotherRowHasItsEntry() {
        Table theirs = other.table("parents");
        for (long id = 0; id < 20; id++) {
            insertParent(theirs, id);
        }
        for (long id = 0; id < 20; id++) {
            long moved = id;
            assertThatThrownBy(() ->
                            db.transact(tx -> {
                                Row row =
                                        Objects.requireNonNull(
                                                tx.read(parents, parents.newKey().set(moved)));
                                tx.requirePresent(row);
                                moveAway(parents, moved);
                                for (long next = 0; next < 200; next++) {
                                    insertParent(theirs, 1000 * (moved + 1) + next);
                                }
                                other.transact(write -> {
                                    write.delete(write.read(theirs, theirs.newKey().set(moved)));
                                    return true;
                                });
                                tx.insert(table, id(moved)).setInt64(group, 0).setInt64(value, 0);
                                return true;
                            }))
                    .isInstanceOf(TransactionException.class);
        }
    }

    /// The same, but the parent was updated in place of deleted: it was there all the time.
    @Test
    void whatATransactionRequiresIsSeenToBeThereAlthoughAnotherRowHasItsEntry() {
        Table theirs = other.table("parents");
        for (long id = 0; id < 20; id++) {
            insertParent(theirs, id);
        }
        for (long id = 0; id < 20; id++) {
            long moved = id;
            db.transact(tx -> {
                Row row = Objects.requireNonNull(tx.read(parents, parents.newKey().set(moved)));
                tx.requirePresent(row);
                moveAway(parents, moved);
                for (long next = 0; next < 200; next++) {
                    insertParent(theirs, 1000 * (moved + 1) + next);
                }
                other.transact(write ->
                        write.read(theirs, theirs.newKey().set(moved))
                                .setInt64(theirs.column("value"), 7));
                tx.insert(table, id(moved)).setInt64(group, 0).setInt64(value, 0);
                return true;
            });
        }
    }
}
