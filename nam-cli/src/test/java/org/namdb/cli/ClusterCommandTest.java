package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.schema.Table;

/// A cluster of processes on this machine, as `nam cluster up` starts it.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterCommandTest {
    @TempDir Path directory;

    private ClusterFixture cluster;

    @BeforeEach
    void up() {
        cluster = ClusterFixture.up(directory, "--memory", "64m", "--lease", "5s");
    }

    @AfterEach
    void down() {
        cluster.close();
        assertThat(cluster.manage("cluster", "status")).as("nothing runs").isEqualTo(1);
    }

    @Test
    void processesSeeEachOthersCommitsAndComeAndGo() throws Exception {
        assertThat(cluster.manage("cluster", "status")).isZero();
        try (NamDb db = cluster.connect();
                Session session = db.session()) {
            Table table = ClusterClient.counters(db);
            long value = ClusterClient.count(session, table);
            for (int times = 0; times < 2; times++) {
                String name = "client-" + times;
                Process client =
                        cluster.start(name, ClusterClient.class, cluster.file().toString(), "5");
                List<String> said;
                try (BufferedReader reader = client.inputReader()) {
                    said = reader.readAllLines();
                }
                assertThat(client.waitFor()).as(() -> cluster.errorsOf(name)).isZero();
                assertThat(said.getLast()).isEqualTo(Long.toString(value + 5));
                value = ClusterClient.count(session, table);
                assertThat(value).isEqualTo(Long.parseLong(said.getLast()) + 1);
            }
        }
        assertThat(cluster.nam("status", "-c", cluster.file().toString()))
                .as(cluster::said)
                .isZero();
        assertThat(cluster.said())
                .contains(
                        "memory server 1 ",
                        " records with old versions",
                        "slots ",
                        "versions are kept for member ",
                        "compute server ");
        cluster.kill("compute-0");
        assertThat(cluster.manage("cluster", "status")).as("one has ended").isEqualTo(1);
        assertThat(cluster.said()).contains("starts what has ended");
        assertThat(cluster.manage("cluster", "up")).isEqualTo(1);
        assertThat(cluster.said()).contains("or start what has ended of it by 'nam cluster start");
        cluster.kill("zookeeper");
        assertThat(cluster.manage("cluster", "start")).as(cluster::said).isZero();
        assertThat(cluster.said()).contains("started again: zookeeper, compute-0");
        assertThat(cluster.manage("cluster", "status")).isZero();
        try (NamDb db = cluster.connect();
                Session session = db.session()) {
            assertThat(ClusterClient.count(session, db.table("counters"))).isGreaterThan(10);
        }
        cluster.kill("memory-1");
        assertThat(cluster.manage("cluster", "status")).isEqualTo(1);
        assertThat(cluster.said())
                .contains("the database has ended with a memory server: 'nam cluster down --");
        assertThat(cluster.manage("cluster", "start")).isEqualTo(1);
        assertThat(cluster.said())
                .contains(
                        "a memory server has ended, and the database with it, as there is no data");
    }
}
