package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Processes of a cluster with data directories are killed by SIGKILL at random moments of a
/// [load][RecordedLoad], of each kind in turn, and are started again: all that a client was told is
/// there, and once; what was refused is not; and what is in doubt is there as a whole or not at
/// all.
///
/// `-Dnamdb.rounds=N`: so many rounds, in place of eight. `-Dnamdb.kinds=A,B`: of these kinds
/// only.
@Timeout(value = 3, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomKillsTest {
    private static final Pattern URL = Pattern.compile("postgresql://namdb@(127.0.0.1:[0-9]+)/");

    /// What dies in a round; of `DISK_..` with its disk. Where there are two, the second one dies
    /// while the cluster recovers from the death of the first.
    private enum Kind {
        MEMORY_0("memory-0"),
        MEMORY_1("memory-1"),
        BOTH("memory-0", "memory-1"),
        BOTH_REVERSED("memory-1", "memory-0"),
        TWICE_0("memory-0", "memory-0"),
        TWICE_1("memory-1", "memory-1"),
        DISK_0("memory-0"),
        DISK_1("memory-1"),
        COMPUTE("compute-"),
        COMPUTE_IN_RECOVERY("memory-1", "compute-"),
        ZOOKEEPER("zookeeper"),
        ZOOKEEPER_THEN_COMPUTE("zookeeper", "compute-");

        @SuppressWarnings("ImmutableEnumChecker") // it is List.of
        private final List<String> names;

        Kind(String... names) {
            this.names = List.of(names);
        }
    }

    private static final int MAX_WORK_MILLIS = 1_500;
    private static final int MAX_RECOVERY_MILLIS = 4_000;

    @TempDir private Path directory;

    private final Map<String, ProcessHandle> restarted = new HashMap<>();
    private final StringBuilder done = new StringBuilder();
    private int starts;

    @Test
    @Tag("sample")
    void whatClientsWereToldIsThereOnce() throws Exception {
        kill(5);
    }

    @Test
    @Tag("long")
    void whatClientsWereToldIsThereOnceManyTimes() throws Exception {
        kill(Integer.getInteger("namdb.rounds", 8));
    }

    private void kill(int rounds) throws Exception {
        List<Kind> kinds = new ArrayList<>(List.of(Kind.values()));
        String chosen = System.getProperty("namdb.kinds");
        if (chosen != null) {
            kinds = new ArrayList<>(Arrays.stream(chosen.split(",")).map(Kind::valueOf).toList());
        }
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (ClusterFixture cluster =
                ClusterFixture.up(
                        directory.resolve("cluster"),
                        "--data=" + directory.resolve("data"),
                        "--memory=256m",
                        "--lease=5s")) {
            List<String> addresses = new ArrayList<>();
            Matcher urls = URL.matcher(cluster.said());
            while (urls.find()) {
                addresses.add(urls.group(1));
            }
            try (RecordedLoad load = new RecordedLoad(addresses, random.nextLong())) {
                for (int round = 0; round < rounds; round++) {
                    if (round % kinds.size() == 0) {
                        Collections.shuffle(kinds, new Random(random.nextLong()));
                    }
                    long begin = System.nanoTime();
                    load.awaitProgress(done::toString);
                    kill(cluster, addresses, kinds.get(round % kinds.size()), random);
                    load.awaitProgress(done::toString);
                    load.judge(round, random.nextInt(addresses.size()));
                    System.out.printf(
                            "round %d, %,d ms, %,d commits:%s%n",
                            round,
                            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin),
                            load.commits(),
                            done);
                    done.setLength(0);
                }
                System.out.println("failures by SQLSTATE: " + load.failures());
            }
        }
    }

    private void kill(
            ClusterFixture cluster, List<String> addresses, Kind kind, SplittableRandom random)
            throws Exception {
        Thread.sleep(random.nextInt(MAX_WORK_MILLIS));
        int number = random.nextInt(addresses.size());
        for (int i = 0; i < kind.names.size(); i++) {
            int millis = i == 0 ? 0 : random.nextInt(MAX_RECOVERY_MILLIS);
            Thread.sleep(millis);
            String name = kind.names.get(i);
            name = name.equals("compute-") ? name + number : name;
            ProcessHandle process = restarted.get(name);
            ClusterFixture.kill(
                    process == null ? cluster.server(name).alive().orElseThrow() : process);
            int away = random.nextInt(3) == 0 ? random.nextInt(MAX_WORK_MILLIS) : 0;
            Thread.sleep(away);
            if (kind.name().startsWith("DISK_")) {
                done.append(" without its disk");
                loseDisk(directory.resolve("data").resolve(name));
            }
            restarted.put(name, start(cluster, name, addresses).toHandle());
            done.append(" after %d ms %s, away for %d ms".formatted(millis, name, away));
        }
    }

    private static void loseDisk(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    /// Starts a server in place of one that has died.
    private Process start(ClusterFixture cluster, String name, List<String> addresses) {
        String file = cluster.file().toString();
        String started = name + "-again-" + starts++;
        if (name.equals("zookeeper")) {
            return cluster.startNam(
                    started,
                    "zookeeper",
                    "--directory",
                    directory.resolve("cluster").resolve("zookeeper").toString(),
                    "--address",
                    cluster.config().membership().zookeeper().getFirst().toString());
        }
        int number = name.charAt(name.length() - 1) - '0';
        assertThat(number).isBetween(0, 1);
        return name.startsWith("memory")
                ? cluster.startNam(
                        started, "memory-server", "-c", file, "-n", Integer.toString(number))
                : cluster.startNam(
                        started,
                        "compute-server",
                        "-c",
                        file,
                        "--set",
                        "sql.listen=" + addresses.get(number));
    }
}
