package org.namdb.tpcc.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.namdb.cache.engine.ConcurrencyControl;
import org.namdb.cache.engine.Tuple;
import org.namdb.cache.engine.TupleSession;
import org.namdb.compute.NamDb;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.workload.driver.RunDatabase;
import org.namdb.workload.load.UnusableDatabaseException;

/// What is loaded into lines, and whether the check finds what is wrong with it.
class LineCheckTest {
    @Test
    void whatIsMissingIsNoticed() {
        TpccOptions options =
                TpccOptions.of(
                        2, 24L << 30, "--warehouses 2 --population 1 --memory 256m --engine occ");
        try (NamDb db = NamDb.embedded(RunDatabase.embedded(options, RecoveryProgress.UNSEEN))) {
            LinePopulation population = new LinePopulation(options);
            TpccLines lines = population.create(db);
            assertThat(population.load(db, lines, 1, db.options().host().instant())).isTrue();
            List<ConditionResult> before = LineCheck.run(lines, options.scale(), share -> {});
            assertThat(before).hasSize(12).allMatch(ConditionResult::holds);
            try (TupleSession session = lines.open(ConcurrencyControl.OPTIMISTIC)) {
                session.begin();
                session.delete(
                        Objects.requireNonNull(
                                session.readForUpdate(
                                        lines.table(LineTable.ORDER_LINE),
                                        LineTable.ORDER_LINE.key(2, 10, 1, 1))));
                session.commit();
            }
            assertThat(LineCheck.run(lines, options.scale(), share -> {}))
                    .filteredOn(each -> !each.holds())
                    .isNotEmpty();
        }
    }

    @Test
    void aTransactionIsNotTriedForEver() {
        TpccOptions options =
                TpccOptions.of(
                        2, 24L << 30, "--warehouses 1 --population 1 --memory 256m --engine 2pl");
        ConcurrencyControl control = ConcurrencyControl.TWO_PHASE_LOCKING;
        try (NamDb db = NamDb.embedded(RunDatabase.embedded(options, RecoveryProgress.UNSEEN))) {
            LinePopulation population = new LinePopulation(options);
            TpccLines lines = population.create(db);
            assertThat(population.load(db, lines, 1, db.options().host().instant())).isTrue();
            DeliveryInput input = new DeliveryInput();
            NuRandConstants constants = NuRandConstants.of(1);
            new InputSource(
                            options.scale(),
                            ItemChooser.of(options.itemSkew(), options.scale().items(), constants),
                            constants,
                            options.distributionPercent(),
                            TpccRandom.stream(1, 1))
                    .fill(input, 1);
            try (TupleSession session = lines.open(control);
                    LineTransactions transactions =
                            new LineTransactions(lines, control, 1, 1_000_000)) {
                session.begin();
                Tuple _ =
                        session.readForUpdate(
                                lines.table(LineTable.NEW_ORDER),
                                LineTable.NEW_ORDER.key(
                                        1, 1, options.scale().deliveredPerDistrict() + 1));
                assertThatExceptionOfType(UnusableDatabaseException.class)
                        .isThrownBy(() -> transactions.delivery(input))
                        .withMessageContaining("attempts");
                session.abort();
                transactions.delivery(input);
            }
        }
    }

    @Test
    void keysAreInTheOrderOfTheirColumns() {
        long key = LineTable.ORDER_LINE.key(300, 9, 77_777, 15);
        assertThat(LineTable.ORDER_LINE.column(key, 0)).isEqualTo(300);
        assertThat(LineTable.ORDER_LINE.column(key, 1)).isEqualTo(9);
        assertThat(LineTable.ORDER_LINE.column(key, 2)).isEqualTo(77_777);
        assertThat(LineTable.ORDER_LINE.column(key, 3)).isEqualTo(15);
        assertThat(LineTable.ORDER_LINE.key(300, 9, 77_777)).isLessThan(key);
        assertThat(LineTable.ORDER_LINE.lastKey(300, 9, 77_777)).isEqualTo(key);
        assertThat(LineTable.ORDER_LINE.key(300, 9, 77_778)).isGreaterThan(key);
        assertThat(LineTable.ORDERS_BY_CUSTOMER.lastKey(32_767, 10, 3_000)).isPositive();
    }
}
