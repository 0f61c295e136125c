package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.NamDb;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.fabric.FabricException;
import org.namdb.simulated.SimHost;

/// A compute server can't reach the lease service, and reaches the memory servers all the same: it
/// commits one transaction after the other, has lost its lease, and has not noticed.
class LostLeaseTest {
    private static final int KEYS = 4;
    private static final long LAST_VALUE = 1_000_000;
    private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// A lease, a pause, and time for messages.
    private static final long SOON_NANOS =
            LeasePlan.LEASE_NANOS + LeasePlan.WATCH_REST_NANOS + LeasePlan.LEASE_NANOS / 4;

    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class))
                    .withServers(2, 2)
                    .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1));

    private long acknowledged;
    private long silentNanos;
    private long lastNanos;
    private boolean wasLost;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aProcessThatGoesOnIsFencedAndLeavesWhatItHasAcknowledged(long seed) {
        List<Long> values = new ArrayList<>();
        boolean[] isFree = new boolean[1];
        try (TestCluster cluster = new TestCluster(seed, OPTIONS)) {
            cluster.load(db -> Registers.create(db, KEYS, 2, true, false), 10);
            SimHost _ =
                    cluster.join(
                            "silent",
                            (db, host) -> {
                                host.sleep(SILENT_NANOS / 2);
                                silentNanos = cluster.nanoTime();
                                cluster.ensemble().cutOff(host, true, false, SILENT_NANOS);
                                try {
                                    while (true) {
                                        lastNanos = cluster.nanoTime();
                                        writeNext(db);
                                    }
                                } catch (FabricException e) {
                                    assertThat(e.kind()).isEqualTo(FabricException.Kind.FENCED);
                                }
                                host.sleep(SILENT_NANOS);
                                wasLost = db.isLost();
                            });
            SimHost _ =
                    cluster.join(
                            "other",
                            (db, host) -> {
                                host.sleep(SILENT_NANOS / 2 + SOON_NANOS);
                                values.addAll(RegisterValues.read(db, KEYS));
                                RegisterValues.write(
                                        db, LAST_VALUE, KEYS); // no conflict, or it throws
                                host.sleep(2 * SILENT_NANOS);
                                isFree[0] =
                                        RegisterValues.read(db, KEYS)
                                                .equals(
                                                        List.of(
                                                                LAST_VALUE,
                                                                LAST_VALUE,
                                                                LAST_VALUE,
                                                                LAST_VALUE));
                            });
            cluster.run(60);
        }
        assertThat(lastNanos - silentNanos)
                .as("it went on")
                .isBetween(LeasePlan.LEASE_NANOS * 3 / 4, SOON_NANOS);
        assertThat(acknowledged).isPositive();
        assertThat(values).hasSize(KEYS);
        assertThat(values.stream().distinct()).hasSize(1);
        assertThat(values.getFirst()).isBetween(acknowledged, acknowledged + 1);
        assertThat(isFree[0]).isTrue();
        assertThat(wasLost).isTrue();
    }

    /// Background maintenance of the other one may have a record locked for a moment.
    private void writeNext(NamDb db) {
        try {
            RegisterValues.write(db, acknowledged + 1, KEYS);
            acknowledged++;
        } catch (TransactionException e) {
            assertThat(e.outcome()).isInstanceOf(CommitOutcome.WriteConflict.class);
        }
    }
}
