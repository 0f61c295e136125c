package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Reading, installing and committing allocate nothing on the heap, once everything has its size.
class AllocationTest {
    private static final int WARM_UP = 60_000;
    private static final int MEASURED = 20_000;

    /// What the virtual machine may allocate by itself in a thread while it compiles: less than one
    /// object in a hundred transactions.
    private static final long TOLERATED_BYTES = MEASURED / 100 * 16;

    /// Reads two rows, updates both, inserts one with an index entry, and deletes the one that was
    /// inserted before.
    private static final class Work implements StoredProcedure<long[], Row> {
        private final Table table;
        private final Column id;
        private final Column value;
        private final Column group;
        private final Index byGroup;
        private final Key key;
        private final Key groupKey;

        Work(Table table, Index byGroup) {
            this.table = table;
            this.id = table.column("id");
            this.value = table.column("value");
            this.group = table.column("group");
            this.byGroup = byGroup;
            this.key = table.newKey();
            this.groupKey = byGroup.newKey();
        }

        @Override
        public Row run(Transaction tx, long[] round) {
            Row a = tx.post(table, key.set(1), table.schema().all());
            Row b = tx.post(table, key.set(2), table.schema().all());
            tx.await();
            a.setInt64(value, a.int64(value) - 1);
            b.setInt64(value, b.int64(value) + 1);
            RowCursor cursor =
                    tx.ascending(
                            byGroup,
                            table,
                            groupKey.set(round[0] & 7),
                            groupKey,
                            table.schema().all());
            Row oldest = cursor.next();
            if (oldest != null && oldest.int64(id) > 2) {
                tx.delete(oldest);
            }
            return tx.insert(table, key.set(10 + round[0]))
                    .setInt64(group, round[0] & 7)
                    .setInt64(value, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {IndexDefinition.FINE, IndexDefinition.COARSE, IndexDefinition.HYBRID})
    void aTransactionAllocatesNothing(String distribution) {
        try (NamDb db = NamDb.embedded();
                Session session = db.session()) {
            Table table =
                    db.createTable(
                            TableDefinition.named("t")
                                    .column("id", ColumnType.INT64)
                                    .column("group", ColumnType.INT32)
                                    .column("value", ColumnType.INT64)
                                    .primaryKey("id")
                                    .expectedRows(10_000)
                                    .build());
            Index byGroup =
                    db.createIndex(
                            IndexDefinition.ordered("by_group", "t", "group")
                                    .property(IndexDefinition.DISTRIBUTION, distribution));
            session.transact(tx -> {
                for (int id = 1; id <= 2; id++) {
                    tx.insert(table, table.newKey().set(id))
                            .setInt64(table.column("group"), 100)
                            .setInt64(table.column("value"), 0);
                }
                return true;
            });
            Work work = new Work(table, byGroup);
            long[] round = {0};
            for (; round[0] < WARM_UP; round[0]++) {
                session.call(work, round);
            }
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            for (; round[0] < WARM_UP + MEASURED; round[0]++) {
                session.call(work, round);
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated)
                    .as("bytes allocated by " + MEASURED + " transactions")
                    .isLessThan(TOLERATED_BYTES);
        }
    }
}
