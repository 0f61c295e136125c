package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;

/// Changes of the schema where sessions use snapshots again: none is older than the schema that it
/// is used with.
class StaleSchemaTest extends PeopleFixture {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT.withStaleness(Duration.ofSeconds(20));
    }

    /// ```
    /// S  takes a snapshot          T  inserts a row, which is not in it
    /// S  fills an index            without the row, if that is by the snapshot of before
    /// ```
    @Test
    void anIndexHasWhatWasCommittedBeforeItWasMade() {
        Table table = db.createTable(people("people").build());
        try (Session other = db.session()) {
            insert(table, 1, 1, "ada");
            try (Session filler = db.session()) {
                assertThat(count(filler, table)).isEqualTo(1);
            }
            other.transact(
                    tx -> tx.insert(table, table.newKey().set(2)).setInt64(table.column("age"), 2));
            Index index = db.createIndex(IndexDefinition.ordered("by_age", "people", "age"));
            Key all = index.newKey();
            assertThat(ascending(index, table, all, all)).containsExactly(1L, 2L);
        }
    }

    @Test
    void rowsThatWereCopiedToAnotherTableAreSeen() {
        Table old = db.createTable(people("people").build());
        try (Session reader = db.session()) {
            insert(old, 1, 1, "ada");
            assertThat(count(reader, old)).isEqualTo(1);
            Table made =
                    db.replaceTable(
                            "people",
                            people("people").versions(7).build(),
                            new RowMapping() {
                                @Override
                                public void key(Row source, Key key) {
                                    key.add(source.int64(old.column("id")));
                                }

                                @Override
                                public void columns(Row source, Row target) {
                                    target.setNull(target.table().column("age"));
                                }
                            });
            assertThat(count(reader, made)).isEqualTo(1);
        }
    }

    private static long count(Session session, Table table) {
        return session.<Long>transact(tx -> {
            long rows = 0;
            TableScan scan = tx.scan(table, table.schema().all());
            while (scan.next() != null) {
                rows++;
            }
            return rows;
        });
    }
}
