package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.Writer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.NamDb;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.result.Result;

/// A compute server is killed by SIGKILL while it installs the commit of a transaction that changes
/// thousands of rows, in batches, over TCP: others see all of it or nothing, and nothing of it is
/// left.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledLargeCommitTest {
    private static final int ROWS = 6_000;
    private static final int ROUNDS = 3;

    /// The first kill of each two comes at once, and nearly always in time.
    private static final int MAX_ROUNDS = 10;

    private static final int SAMPLE = 64;
    private static final int MAX_MORE_MILLIS = 20;

    @TempDir private Path directory;

    @Test
    void allOfItIsUndoneOrNothing() throws Exception {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (ClusterFixture cluster =
                        ClusterFixture.up(
                                directory,
                                "--memory=256m",
                                "--compute-servers=0",
                                "--lease=3s",
                                "--transport=tcp");
                NamDb db = cluster.connect();
                SlotHolders holders = new SlotHolders(cluster.config())) {
            try (SqlDatabase sql = SqlDatabase.of(db);
                    SqlSession session = sql.session()) {
                session.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT)").close();
                session.execute("CREATE INDEX ON t (v)").close();
                session.execute(
                                "INSERT INTO t SELECT i, 0 FROM generate_series(1, "
                                        + ROWS
                                        + ") s (i)")
                        .close();
                AtomicLong undone = new AtomicLong();
                db.observeRecoveries(slot -> undone.addAndGet(slot.undone()));
                int undoneCommits = 0;
                for (int round = 0; round < ROUNDS || undoneCommits == 0; round++) {
                    assertThat(round).as("rounds, none of which was undone").isLessThan(MAX_ROUNDS);
                    undone.set(0);
                    int moreMillis = round % 2 == 0 ? 0 : random.nextInt(MAX_MORE_MILLIS);
                    kill(cluster, round, moreMillis, holders, db);
                    holders.awaitNothingLeft(db);
                    long value = value(session);
                    assertThat(value).isBetween(0L, 1L); // 1 if it was killed too late
                    if (undone.get() > 0) {
                        assertThat(value).isZero();
                        undoneCommits++;
                    }
                    session.execute("UPDATE t SET v = 0").close(); // all can be written
                }
            }
        }
    }

    /// Kills a process that adds one to all values when some are installed, and a little later.
    private static void kill(
            ClusterFixture cluster, int round, int moreMillis, SlotHolders holders, NamDb db)
            throws Exception {
        Process shell =
                cluster.startNam("shell-" + round, "sql", "--cluster", cluster.file().toString());
        try (Writer statements = shell.outputWriter();
                BufferedReader lines = shell.inputReader()) {
            statements.write("\\echo ready\n");
            statements.flush();
            assertThat(lines.readLine()).isEqualTo("ready"); // the test's limit ends it
            long[] headers = holders.headers(db.table("t"), SAMPLE);
            statements.write("UPDATE t SET v = v + 1;\n");
            statements.flush();
            holders.awaitInstall(headers);
            Thread.sleep(moreMillis);
            ClusterFixture.kill(shell.toHandle());
        }
    }

    /// The value that all rows have, by a scan and by the index.
    private static long value(SqlSession session) {
        long value;
        try (Result rows =
                session.execute("SELECT count(*), min(v), max(v) FROM t WHERE id >= 0")) {
            rows.next();
            assertThat(rows.int64(0)).isEqualTo(ROWS);
            value = rows.int64(1);
            assertThat(rows.int64(2)).isEqualTo(value);
        }
        try (Result rows = session.execute("SELECT count(*) FROM t WHERE v = " + value)) {
            rows.next();
            assertThat(rows.int64(0)).isEqualTo(ROWS);
        }
        return value;
    }
}
