package org.namdb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.read.Row;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.driver.AtOnce;
import org.namdb.workload.driver.BenchmarkRun.Status;
import org.namdb.workload.driver.RunDatabase;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.TextStyle;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Whole runs on small databases, and what the checks of reads find.
class YcsbRunTest {
    private static final int RECORDS = 500;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private static YcsbOptions options(String text) {
        return YcsbOptions.of(
                2, 24L << 30, "--records " + RECORDS + " --memory 64m --field-bytes 20 " + text);
    }

    private Status run(YcsbOptions options, Path out) {
        RunConsole console =
                new RunConsole(
                        new PrintWriter(output, true),
                        new PrintWriter(errors, true),
                        new TextStyle(false, true));
        return YcsbRun.of(options, console, ResultFiles.in(out), null, null).run();
    }

    private static JsonNode json(Path out) throws Exception {
        return JsonMapper.shared().readTree(Files.readString(out.resolve("result.json")));
    }

    @ParameterizedTest
    @EnumSource
    void everyWorkloadRunsOnAFabricThatTears(Workload workload, @TempDir Path out)
            throws Exception {
        Status status =
                run(
                        options(
                                "--threads 3 --transactions 2000 --reads tearing --workload "
                                        + workload),
                        out);
        assertThat(status).as(output.toString() + errors).isEqualTo(Status.PASSED);
        JsonNode result = json(out);
        long all = 0;
        for (Workload.Kind kind : workload.kinds()) {
            long count = result.get("types").get(kind.label()).get("count").longValue();
            // 2,000 draws: five standard deviations are 112.
            assertThat(count)
                    .isBetween(
                            20L * workload.percent(kind) - 112, 20L * workload.percent(kind) + 112);
            all += count;
        }
        assertThat(all).isEqualTo(2_000);
        assertThat(result.get("types").size()).isEqualTo(workload.kinds().size());
        assertThat(result.get("options").get("workload").stringValue())
                .isEqualTo(workload.toString());
        assertThat(output.toString()).endsWith("PASSED: all three consistency conditions hold.\n");
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "B", "C", "D", "F"})
    void recordsCanBeInLines(Workload workload, @TempDir Path out) throws Exception {
        String text = "--store lines --threads 3 --transactions 2000 --reads tearing --workload ";
        Status status = run(options(text + workload), out);
        assertThat(status).as(output.toString() + errors).isEqualTo(Status.PASSED);
        JsonNode result = json(out);
        assertThat(result.get("types").size()).isEqualTo(workload.kinds().size());
        assertThat(result.get("options").get("store").stringValue()).isEqualTo("lines");
        assertThat(output.toString()).contains("0 to other compute servers");
    }

    /// More records than the memory has space for.
    @ParameterizedTest
    @EnumSource(names = {"A", "C", "D"})
    void recordsCanBeInPages(Workload workload, @TempDir Path out) throws Exception {
        String text =
                "--store pages --page-memory 1m --records 20000 --threads 3 --transactions 2000"
                        + " --requests uniform --page-directory "
                        + out.resolve("pages")
                        + " --workload ";
        Status status = run(options(text + workload), out.resolve("results"));
        assertThat(status).as(output.toString() + errors).isEqualTo(Status.PASSED);
        JsonNode result = json(out.resolve("results"));
        assertThat(result.get("options").get("store").stringValue()).isEqualTo("pages");
        assertThat(output.toString())
                .containsPattern("[1-9][0-9.]* ?k? pages that were not in memory");
        assertThat(out.resolve("pages").resolve("namdb.pages")).exists();
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamed(@TempDir Path out) throws Exception {
        Path file = Files.createFile(out.resolve("file"));
        String text = "--store pages --workload c --page-directory " + file.resolve("below");
        assertThat(run(options(text), out.resolve("results"))).isEqualTo(Status.FAILED);
        assertThat(output.toString() + errors).contains("can't make " + file.resolve("below"));
    }

    /// What was read is checked there, too.
    @Test
    void aRecordOfAnotherKeyIsNoticed() {
        try (NamDb db =
                        NamDb.embedded(
                                RunDatabase.embedded(
                                        options("--workload c"), RecoveryProgress.UNSEEN));
                LineRecords records =
                        YcsbLines.create(db, options("--store lines --workload c")).records()) {
            System.arraycopy(
                    new FieldText(20, new SplittableRandom(1)).next(7),
                    0,
                    records.record(),
                    20,
                    20);
            records.insert(8);
            assertThat(records.read(7)).isFalse();
            assertThat(records.read(8)).isTrue();
            assertThat(FieldText.isOf(7, records.record(), 20)).isTrue();
            assertThat(FieldText.isOf(8, records.record(), 20)).isFalse();
            assertThat(records.update(7, 0, new byte[20], false)).isFalse();
        }
    }

    @Test
    void whatLinesCannotDoIsRefused() {
        for (String workload : List.of("e", "tree-a")) {
            assertThatExceptionOfType(InvalidOptionException.class)
                    .isThrownBy(() -> options("--store lines --workload " + workload))
                    .withMessageContaining("a to d, and f");
        }
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> options("--store lines --workload a --data x"))
                .withMessageContaining("--store lines goes neither with --data nor");
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() ->
                        YcsbOptions.of(2, 24L << 30, "--store pages --workload a --cluster c.yaml"))
                .withMessageContaining("for a run in this process");
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> options("--store lines --workload a --page-memory 5m"))
                .withMessageContaining("are for --store pages");
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> options("--store pages --workload a --page-memory 5k"))
                .withMessage("--page-memory must be 1m to 64g");
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(
                        () -> options("--store pages --workload a --fields 50 --field-bytes 99"))
                .withMessageContaining("pages of 4096 bytes: records of 4950 don't fit");
    }

    @Test
    void laterRunsOfADirectoryInsertOtherRecords(@TempDir Path directory) throws Exception {
        for (int run = 0; run < 3; run++) {
            Status status =
                    run(
                            options(
                                    "--workload d --threads 2 --transactions 500 --data "
                                            + directory.resolve("data")
                                            + " --durability none"),
                            directory.resolve("out"));
            assertThat(status).as(output.toString() + errors).isEqualTo(Status.PASSED);
            assertThat(
                            json(directory.resolve("out"))
                                    .get("types")
                                    .get("Insert")
                                    .get("count")
                                    .longValue())
                    .isPositive();
        }
        assertThat(errors.toString())
                .contains("found 500 records, 500 rows, loaded by an earlier run");
    }

    /// A database, and the work of one thread on it.
    private static final class Fixture implements AutoCloseable {
        final YcsbOptions options;
        final NamDb db;
        final YcsbTables tables;
        final Session session;
        final RecordNumbers numbers;
        final ReadChecks checks;
        final YcsbWork work;

        Fixture(String text) {
            options = options(text);
            db = NamDb.embedded(RunDatabase.embedded(options, RecoveryProgress.UNSEEN));
            YcsbPopulation population = new YcsbPopulation(options);
            tables = population.create(db);
            assertThat(population.load(db, tables, 1, db.options().host().instant())).isTrue();
            session = db.session();
            numbers = new RecordNumbers(options.records(), 1);
            checks = new ReadChecks();
            SplittableRandom random = new SplittableRandom(5);
            work =
                    new YcsbWork(
                            session,
                            tables,
                            options,
                            new OperationDraw(
                                    options,
                                    numbers,
                                    new RecordChooser(Requests.UNIFORM, null, random.split()),
                                    random),
                            new AtOnce(),
                            checks);
        }

        void run(int transactions) {
            for (int i = 0; i < transactions; i++) {
                work.next();
                assertThat(work.run()).isFalse();
            }
        }

        @Override
        public void close() {
            session.close();
            db.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"in-place, 0.01", "landing, 0.3", "tearing, 1"})
    void aScanReadsTheRecordsAfterItsStart(String reads, double selectivity) {
        try (Fixture fixture =
                new Fixture(
                        "--workload tree-b --selectivity " + selectivity + " --reads " + reads)) {
            long[] keys = LongStream.range(0, RECORDS).map(fixture.numbers::key).sorted().toArray();
            long expected = 0;
            for (int i = 0; i < 100; i++) {
                fixture.run(1);
                assertThat(fixture.work.scanRecords()).isEqualTo((int) (selectivity * RECORDS));
                int place = Arrays.binarySearch(keys, fixture.work.keyValue());
                assertThat(place).isNotNegative();
                expected += Math.min(fixture.work.scanRecords(), RECORDS - place);
                assertThat(fixture.checks.totals().scanned()).isEqualTo(expected);
            }
            assertThat(fixture.checks.totals().disordered()).isZero();
            assertThat(fixture.checks.totals().missing()).isZero();
            assertThat(fixture.checks.totals().foreign()).isZero();
        }
    }

    /// Begin and end are two. The others are the leaves, the rows, what of them is in overflow
    /// areas, and the read of the low watermark with every sixteenth.
    @ParameterizedTest
    @CsvSource({"in-place", "landing"})
    void aScanTakesFourRoundTripsBesideBeginAndEnd(String reads) {
        try (Fixture fixture = new Fixture("--workload e --records 20000 --reads " + reads)) {
            fixture.run(300);
            long before = fixture.session.counters().roundTrips();
            long scans = fixture.checks.totals().scans();
            while (fixture.checks.totals().scans() < scans + 500) {
                fixture.work.next();
                if (fixture.work.kind().operation() == Operation.SCAN) {
                    assertThat(fixture.work.run()).isFalse();
                }
            }
            double each = (fixture.session.counters().roundTrips() - before) / 500.0;
            assertThat(each - 2).isLessThanOrEqualTo(4);
        }
    }

    @Test
    void whatIsMissingIsFound() {
        for (String workload : List.of("c", "tree-a", "b", "f", "tree-b")) {
            try (Fixture fixture = new Fixture("--workload " + workload)) {
                fixture.session.transact(tx -> {
                    for (int number = 0; number < RECORDS; number += 2) {
                        Row row =
                                tx.read(
                                        fixture.tables.table,
                                        fixture.tables
                                                .table
                                                .newKey()
                                                .set(fixture.numbers.key(number)));
                        assertThat(row).isNotNull();
                        tx.delete(row);
                    }
                    return true;
                });
                fixture.run(100);
                ReadChecks.Totals totals = fixture.checks.totals();
                assertThat(totals.missing() + totals.disordered())
                        .as(workload)
                        .isBetween(20L, 100L);
            }
        }
    }

    @Test
    void aFieldOfAnotherRecordIsFound() {
        for (String workload : List.of("c", "tree-a", "f", "tree-b")) {
            try (Fixture fixture = new Fixture("--workload " + workload)) {
                byte[] other = new FieldText(20, new SplittableRandom(1)).next(-1).clone();
                fixture.session.transact(tx -> {
                    for (int number = 0; number < RECORDS; number++) {
                        Row row =
                                tx.read(
                                        fixture.tables.table,
                                        fixture.tables
                                                .table
                                                .newKey()
                                                .set(fixture.numbers.key(number)));
                        assertThat(row).isNotNull();
                        row.setBytes(fixture.tables.fields.get(3), other, 0, other.length);
                    }
                    return true;
                });
                fixture.run(200);
                assertThat(fixture.checks.totals().foreign()).as(workload).isBetween(2L, 60L);
            }
        }
    }
}
