package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.compute.NamDb;

/// Compute servers that are killed by SIGKILL while they own lines. The others go on when the lease
/// has ended, and find what was released. `-Dnamdb.rounds=N`: so many rounds of five deaths, in
/// place of three.
@Timeout(value = 1_500, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledOwnerTest {
    private static final int LINES = 4;
    private static final int ACCESSES = 100;

    @TempDir private Path directory;

    @Test
    @Tag("sample")
    void whatWasReleasedIsThere() throws Exception {
        kill(2, 1, "8s");
    }

    @Test
    @Tag("long")
    void whatWasReleasedIsThereManyTimes() throws Exception {
        kill(Integer.getInteger("namdb.rounds", 3), 5, "5s");
    }

    /// @param owners so many are killed, one after the other, before the lines of all are accessed
    private void kill(int rounds, int owners, String lease) throws Exception {
        String[] options = {"--compute-servers=1", "--memory=128m", "--lease=" + lease};
        try (ClusterFixture cluster = ClusterFixture.up(directory.resolve("cluster"), options);
                NamDb db = cluster.connect();
                LineSession lines = db.lines()) {
            long[][] addresses = new long[owners][LINES];
            for (long[] each : addresses) {
                Arrays.setAll(each, i -> lines.allocate());
            }
            long maxNanos = 0;
            for (int round = 0; round < rounds; round++) {
                Process[] started = new Process[owners];
                for (int owner = 0; owner < owners; owner++) {
                    String[] arguments =
                            Stream.concat(
                                            Stream.of(cluster.file().toString()),
                                            LongStream.of(addresses[owner])
                                                    .mapToObj(Long::toString))
                                    .toArray(String[]::new);
                    String name = "owner-" + round + "-" + owner;
                    started[owner] = cluster.start(name, LineCounter.class, arguments);
                }
                long[][] released = new long[owners][];
                for (int owner = 0; owner < owners; owner++) {
                    released[owner] = killAtWork(started[owner]);
                }
                long begin = System.nanoTime();
                for (int owner = 0; owner < owners; owner++) {
                    for (int i = 0; i < LINES; i++) {
                        try (LineGuard guard = lines.exclusive(addresses[owner][i])) {
                            assertThat(guard.longAt(0))
                                    .as("line %d of owner %d in round %d", i, owner, round)
                                    .isBetween(released[owner][i], released[owner][i] + 1);
                        }
                    }
                }
                maxNanos = Math.max(maxNanos, System.nanoTime() - begin);
            }
            System.out.printf(
                    "%d kills, lease %s: their lines are free after %,d ms at most%n",
                    rounds * owners, lease, TimeUnit.NANOSECONDS.toMillis(maxNanos));
        }
    }

    /// Kills an owner when it has accessed its lines so many times.
    ///
    /// @return the last value of each line that it has released
    private static long[] killAtWork(Process owner) throws Exception {
        long[] released = new long[LINES];
        int count = 0;
        BufferedReader reader = owner.inputReader();
        for (String said = reader.readLine(); said != null; said = reader.readLine()) {
            int space = said.indexOf(' ');
            int line = Integer.parseInt(said.substring(0, space));
            released[line] = Long.parseLong(said.substring(space + 1));
            if (++count == ACCESSES) {
                ClusterFixture.kill(owner.toHandle());
            }
        }
        assertThat(count).isGreaterThan(LINES);
        return released;
    }
}
