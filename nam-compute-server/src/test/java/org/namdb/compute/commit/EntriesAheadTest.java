package org.namdb.compute.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Payload;
import org.namdb.mvcc.schema.TableDefinition;

/// Index entries whose leaves are read along with the locks.
class EntriesAheadTest {
    private static Table table(CommitFixture fixture, String name) {
        return fixture.table(
                TableDefinition.named(name)
                        .column("id", ColumnType.INT64)
                        .column("value", ColumnType.INT64)
                        .primaryKey("id")
                        .expectedRows(100)
                        .build());
    }

    private static void add(CommitFixture.Committer committer, Table table, long id) {
        long image = committer.image(table);
        Payload.putIntegral(table.column("value"), image, id);
        committer.writes.insert(table, committer.key(table, id), image);
    }

    /// Entries in one index fill the batch, the one in the other does not fit, and the commit is
    /// aborted: the insertion that was taken for it serves the next commit.
    @Test
    void anInsertionThatDoesNotFitIsReused() {
        try (CommitFixture fixture = new CommitFixture(new ShmFabric(ShmFabric.Options.DEFAULT))) {
            Table many = table(fixture, "many");
            Table one = table(fixture, "one");
            fixture.catalog.create(IndexDefinition.ordered("by_many", "many", "value"));
            Index byOne = fixture.catalog.create(IndexDefinition.ordered("by_one", "one", "value"));
            CommitFixture.Committer committer = fixture.committer(CommitJournal.NONE);
            committer.begin();
            add(committer, one, 1);
            assertThat(committer.end()).isEqualTo(CommitOutcome.Committed.INSTANCE);
            for (int attempt = 0; attempt < 20; attempt++) {
                committer.begin();
                for (int id = 0; id < 16; id++) {
                    add(committer, many, id);
                }
                add(committer, one, 1);
                assertThat(committer.end()).isInstanceOf(CommitOutcome.DuplicateKey.class);
            }
            assertThat(committer.openWriter(byOne).insertions()).isLessThanOrEqualTo(2);
        }
    }
}
