package org.namdb.tpcc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.check.ConsistencyCheck;
import org.namdb.tpcc.driver.Terminal;
import org.namdb.tpcc.driver.TerminalWork;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.load.LoadedDatabase;

/// Tables that are there are found again.
class TpccSchemaTest {
    private static final Scale SCALE = new Scale(1, 1);
    private static final long SEED = 5;

    @Test
    void transactionsRunOnTablesThatWereFound() {
        try (LoadedDatabase loaded = LoadedDatabase.of(SCALE, SEED, 1)) {
            long histories = loaded.count(loaded.schema.histories.table);
            TpccSchema found = TpccSchema.open(loaded.db, SCALE);
            try (Session session = loaded.db.session()) {
                NuRandConstants constants = NuRandConstants.of(SEED);
                ItemChooser items =
                        ItemChooser.of(new ItemSkew.Standard(), SCALE.items(), constants);
                InputSource inputs =
                        new InputSource(
                                SCALE,
                                items,
                                constants,
                                OptionalInt.empty(),
                                TpccRandom.stream(SEED, 0));
                TerminalWork work = new TerminalWork(session, found, inputs);
                for (TransactionType type : TransactionType.values()) {
                    work.run(type, new Terminal(1, 3));
                }
                assertThat(new ConsistencyCheck(found, SCALE).run(session, done -> {}))
                        .allMatch(ConditionResult::holds);
            }
            assertThat(loaded.count(found.histories.table)).isEqualTo(histories + 1);
        }
    }

    @Test
    void aDatabaseWithoutTheTablesSaysSo() {
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT)) {
            assertThatThrownBy(() -> TpccSchema.open(db, SCALE)).hasMessageContaining("warehouse");
        }
    }
}
