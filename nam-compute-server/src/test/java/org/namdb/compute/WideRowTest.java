package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.HashCursor;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Records of nearly the largest size, in their buckets and apart: so many as fill a landing buffer
/// several times are read by every way there is.
class WideRowTest {
    private static final int RECORDS = 80;
    private static final int TEXTS = 4;

    /// Background maintenance locks records for a moment, which a commit may meet.
    private static final Duration REST = Duration.ofHours(1);

    private NamDb db;
    private Table table;
    private Column number;
    private Index hashed;
    private Index ordered;

    @BeforeEach
    void open() {
        db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(128 << 20)
                                .withMaintenanceInterval(REST)
                                .withFabric(() ->
                                        new ShmFabric(
                                                ShmFabric.Options.DEFAULT.withReadsInPlace(
                                                        false))));
    }

    @AfterEach
    void close() {
        db.close();
    }

    private void fill(boolean inlined) {
        TableDefinition.Builder definition =
                TableDefinition.named("wide")
                        .column("id", ColumnType.INT64)
                        .column("number", ColumnType.INT64)
                        .primaryKey("id")
                        .inlined(inlined)
                        .expectedRows(RECORDS);
        for (int i = 0; i < TEXTS; i++) {
            definition.column("text" + i, ColumnType.varchar(8000));
        }
        table = db.createTable(definition.build());
        number = table.column("number");
        hashed = db.createIndex(IndexDefinition.hash("hashed", "wide", "number"));
        ordered = db.createIndex(IndexDefinition.ordered("ordered", "wide", "number"));
        for (int id = 0; id < RECORDS; id++) {
            Key key = table.newKey().set(id);
            String text = text(id);
            db.transact(tx -> {
                Row row = BlankRow.insert(tx, table, key).setInt64(number, 7);
                for (int i = 0; i < TEXTS; i++) {
                    row.setString(table.column("text" + i), text);
                }
                return row;
            });
        }
    }

    private static String text(long id) {
        return String.valueOf(id).repeat(1000);
    }

    private void check(Row row) {
        assertThat(row.exists()).isTrue();
        String text = text(row.int64(table.column("id")));
        for (int i = 0; i < TEXTS; i++) {
            assertThat(row.string(table.column("text" + i))).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyWayToReadKeepsToTheLandingBuffer(boolean inlined) {
        fill(inlined);
        try (Session old = db.session();
                Session writer = db.session()) {
            Transaction before = old.begin();
            readAll(before);
            old.rollback();
            before = old.begin();
            for (int id = 0; id < RECORDS; id++) {
                Key key = table.newKey().set(id);
                writer.transact(
                        tx -> tx.read(table, key, table.project("number")).setInt64(number, 8));
            }
            readAll(before);
            old.rollback();
            Transaction after = old.begin();
            Row _ = BlankRow.insert(after, table, table.newKey().set(RECORDS)).setInt64(number, 9);
            after.requireNone(hashed, table, hashed.newKey().set(7));
            after.requireNone(ordered, table, ordered.newKey().set(7));
            assertThat(old.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
    }

    private void readAll(Transaction tx) {
        Key seven = hashed.newKey().set(7);
        RowBatch batch = tx.batch(table, table.schema().all());
        for (int id = 0; id < RowBatch.CAPACITY; id++) {
            int _ = batch.add(table.newKey().set(id));
        }
        batch.read();
        for (int id = 0; id < RowBatch.CAPACITY; id++) {
            check(batch.row(id));
        }
        int found = 0;
        HashCursor hits = tx.matching(hashed, table, seven, table.schema().all());
        for (Row row = hits.next(); row != null; row = hits.next()) {
            check(row);
            found++;
        }
        TableScan scan = tx.scan(table, table.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            check(row);
            found++;
        }
        Key from = ordered.newKey().set(7);
        for (RowCursor cursor :
                new RowCursor[] {
                    tx.streamDescending(ordered, table, from, from, table.schema().all()),
                    tx.ascending(ordered, table, from, from, table.schema().all())
                }) {
            for (Row row = cursor.next(); row != null; row = cursor.next()) {
                check(row);
                found++;
            }
        }
        Rows rows = new Rows();
        tx.lookup(hashed, table, seven, table.schema().all(), rows);
        for (int i = 0; i < rows.size(); i++) {
            check(rows.row(i));
        }
        assertThat(found + rows.size()).isEqualTo(5 * RECORDS);
    }
}
