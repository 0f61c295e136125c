package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.tearing.TearingFabric;

/// A commit locks records, and then reads many times the landing buffer before it installs: a long
/// chain of buckets, index nodes, what it requires. The views of its locks are whole nevertheless:
/// what it has kept as old versions is what was there.
class ViewsTest {
    private static final int LANDING_BYTES = 32 << 10;
    private static final int NEIGHBOURS = 3000;
    private static final int ROWS = 12;
    private static final int ROUNDS = 6;

    @Test
    void theViewsOfLocksOutlastWhateverIsReadBeforeTheInstall() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        ShmFabric.Options small = new ShmFabric.Options(true, LANDING_BYTES, null);
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64 << 20)
                        .withMaintenanceInterval(Duration.ofHours(1)) // it holds records, too
                        .withFabric(
                                () -> new TearingFabric(TearingFabric.Options.lines(seed), small));
        try (NamDb db = NamDb.embedded(options);
                Session writer = db.session();
                Session reader = db.session()) {
            Things things = new Things(db);
            things.fill(writer);
            for (int round = 1; round <= ROUNDS; round++) {
                Transaction old = reader.begin();
                things.assertRound(old, round - 1);
                things.change(writer.begin(), round);
                assertThat(writer.commit()).isEqualTo(CommitOutcome.Committed.INSTANCE);
                things.assertRound(old, round - 1);
                reader.rollback();
            }
        }
    }

    /// Rows that are written over, and neighbours in one long chain.
    private static final class Things {
        private final Table rows;
        private final Table chain;
        private final Column round;
        private final Column text;
        private final Column color;
        private final Index byColor;

        Things(NamDb db) {
            rows =
                    db.createTable(
                            TableDefinition.named("things")
                                    .column("id", ColumnType.INT64)
                                    .column("round", ColumnType.INT64)
                                    .column("text", ColumnType.varchar(300))
                                    .primaryKey("id")
                                    .expectedRows(ROWS)
                                    .versions(1)
                                    .build());
            round = rows.column("round");
            text = rows.column("text");
            chain =
                    db.createTable(
                            TableDefinition.named("neighbours")
                                    .column("group_id", ColumnType.INT64)
                                    .column("number", ColumnType.INT64)
                                    .column("color", ColumnType.INT64)
                                    .primaryKey("group_id", "number")
                                    .neighbours(1)
                                    .expectedRows(4)
                                    .build());
            color = chain.column("color");
            byColor = db.createIndex(IndexDefinition.hash("by_color", "neighbours", "color"));
        }

        void fill(Session session) {
            Transaction tx = session.begin();
            for (long id = 0; id < ROWS; id++) {
                tx.insert(rows, rows.newKey().set(id))
                        .setInt64(round, 0)
                        .setString(text, "round 0");
            }
            assertThat(session.commit()).isEqualTo(CommitOutcome.Committed.INSTANCE);
            for (long number = 0; number < NEIGHBOURS; number += 100) {
                Transaction part = session.begin();
                for (long i = number; i < number + 100; i++) {
                    part.insert(chain, chain.newKey().set(1, i)).setInt64(color, 5);
                }
                assertThat(session.commit()).isEqualTo(CommitOutcome.Committed.INSTANCE);
            }
        }

        /// Locks all rows, adds to the chain, and requires that nothing has a color: lookups go
        /// through long chains, too.
        void change(Transaction tx, int to) {
            for (long id = 0; id < ROWS; id++) {
                Row row = tx.post(rows, rows.newKey().set(id), rows.schema().all());
                tx.await();
                row.setInt64(round, to).setString(text, "round " + to);
            }
            for (long i = 0; i < 3; i++) {
                tx.insert(chain, chain.newKey().set(1, NEIGHBOURS + 3L * to + i))
                        .setInt64(color, 5);
            }
            tx.requireNone(byColor, chain, byColor.newKey().set(5000 + to));
        }

        void assertRound(Transaction tx, int expected) {
            for (long id = 0; id < ROWS; id++) {
                Row row = tx.post(rows, rows.newKey().set(id), rows.schema().all());
                tx.await();
                assertThat(row.int64(round)).isEqualTo(expected);
                assertThat(row.string(text)).isEqualTo("round " + expected);
            }
        }
    }
}
