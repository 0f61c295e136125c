package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.ForwardingHost;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;

/// A failure at any step of a compute server's start: it leaves no connection, no lease that others
/// would wait for, and, where they are its own, no memory servers.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedAttachTest {
    private static final int SLOTS = 64;
    private static final int MAX_STEPS = 1_000;
    private static final EmbeddedOptions OPTIONS =
            EmbeddedOptions.DEFAULT
                    .withMemoryBytes(64 << 20)
                    .withSlots(8)
                    .withExecutionThreads(1)
                    .withMaintenanceInterval(Duration.ofHours(1));

    @Test
    void aComputeServerThatCouldNotBeAttachedLeavesNothing() {
        try (FailingFabric fabric = newFabric();
                MemoryServer server =
                        new MemoryServer(
                                fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS))) {
            List<Region> regions = List.of(server.region());
            DatabaseLayout.format(fabric, regions, SLOTS, OPTIONS.maxTransactionTime());
            Supplier<NamDb> attach = () -> AttachedDatabase.open(OPTIONS, fabric, regions);
            int step = 0;
            for (; hasFailed(fabric, step, attach); step++) {
                assertThat(fabric.openQueuePairs()).as("failure at step %d", step).isZero();
            }
            assertThat(step).isBetween(10, MAX_STEPS);
            assertThat(fabric.openQueuePairs()).isZero();
            assertThatThrownBy(() ->
                            AttachedDatabase.open(
                                    OPTIONS.withHost(new ThreadlessHost()), fabric, regions))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(fabric.openQueuePairs()).isZero();
            try (NamDb db = attach.get()) {
                boolean isAlone = db.changeSchema(Duration.ofSeconds(20), () -> true);
                assertThat(isAlone).as("waits for no lease").isTrue();
            }
        }
    }

    @Test
    void anEmbeddedDatabaseThatCouldNotBeMadeLeavesNothing() {
        boolean hasFailed = true;
        int step = 0;
        for (; hasFailed; step++) {
            FailingFabric fabric = newFabric();
            EmbeddedOptions options = OPTIONS.withFabric(() -> fabric);
            hasFailed = hasFailed(fabric, step, () -> NamDb.embedded(options));
            assertThat(fabric.openQueuePairs()).as("failure at step %d", step).isZero();
            assertThat(fabric.isClosed()).isTrue();
        }
        assertThat(step).isBetween(10, MAX_STEPS);
    }

    private static FailingFabric newFabric() {
        return new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    }

    private static boolean hasFailed(FailingFabric fabric, int step, Supplier<NamDb> open) {
        fabric.failAt(step, () -> new OutOfMemoryError("planted"));
        NamDb db = null;
        try {
            db = open.get();
        } catch (OutOfMemoryError e) {
            assertThat(e).hasMessage("planted");
        }
        boolean hasFailed = fabric.heal();
        assertThat(db == null).isEqualTo(hasFailed);
        if (db != null) {
            db.close();
        }
        return hasFailed;
    }

    /// One that has no thread to give any more.
    private static final class ThreadlessHost extends ForwardingHost {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Instant instant() {
            return Instant.now();
        }

        @Override
        public Thread start(String name, Runnable work) {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }
}
