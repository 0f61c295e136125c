package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.cache.engine.ConcurrencyControl;
import org.namdb.compute.NamDb;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.fabric.Threads;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.lines.LineCheck;
import org.namdb.tpcc.lines.LinePopulation;
import org.namdb.tpcc.lines.LineTransactions;
import org.namdb.tpcc.lines.TpccLines;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.driver.BenchmarkRun.Opener;
import org.namdb.workload.driver.BenchmarkRun.Status;
import org.namdb.workload.driver.RunDatabase;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.TextStyle;

/// `nam tpcc --engine`: TPC-C on cached lines, whose conditions hold with each kind of concurrency
/// control. `-Dnamdb.transactions=N`: runs of N transactions in place of 1,000, and of N / 5 by
/// each of two compute servers.
class TpccLineRunTest {
    private static final int TRANSACTIONS = Integer.getInteger("namdb.transactions", 1_000);

    private static final String SMALL = "--warehouses 1 --population 1 ";

    private static TpccOptions options(String text) {
        return TpccOptions.of(2, 24L << 30, SMALL + text);
    }

    /// @return what it has said
    private static String passed(String text, @Nullable Opener opener) {
        StringWriter said = new StringWriter();
        PrintWriter writer = new PrintWriter(said, true);
        Status status =
                new TpccLineRun(
                                options(text),
                                new RunConsole(writer, writer, new TextStyle(false, true)),
                                null,
                                opener)
                        .run();
        assertThat(status).as(said.toString()).isEqualTo(Status.PASSED);
        return said.toString();
    }

    @ParameterizedTest
    @EnumSource
    void conditionsHoldAfterARunOfSeveralThreads(ConcurrencyControl control) {
        assertThat(
                        passed(
                                "--threads 4 --transactions "
                                        + TRANSACTIONS
                                        + " --engine "
                                        + control,
                                null))
                .contains("all twelve consistency conditions hold", "0 to other compute servers");
    }

    @ParameterizedTest
    @EnumSource
    void conditionsHoldAfterRunsOfTwoComputeServers(ConcurrencyControl control) throws Exception {
        try (SharedDatabase shared = new SharedDatabase()) {
            List<String> said = new ArrayList<>(List.of("", ""));
            Threads.run(
                    2,
                    thread ->
                            said.set(
                                    thread,
                                    passed(
                                            "--threads 2 --transactions "
                                                    + TRANSACTIONS / 5
                                                    + " --cluster c.yaml --engine "
                                                    + control,
                                            any -> shared.attachWithLines())));
            assertThat(said).filteredOn(each -> each.contains("\nloaded 1 warehouse")).hasSize(1);
            assertThat(
                            passed(
                                    "--no-load --transactions 10 --cluster c.yaml --engine "
                                            + control,
                                    any -> shared.attachWithLines()))
                    .contains("all twelve consistency conditions hold");
        }
    }

    /// A database, loaded into lines.
    private static final class Fixture implements AutoCloseable {
        final TpccOptions options = options("--engine 2pl");
        final NamDb db = NamDb.embedded(RunDatabase.embedded(options, RecoveryProgress.UNSEEN));
        final TpccLines lines;

        Fixture() {
            LinePopulation population = new LinePopulation(options);
            lines = population.create(db);
            assertThat(population.load(db, lines, 1, db.options().host().instant())).isTrue();
        }

        List<ConditionResult> check() {
            return LineCheck.run(lines, options.scale(), share -> {});
        }

        @Override
        public void close() {
            db.close();
        }
    }

    @Test
    void aDeliveryDeliversTheOldestOrderOfEachDistrict() {
        try (Fixture fixture = new Fixture()) {
            NuRandConstants constants = NuRandConstants.of(1);
            Scale scale = fixture.options.scale();
            InputSource inputs =
                    new InputSource(
                            scale,
                            ItemChooser.of(fixture.options.itemSkew(), scale.items(), constants),
                            constants,
                            fixture.options.distributionPercent(),
                            TpccRandom.stream(1, 1));
            DeliveryInput input = new DeliveryInput();
            long[] orders = new long[Scale.DISTRICTS];
            int undelivered = scale.undeliveredPerDistrict();
            try (LineTransactions transactions =
                    new LineTransactions(fixture.lines, ConcurrencyControl.TWO_PHASE_LOCKING, 1)) {
                for (int i = 0; i <= undelivered; i++) {
                    inputs.fill(input, 1);
                    transactions.delivery(input);
                    transactions.copyDelivered(orders);
                    long expected = i == undelivered ? 0 : scale.deliveredPerDistrict() + i + 1;
                    assertThat(orders).containsOnly(expected);
                }
            }
            assertThat(fixture.check()).allMatch(ConditionResult::holds);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--data x", "--history x"})
    void whatLinesCannotDoIsRefused(String option) {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> options("--engine occ " + option))
                .withMessageContaining("in memory alone");
    }
}
