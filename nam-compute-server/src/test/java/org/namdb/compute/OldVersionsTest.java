package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.timestamp.snapshot.Snapshot;

/// What readers see of records that are changed concurrently, and for how long; the same on every
/// fabric, whatever the length of the old-version buffers.
@ParameterizedClass
@MethodSource("configurations")
class OldVersionsTest extends AccountsFixture {
    /// A fabric that the whole public interface is tested on.
    @Parameter DatabaseContract configuration;

    static Stream<Named<DatabaseContract>> configurations() {
        return Stream.of(
                        new InPlaceDatabaseTest(),
                        new LandingDatabaseTest(),
                        new TearingDatabaseTest(),
                        new WordTearingDatabaseTest(),
                        new FourServersDatabaseTest(),
                        new PlacedDatabaseTest())
                .map(each -> Named.of(each.getClass().getSimpleName(), each));
    }

    @Override
    EmbeddedOptions options() {
        return configuration.options();
    }

    @Override
    int versions() {
        return configuration.versions();
    }

    @Override
    int[] servers() {
        return configuration.servers();
    }

    @Test
    void anOldSnapshotReadsOldVersionsThroughManyUpdates() {
        insert(1, "ada", 0);
        try (Session other = db.session()) {
            db.transact(tx -> {
                Snapshot _ = tx.snapshot(); // chosen now
                for (int i = 1; i <= 50; i++) {
                    long value = i;
                    other.transact(t -> t.read(accounts, id(1)).setInt64(balance, value));
                }
                assertThat(tx.read(accounts, id(1)).int64(balance)).isZero();
                return true;
            });
        }
        assertThat(db.<Long>transact(tx -> tx.read(accounts, id(1)).int64(balance))).isEqualTo(50);
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aReaderOlderThanEveryKeptVersionFails() throws InterruptedException {
        db.close();
        db =
                NamDb.embedded(
                        options()
                                .withMemoryBytes(256 << 20)
                                .withMaxTransactionTime(java.time.Duration.ofMillis(100))
                                .withRetryPolicy(RetryPolicy.NONE));
        accounts = db.createTable(accounts.definition());
        insert(1, "ada", 0);
        try (Session reader = db.session();
                Session writer = db.session()) {
            assertThatThrownBy(() ->
                            reader.transact(tx -> {
                                Snapshot _ = tx.snapshot();
                                // Goes on for longer than the maximum transaction time, and until
                                // the watermark has retired versions. It pauses, as they are kept
                                // until background maintenance gets its turn.
                                long until = System.nanoTime() + 400_000_000L;
                                long most = 0;
                                for (long kept = 0;
                                        System.nanoTime() < until || kept >= most;
                                        kept = db.oldVersionBytes()) {
                                    most = Math.max(most, kept);
                                    updateOnce(writer);
                                    LockSupport.parkNanos(50_000);
                                }
                                return tx.read(accounts, id(1)).int64(balance);
                            }))
                    .isInstanceOf(TransactionException.class)
                    .hasMessageContaining("snapshot too old");
        }
    }

    /// One attempt: the version mover may hold the record for a moment.
    private void updateOnce(Session writer) {
        try {
            writer.transact(t -> {
                Row row = t.read(accounts, id(1));
                return row.setInt64(balance, row.int64(balance) + 1);
            });
        } catch (TransactionException e) {
            assertThat(e.outcome()).isInstanceOf(CommitOutcome.WriteConflict.class);
        }
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void oldVersionsAreFreedWhenTheirReadersEnd() throws InterruptedException {
        insert(1, "ada", 0);
        try (Session writer = db.session()) {
            db.transact(tx -> {
                Snapshot _ = tx.snapshot();
                for (int i = 0; i < 500; i++) {
                    writer.transact(t -> {
                        Row row = t.read(accounts, id(1));
                        return row.setInt64(balance, row.int64(balance) + 1);
                    });
                }
                assertThat(tx.read(accounts, id(1)).int64(balance)).isZero();
                assertThat(db.oldVersionBytes()).isGreaterThan(500 * 64);
                return true;
            });
            for (int i = 0; i < 100; i++) {
                writer.transact(t -> t.read(accounts, id(1)).setString(owner, "eve"));
            }
            writer.collectGarbage();
            writer.transact(t -> t.read(accounts, id(1)).setString(owner, "bob"));
            while (db.oldVersionBytes() > 0) { // the test's limit ends it
                writer.transact(t -> t.read(accounts, id(1)));
                writer.collectGarbage();
                Thread.sleep(10);
            }
        }
    }
}
