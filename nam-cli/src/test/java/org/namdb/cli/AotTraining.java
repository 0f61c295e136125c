package org.namdb.cli;

import java.nio.file.Path;
import java.util.List;

/// The training run for the AOT cache of the processes that tests start: a ZooKeeper, a memory
/// server, a compute server, shells and TPC-C, all in this JVM.
final class AotTraining {
    private static final long READY_SECONDS = 60;

    private static final String STATEMENTS =
            """
            CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(10), paid DECIMAL(9, 2));
            INSERT INTO customer VALUES (1, 'Ada', 1.5), (2, 'Grace', 2.5);
            BEGIN;
            UPDATE customer SET paid = paid + 1 WHERE id = 1;
            COMMIT;
            SELECT a.name, count(*), sum(b.paid) FROM customer a JOIN customer b ON b.id = a.id
              WHERE a.id > 0 GROUP BY a.name ORDER BY 1;
            DROP TABLE customer;
            """;

    private static final String TPCC =
            " --warehouses 1 --population 1 --threads 2 --transactions 100";

    private AotTraining() {}

    /// Runs it, and ends the JVM.
    ///
    /// @param arguments a directory for the cluster's files
    public static void main(String[] arguments) throws Exception {
        LocalCluster cluster = new LocalCluster(Path.of(arguments[0]));
        String file = cluster.configuration().toString();
        List<Integer> ports;
        try (ReservedPorts reserved = new ReservedPorts(3)) {
            ports = reserved.numbers();
            cluster.configure(
                    ports.subList(1, 3), 1, 1, false, null, "64m", "10s", "tcp", "64", "1m");
        }
        String sql = "127.0.0.1:" + ports.getFirst();
        String zooKeeper = "127.0.0.1:" + ports.getLast();
        start("zookeeper", "--directory", arguments[0] + "/zookeeper", "--address", zooKeeper);
        start("memory-server", "-c", file, "-n", "0");
        start("compute-server", "-c", file, "--set", "sql.listen=" + sql);
        String url = "postgresql://nam@" + sql + "/nam";
        long end = System.nanoTime() + READY_SECONDS * 1_000_000_000;
        while (nam("sql", url, "-c", STATEMENTS) != 0 && System.nanoTime() < end) {
            Thread.sleep(500);
        }
        int _ = nam("sql", "--cluster", file, "-c", STATEMENTS);
        int _ = nam(("tpcc --cluster " + file + TPCC).split(" "));
        int _ = nam("status", "-c", file);
        Nam.main(new String[] {"sql", "-c", STATEMENTS});
    }

    private static void start(String... arguments) {
        Thread.ofPlatform().daemon().start(() -> nam(arguments));
    }

    private static int nam(String... arguments) {
        return Nam.commandLine().execute(arguments);
    }
}
