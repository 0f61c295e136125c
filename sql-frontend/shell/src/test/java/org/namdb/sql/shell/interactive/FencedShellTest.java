package org.namdb.sql.shell.interactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterDurability;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.config.Transport;
import org.namdb.cluster.membership.EmbeddedZooKeeper;
import org.namdb.compute.NamDb;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.memory.process.MemoryProcess;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.shell.local.LocalDatabase;

/// A shell is a compute server of a cluster, and is fenced by another one while its user types
/// nothing: it joins again, and an open block alone is lost.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FencedShellTest {
    private static final HostPort ANYWHERE = new HostPort("127.0.0.1", 0);
    private static final String NAME = "fenced-shell";
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir private Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private EmbeddedZooKeeper zooKeeper;
    private NamDb other;
    private NamDb db;
    private TypedShell shell;

    @BeforeEach
    void start() throws IOException {
        zooKeeper = new EmbeddedZooKeeper(directory, ANYWHERE, Duration.ofMillis(100));
        open.add(zooKeeper);
        MemoryProcess server = MemoryProcess.start(config(ANYWHERE), 0);
        open.add(server);
        other = NamDb.connect(config(server.address()));
        open.add(other);
        db = NamDb.connect(config(server.address()));
        LocalDatabase database = LocalDatabase.of(db, Path.of("c.yaml"));
        open.add(database);
        shell = new TypedShell(database, null);
        open.add(shell::close);
    }

    private ClusterConfig config(HostPort memory) {
        return new ClusterConfig(
                NAME,
                List.of(new ClusterConfig.Memory(memory, 64 << 20, null, 1)),
                64,
                1,
                false,
                ClusterDurability.SYNC,
                LONG,
                Transport.TCP,
                RdmaOptions.DEFAULT,
                ClusterConfig.Security.NONE,
                new ClusterConfig.Membership(List.of(zooKeeper.address()), LONG),
                new ClusterConfig.Compute(
                        1, Duration.ofMillis(5), LONG, LONG, null, ClusterConfig.Lines.DEFAULT),
                ClusterConfig.Sql.NONE);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    /// @param answer begins a line
    private void run(String statement, String answer) throws IOException {
        run(statement, answer, "namdb=> ");
    }

    private void run(String statement, String answer, String prompt) throws IOException {
        shell.type(statement + ";\r");
        shell.await("\n" + answer);
        shell.await(prompt);
    }

    /// What was open fails so that it may be run again.
    private void fail(String statement, String prompt) throws IOException {
        int before = shell.text().length();
        run(statement, "ERROR ", prompt);
        assertThat(shell.text().substring(before)).containsPattern("\nERROR (40001|08006): ");
    }

    /// Has the shell's compute server declared dead, and waits until it has joined again.
    private void fence() throws InterruptedException {
        int process = db.process();
        assertThat(zooKeeper.endLease(NAME, process)).isTrue();
        while (db.process() == process || db.loss() != null) {
            Thread.sleep(10); // the test's limit ends it
        }
    }

    @Test
    void theNextStatementOfAnIdleShellWorks() throws Exception {
        run("CREATE TABLE t (id INT PRIMARY KEY)", "CREATE TABLE");
        run("INSERT INTO t VALUES (1)", "INSERT 0 1");
        for (int id = 2; id <= 3; id++) {
            fence();
            run("INSERT INTO t VALUES (" + id + ")", "INSERT 0 1");
        }
        run("SELECT 'has ' || count(*) FROM t", "│ has 3 ");
        assertThat(shell.text()).doesNotContain("\nERROR");
    }

    @Test
    void anOpenBlockFailsAndIsRunAgain() throws Exception {
        run("CREATE TABLE t (id INT PRIMARY KEY)", "CREATE TABLE");
        run("BEGIN", "BEGIN", "namdb*=> ");
        run("INSERT INTO t VALUES (1)", "INSERT 0 1", "namdb*=> ");
        fence();
        fail("INSERT INTO t VALUES (2)", "namdb!=> ");
        run("ROLLBACK", "ROLLBACK");
        run("SELECT 'has ' || count(*) FROM t", "│ has 0 ");
        run("BEGIN", "BEGIN", "namdb*=> ");
        run("INSERT INTO t VALUES (1)", "INSERT 0 1", "namdb*=> ");
        fence();
        fail("COMMIT", "namdb=> ");
        run("INSERT INTO t VALUES (1)", "INSERT 0 1");
        run("SELECT 'has ' || count(*) FROM t", "│ has 1 ");
    }

    @Test
    void aLostTemporaryTableIsNotTakenForAPermanentOne() throws Exception {
        run("CREATE TABLE t (id INT PRIMARY KEY)", "CREATE TABLE");
        run("INSERT INTO t VALUES (1)", "INSERT 0 1");
        run("CREATE TEMP TABLE t (id INT PRIMARY KEY)", "CREATE TABLE");
        int process = db.process();
        fence();
        while (other.computeServers().contains(process)) {
            Thread.sleep(10); // the test's limit ends it
        }
        try (SqlDatabase sql = SqlDatabase.of(other)) { // drops what the dead one has left
            assertThat(sql.engine().tableNames()).noneMatch(name -> name.contains("temp"));
        }
        run("DELETE FROM t", "ERROR 42P01: temporary relation \"t\" does not exist any more");
        run("DROP TABLE t", "ERROR 42P01: temporary relation \"t\" does not exist any more");
        run("CREATE TEMP TABLE t (id INT PRIMARY KEY)", "CREATE TABLE");
        run("INSERT INTO t VALUES (7), (8)", "INSERT 0 2");
        run("SELECT 'temporary ' || count(*) FROM t", "│ temporary 2 ");
        try (SqlDatabase sql = SqlDatabase.of(other)) {
            assertThat(sql.engine().tableNames()).anyMatch(name -> name.contains("temp"));
        }
        run("DISCARD TEMP", "DISCARD TEMP");
        run("SELECT 'permanent ' || count(*) FROM t", "│ permanent 1 ");
    }
}
