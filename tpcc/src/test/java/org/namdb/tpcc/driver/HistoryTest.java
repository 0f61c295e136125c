package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.compute.history.HistoryFile;
import org.namdb.compute.history.HistoryRecorder;
import org.namdb.fabric.Seeds;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.tpcc.TpccOptions;
import org.namdb.workload.RunOptions.ReadMode;
import org.namdb.workload.driver.RunMeasurement;
import org.namdb.workload.driver.RunObserver;
import org.namdb.workload.statistics.TypeStatistics;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The history of a run: whole, in its form, and one of snapshot isolation as far as a simple check
/// shows. `-Dnamdb.transactions=N`: runs of N transactions in place of 800.
class HistoryTest {
    private static final int TRANSACTIONS = Integer.getInteger("namdb.transactions", 800);
    private static final List<String> FIELDS =
            List.of("tid", "sid", "status", "i", "t", "b", "e", "snap", "ops");

    @TempDir private Path directory;

    private record Operation(boolean write, long key, long value) {}

    private record Line(
            long tid,
            String sid,
            String status,
            int slot,
            long timestamp,
            long begin,
            long end,
            List<Long> snapshot,
            List<Operation> operations) {
        boolean shows(Line commit) {
            return commit.timestamp <= element(commit.slot) && commit.timestamp > 0;
        }

        boolean dominates(Line other) {
            for (int at = 0; at < other.snapshot.size(); at++) {
                if (element(at) < other.element(at)) {
                    return false;
                }
            }
            return true;
        }

        private long element(int at) {
            return at < snapshot.size() ? snapshot.get(at) : 0;
        }
    }

    @ParameterizedTest(name = "{0} threads, {1} memory servers, {2}, {3} versions")
    @CsvSource({"1, 1, IN_PLACE, 2", "2, 1, IN_PLACE, 1", "8, 1, IN_PLACE, 2", "8, 4, TEARING, 1"})
    void everyAttemptIsRecordedAndTheyAreIsolated(
            int threads, int servers, ReadMode reads, int versions) throws IOException {
        TpccOptions options =
                RunFixture.options(
                        "--threads "
                                + threads
                                + " --memory-servers "
                                + servers
                                + " --reads "
                                + reads
                                + " --versions "
                                + versions
                                + " --seed "
                                + Seeds.next()
                                + " --transactions "
                                + TRANSACTIONS);
        try (RunFixture fixture = new RunFixture(options)) {
            TypeStatistics total = run(fixture, 1).statistics().total();
            List<Line> lines = lines();
            long failed = total.rolledBack() + total.retries();
            // A Delivery that finds nothing to deliver has read nothing but NEW-ORDER.
            assertThat(count(lines, "ok"))
                    .isBetween(total.committed() * 99 / 100, total.committed());
            assertThat(count(lines, "fail")).isBetween(failed * 99 / 100, failed);
            assertThat(count(lines, "info")).isZero();
            assertThat(lines.stream().map(Line::sid).distinct()).hasSize(threads);
            assertIsolated(lines);
            fixture.assertConsistent();
        }
    }

    @Test
    void aSampleHasAllOperationsOfSomeRecords() throws IOException {
        TpccOptions options =
                RunFixture.options("--threads 2 --seed 3 --transactions " + TRANSACTIONS);
        try (RunFixture fixture = new RunFixture(options)) {
            run(fixture, 50);
            List<Line> lines = lines();
            assertThat(lines.size()).isBetween(10, TRANSACTIONS);
            assertThat(lines)
                    .allSatisfy(line ->
                            assertThat(line.operations)
                                    .isNotEmpty()
                                    .allMatch(op -> Long.remainderUnsigned(op.key, 50) == 0));
            assertThat(lines.stream().flatMap(line -> line.operations.stream()))
                    .anyMatch(Operation::write)
                    .anyMatch(operation -> !operation.write && operation.value != 0);
            assertIsolated(lines);
        }
    }

    private RunMeasurement run(RunFixture fixture, long sample) throws IOException {
        try (HistoryFile file = HistoryFile.create(directory.resolve("history.jsonl"))) {
            HistoryRecorder recorder =
                    HistoryRecorder.start(
                            fixture.db, file, sample, Set.of(fixture.schema.newOrders.table));
            return fixture.measured(RunObserver.NONE).recordedBy(recorder).run();
        }
    }

    private static long count(List<Line> lines, String status) {
        return lines.stream().filter(line -> line.status.equals(status)).count();
    }

    private List<Line> lines() throws IOException {
        List<Line> lines = new ArrayList<>();
        for (String text : Files.readAllLines(directory.resolve("history.jsonl"))) {
            JsonNode json = JsonMapper.shared().readTree(text);
            assertThat(json.propertyNames()).containsExactlyElementsOf(FIELDS);
            List<Operation> operations = new ArrayList<>();
            for (JsonNode operation : json.get("ops")) {
                assertThat(operation.size()).isEqualTo(3);
                assertThat(operation.get(0).stringValue()).isIn("r", "w");
                operations.add(
                        new Operation(
                                operation.get(0).stringValue().equals("w"),
                                operation.get(1).longValue(),
                                operation.get(2).longValue()));
            }
            List<Long> snapshot = json.get("snap").valueStream().map(JsonNode::longValue).toList();
            lines.add(
                    new Line(
                            json.get("tid").longValue(),
                            json.get("sid").stringValue(),
                            json.get("status").stringValue(),
                            json.get("i").intValue(),
                            json.get("t").longValue(),
                            json.get("b").longValue(),
                            json.get("e").longValue(),
                            snapshot,
                            operations));
        }
        return lines;
    }

    private static void assertIsolated(List<Line> lines) {
        Map<Long, Line> commits = new HashMap<>();
        Map<Long, List<Line>> writers = new HashMap<>();
        Set<Long> tids = new HashSet<>();
        for (Line line : lines) {
            assertThat(tids.add(line.tid)).as("tid " + line.tid).isTrue();
            assertTimestamp(line, commits);
            for (Operation operation : line.operations) {
                if (operation.write) {
                    assertThat(operation.value)
                            .isEqualTo(CommitTimestamp.of(line.slot, line.timestamp));
                    writers.computeIfAbsent(operation.key, key -> new ArrayList<>()).add(line);
                }
            }
        }
        for (Line line : lines) {
            for (Operation operation : line.operations) {
                if (!operation.write) {
                    assertNewest(line, operation, commits, writers);
                }
            }
        }
        assertChain(lines);
        assertSessions(lines);
    }

    private static void assertTimestamp(Line line, Map<Long, Line> commits) {
        assertThat(line.begin).isLessThanOrEqualTo(line.end);
        if (line.timestamp == -1) {
            assertThat(line.slot).isEqualTo(-1);
            assertThat(line.operations).noneMatch(Operation::write);
        } else {
            assertThat(line.status).isEqualTo("ok");
            assertThat(line.sid).isEqualTo("s" + line.slot);
            assertThat(line.shows(line)).as("%s sees its own commit", line).isFalse();
            assertThat(commits.put(CommitTimestamp.of(line.slot, line.timestamp), line))
                    .as("two with the commit timestamp of %s", line)
                    .isNull();
        }
    }

    /// Whether a read returned the newest version that the snapshot shows: the one whose writer had
    /// seen all others.
    private static void assertNewest(
            Line reader, Operation read, Map<Long, Line> commits, Map<Long, List<Line>> writers) {
        List<Line> shown =
                writers.getOrDefault(read.key, List.of()).stream().filter(reader::shows).toList();
        if (read.value == 0) {
            assertThat(shown).as("%s reads the base of %d", reader, read.key).isEmpty();
            return;
        }
        Line newest = commits.get(read.value);
        assertThat(shown).as("%s reads %s", reader, read).contains(newest);
        for (Line other : shown) {
            assertThat(other.tid == newest.tid || newest.shows(other))
                    .as("%s reads %s, and %s is newer", reader, read, other)
                    .isTrue();
        }
    }

    private static void assertChain(List<Line> lines) {
        List<Line> bySum = new ArrayList<>(lines);
        bySum.sort(
                Comparator.comparingLong(
                        line -> line.snapshot.stream().mapToLong(Long::longValue).sum()));
        for (int at = 1; at < bySum.size(); at++) {
            assertThat(bySum.get(at).dominates(bySum.get(at - 1))).as("a chain").isTrue();
        }
    }

    private static void assertSessions(List<Line> lines) {
        Map<String, List<Line>> sessions = new HashMap<>();
        for (Line line : lines) {
            sessions.computeIfAbsent(line.sid, sid -> new ArrayList<>()).add(line);
        }
        for (List<Line> session : sessions.values()) {
            // The lines of a session are in its order, as one writer writes them.
            for (int at = 1; at < session.size(); at++) {
                Line before = session.get(at - 1);
                Line line = session.get(at);
                assertThat(line.begin).isGreaterThanOrEqualTo(before.end);
                assertThat(line.dominates(before)).isTrue();
                assertThat(before.timestamp == -1 || line.shows(before)).isTrue();
            }
        }
    }
}
