package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.shm.ShmFabric;

/// A failure at any step of a schema change, in a process that lives on: its thread is like any
/// other then, and has no part in the next schema change before its turn has come.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedDdlTest {
    private static final int MAX_STEPS = 1_000;
    private static final Duration WAIT = Duration.ofSeconds(20);

    /// The failure.
    enum Failure {
        ERROR,
        PEER_GONE;

        Throwable make() {
            return switch (this) {
                case ERROR -> new OutOfMemoryError("planted");
                case PEER_GONE -> new FabricException(FabricException.Kind.PEER_GONE, "planted");
            };
        }
    }

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private final NamDb db =
            NamDb.embedded(
                    EmbeddedOptions.DEFAULT
                            .withMemoryBytes(64 << 20)
                            .withSlots(8)
                            .withRetryPolicy(RetryPolicy.NONE)
                            .withMaintenanceInterval(Duration.ofHours(1))
                            .withFabric(() -> fabric));

    @AfterEach
    void close() {
        fabric.heal();
        db.close();
    }

    /// ```
    /// a  fails to open the epoch again               the latch stays closed
    /// a  changes the schema again                     b  begins: opens the epoch that a has left
    /// a  is in the middle of that                    b  reads and writes meanwhile
    /// ```
    @ParameterizedTest
    @EnumSource
    void theNextDefinitionOfTheSameThreadStandsAloneAsWell(Failure failure) throws Exception {
        boolean hasFailed = true;
        int step = 0;
        for (; hasFailed && step < MAX_STEPS; step++) {
            fabric.failAt(step, failure::make);
            try {
                db.changeSchema(WAIT, () -> true);
            } catch (FabricException | OutOfMemoryError e) {
                // the planted one
            }
            hasFailed = fabric.heal();
            int at = step;
            AtomicBoolean hasBegun = new AtomicBoolean();
            Thread other = new Thread(() -> db.transact(tx -> begun(hasBegun)), "other");
            db.changeSchema(
                    WAIT,
                    () -> {
                        other.start();
                        awaitParked(other);
                        assertThat(hasBegun).as("failure at step %d", at).isFalse();
                        return true;
                    });
            other.join();
            assertThat(hasBegun).isTrue();
        }
        assertThat(hasFailed).isFalse();
        assertThat(step).isGreaterThan(6);
    }

    private static boolean begun(AtomicBoolean hasBegun) {
        hasBegun.set(true);
        return true;
    }

    /// It waits for its turn to read the epoch, or has ended.
    private static void awaitParked(Thread thread) {
        while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
