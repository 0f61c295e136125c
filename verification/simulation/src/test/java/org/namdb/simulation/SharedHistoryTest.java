package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.checker.IsolationChecker;
import org.namdb.checker.Verdict;
import org.namdb.checker.history.History;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.HistoryReader;
import org.namdb.checker.report.VerdictReport;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.RetryPolicy;
import org.namdb.compute.history.HistoryFile;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// The register workload of several compute servers at once, whose histories are one.
class SharedHistoryTest {
    private static final int SLOTS = 64;
    private static final int SERVER_BYTES = 64 << 20;
    private static final int SESSIONS = 4;
    private static final int TRANSACTIONS = 1_000;
    private static final int MAX_SECONDS = 60;

    private static final AttemptLog NONE = (sid, status, i, t, b, e, snap, ops) -> {};

    @TempDir private Path directory;

    private final Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
    private final MemoryServer server =
            new MemoryServer(fabric, 0, SERVER_BYTES, DatabaseLayout.reservedBytes(0, SLOTS));
    private final List<Region> regions = List.of(server.region());

    SharedHistoryTest() {
        DatabaseLayout.format(fabric, regions, SLOTS, Duration.ofMinutes(1));
    }

    @AfterEach
    void close() {
        server.close();
        fabric.close();
    }

    private NamDb attach() {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(SERVER_BYTES)
                        .withSlots(SESSIONS + 1)
                        .withExecutionThreads(1)
                        .withRetryPolicy(RetryPolicy.NONE);
        return AttachedDatabase.open(options, fabric, regions);
    }

    private static RegisterRun run(long seed) {
        return new RegisterRun(new RegisterWorkload(20, 4, 0.5), SESSIONS, TRANSACTIONS, seed, 2);
    }

    /// One process: writes a history. Some of it is written when all have joined, and some when all
    /// have written half of theirs.
    private Path write(String name, long seed, CountDownLatch come, CountDownLatch half)
            throws IOException, InterruptedException {
        Path path = directory.resolve(name);
        try (HistoryFile file = HistoryFile.create(path);
                NamDb db = attach()) {
            HistoryFileLog log = new HistoryFileLog(file);
            log.ofProcess(db.process());
            run(seed)
                    .runAttached(
                            db,
                            log,
                            others -> come.countDown(),
                            done -> {
                                awaitSome(come);
                                if (done == TRANSACTIONS / 2) {
                                    half.countDown();
                                    awaitSome(half);
                                }
                            });
            assertThat(log.transactions()).isEqualTo(TRANSACTIONS);
        }
        return path;
    }

    private static void awaitSome(CountDownLatch latch) {
        try {
            assertThat(latch.await(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<Path> writeTwoAtOnce(String names) throws Exception {
        CountDownLatch bothAreThere = new CountDownLatch(2);
        CountDownLatch bothAreHalfDone = new CountDownLatch(2);
        List<FutureTask<Path>> processes = new ArrayList<>();
        for (int process = 0; process < 2; process++) {
            String name = names + process;
            long seed = process;
            FutureTask<Path> task =
                    new FutureTask<>(() -> write(name, seed, bothAreThere, bothAreHalfDone));
            processes.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        List<Path> written = new ArrayList<>();
        for (FutureTask<Path> process : processes) {
            written.add(process.get(MAX_SECONDS, TimeUnit.SECONDS));
        }
        return written;
    }

    private static Verdict verdict(List<Path> files) throws IOException {
        HistoryBuilder history = History.builder();
        for (Path file : files) {
            HistoryReader.add(file, history);
        }
        return IsolationChecker.strict().check(history.build());
    }

    private static void requireHolds(Verdict verdict) {
        assertThat(verdict.holds()).as(VerdictReport.of(verdict)).isTrue();
    }

    @Test
    void twoAtOnceWriteOneHistory() throws Exception {
        List<Path> files = writeTwoAtOnce("at-once-");
        Verdict verdict = verdict(files);
        requireHolds(verdict);
        assertThat(verdict.history().transactions()).hasSize(2 * TRANSACTIONS);
    }

    /// No history begins with what an earlier one has left, and all of them may be checked
    /// together.
    @Test
    void oneAfterTheOtherBeginsAgain() throws Exception {
        List<Path> files = new ArrayList<>(writeTwoAtOnce("first-"));
        CountDownLatch none = new CountDownLatch(0);
        files.add(write("second", 7, none, none));
        requireHolds(verdict(files.subList(2, 3)));
        requireHolds(verdict(files));
        try (NamDb db = attach()) {
            assertThat(db.tableNames()).isEmpty();
        }
    }

    @Test
    void aTableOfAnotherIsLeftAlone() {
        try (NamDb db = attach()) {
            db.createTable(
                    TableDefinition.named("registers")
                            .column("id", ColumnType.INT64)
                            .primaryKey("id")
                            .build());
            assertThatThrownBy(() -> run(1).runAttached(db, NONE, others -> {}, done -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "the database has a table registers, which nam history has not made:"
                                    + " rename it");
            assertThat(db.tableNames()).containsExactly("registers");
        }
    }
}
