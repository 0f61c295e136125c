package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.namdb.sql.engine.SqlFixture.rows;
import static org.namdb.sql.engine.SqlFixture.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// A file system is really full: a small one in memory, which is mounted for another JVM alone. And
/// a process is killed that has temporary files.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullDiskTest {
    private static final int DISK_BYTES = 16 << 20;

    /// A namespace of its own for mounts, as any user may make one.
    private static final List<String> OWN_MOUNTS =
            List.of("unshare", "--user", "--map-root-user", "--mount", "sh", "-c");

    private static final String MOUNT = "mount -t tmpfs -o size=" + DISK_BYTES + " none \"$0\"";

    private static final String ROWS = "3000";

    @TempDir private Path directory;

    private void requireWhereMountsAreAllowed(String scenario) throws Exception {
        assumeTrue(
                isDone(List.of(MOUNT, directory.toString())),
                "needs unshare of util-linux, and leave to mount a tmpfs");
        List<String> words = new ArrayList<>(OWN_MOUNTS);
        words.addAll(List.of(MOUNT + " && exec \"$@\"", directory.toString()));
        words.addAll(java(directory, scenario));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private static boolean isDone(List<String> script) throws InterruptedException {
        List<String> words = new ArrayList<>(OWN_MOUNTS);
        words.addAll(script);
        try {
            return new ProcessBuilder(words).start().waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such command
        }
    }

    private static List<String> java(Path directory, String scenario) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                Scenarios.class.getName(),
                scenario,
                directory.toString());
    }

    /// A checkpoint that does not fit is removed, and writes go on; where the journal does not fit,
    /// they are refused, and reads go on; when there is space again, all go on.
    @Test
    void theJournalAndACheckpoint() throws Exception {
        requireWhereMountsAreAllowed("journal");
    }

    @Test
    void aSortAndAJoinThatSpill() throws Exception {
        requireWhereMountsAreAllowed("spill");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aProcessThatIsKilledWhileItSpillsLeavesNoFiles() throws Exception {
        Process process =
                new ProcessBuilder(java(directory, "spill-on"))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        assertThat(process.inputReader().readLine()).isEqualTo("spilling");
        process.destroyForcibly().waitFor();
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.endsWith(".tmp"));
        }
    }

    /// What other JVMs do. An exception ends them.
    static final class Scenarios {
        private final Path directory;

        private Scenarios(Path directory) {
            this.directory = directory;
        }

        public static void main(String[] arguments) throws Exception {
            Scenarios scenarios = new Scenarios(Path.of(arguments[1]));
            switch (arguments[0]) {
                case "journal" -> scenarios.journal();
                case "spill" -> scenarios.spill();
                default -> scenarios.spillOn();
            }
            System.exit(0);
        }

        private static SqlDatabase open(JournalOptions journal) {
            return SqlDatabase.embedded(
                    EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withJournal(journal));
        }

        private static void insert(SqlSession session) {
            String _ =
                    run(
                            session,
                            "CREATE TABLE t (id INT PRIMARY KEY, name TEXT); INSERT INTO t"
                                    + " SELECT i, repeat('x', 1000) || i"
                                    + " FROM generate_series(1, %s) g (i)".formatted(ROWS));
        }

        /// Leaves so many bytes free.
        private void fill(long free) throws IOException {
            long bytes = Files.getFileStore(directory).getUsableSpace() - free;
            Files.write(directory.resolve("ballast"), new byte[Math.toIntExact(bytes)]);
            assertThat(Files.getFileStore(directory).getUsableSpace()).isLessThanOrEqualTo(free);
        }

        private void free() throws IOException {
            Files.delete(directory.resolve("ballast"));
        }

        private void journal() throws Exception {
            Path data = directory.resolve("data");
            JournalOptions journal = JournalOptions.in(data).withBytes(1 << 16, Long.MAX_VALUE);
            try (SqlDatabase database = open(journal);
                    SqlSession session = database.session()) {
                insert(session);
            }
            JournalOptions checkpointed = journal.withBytes(1 << 16, 1);
            fill(1 << 20);
            String count;
            try (Changes changes = new Changes(data);
                    SqlDatabase database = open(checkpointed);
                    SqlSession session = database.session()) {
                changes.await(StandardWatchEventKinds.ENTRY_CREATE, "checkpoint-00000001");
                changes.await(StandardWatchEventKinds.ENTRY_DELETE, "checkpoint-00000001");
                assertThat(rows(session, "SELECT count(*) FROM t")).isEqualTo(ROWS);
                assertThat(run(session, "INSERT INTO t VALUES (0, 'zero')"))
                        .isEqualTo("INSERT 0 1");
                Files.write(
                        directory.resolve("more"),
                        new byte[Math.toIntExact(Files.getFileStore(directory).getUsableSpace())]);
                String refusal = "";
                int more = 0;
                while (refusal.isEmpty()) {
                    String insert =
                            "INSERT INTO t VALUES (-%d, repeat('y', 4000))".formatted(++more);
                    refusal = errorOf(() -> run(session, insert));
                }
                assertThat(refusal).startsWith("53100").contains("No space left on device");
                count = Integer.toString(Integer.parseInt(ROWS) + more);
                assertThat(rows(session, "SELECT count(*) FROM t")).isEqualTo(count);
                assertThat(rows(session, "SELECT name FROM t WHERE id = 0")).isEqualTo("zero");
                Files.delete(directory.resolve("more"));
                free();
                assertThat(run(session, "INSERT INTO t VALUES (-100000, 'more')"))
                        .isEqualTo("INSERT 0 1");
            }
            try (Changes changes = new Changes(data);
                    SqlDatabase database = open(checkpointed);
                    SqlSession session = database.session()) {
                changes.await(StandardWatchEventKinds.ENTRY_DELETE, "journal-00000001");
                assertThat(rows(session, "SELECT count(*) FROM t WHERE id <> -100000"))
                        .isEqualTo(count);
                assertThat(rows(session, "SELECT name FROM t WHERE id = -100000"))
                        .isEqualTo("more");
            }
        }

        /// @return the error; empty if there is none
        private static String errorOf(Runnable statement) {
            try {
                statement.run();
                return "";
            } catch (SqlException e) {
                return e.code() + " " + e.getMessage();
            }
        }

        private void spill() throws IOException {
            try (SqlDatabase database = open();
                    SqlSession session = database.session()) {
                insert(session);
                String _ = run(session, "SET work_mem = '64kB'");
                long free = Files.getFileStore(directory).getUsableSpace();
                for (String query : SPILLING) {
                    String found = rows(session, query);
                    assertThat(Files.getFileStore(directory).getUsableSpace())
                            .as("what was spilled is gone")
                            .isEqualTo(free);
                    fill(1 << 16);
                    assertThat(errorOf(() -> rows(session, query)))
                            .startsWith("53100")
                            .contains("No space left on device");
                    assertThat(rows(session, "SELECT count(*) FROM t")).isEqualTo(ROWS);
                    free();
                    assertThat(Files.getFileStore(directory).getUsableSpace())
                            .as("what was spilled is gone")
                            .isEqualTo(free);
                    assertThat(rows(session, query)).isEqualTo(found);
                }
            }
        }

        /// Of numbers that don't get shorter when they are compressed.
        private static final String NUMBERS =
                "(SELECT i, i * 7001 % 1000003 AS k FROM generate_series(1, 300000) g (i))";

        private static final List<String> SPILLING =
                List.of(
                        "SELECT * FROM %s s ORDER BY k".formatted(NUMBERS),
                        "SELECT count(*), sum(a.i) FROM %s a JOIN %1$s b ON a.k = b.k"
                                .formatted(NUMBERS));

        private static SqlDatabase open() {
            return SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20));
        }

        /// Until it is killed.
        private void spillOn() throws IOException {
            try (SqlDatabase database = open();
                    SqlSession session = database.session()) {
                insert(session);
                String _ = run(session, "SET work_mem = '64kB'");
                try (Result sorted = session.execute("SELECT id, name FROM t ORDER BY name")) {
                    assertThat(sorted.next()).isTrue();
                    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
                        assertThat(open.map(Scenarios::target))
                                .anyMatch(file -> file.contains(".tmp"));
                    }
                    System.out.println("spilling");
                    int _ = System.in.read();
                }
            }
        }

        private static String target(Path link) {
            try {
                return Files.readSymbolicLink(link).toString();
            } catch (IOException e) {
                return ""; // closed meanwhile
            }
        }
    }

    /// The files that come and go in a directory.
    private static final class Changes implements AutoCloseable {
        private final WatchService watch;
        private final Deque<WatchEvent<?>> seen = new ArrayDeque<>();

        Changes(Path directory) throws IOException {
            watch = directory.getFileSystem().newWatchService();
            WatchKey _ =
                    directory.register(
                            watch,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_DELETE);
        }

        void await(WatchEvent.Kind<Path> kind, String name) throws InterruptedException {
            while (true) {
                while (!seen.isEmpty()) {
                    WatchEvent<?> event = seen.remove();
                    if (event.kind().equals(kind) && name.equals(event.context().toString())) {
                        return;
                    }
                }
                WatchKey key = watch.take(); // the test's limit ends it
                seen.addAll(key.pollEvents());
                assertThat(key.reset()).isTrue();
            }
        }

        @Override
        public void close() throws IOException {
            watch.close();
        }
    }
}
