package org.namdb.compute.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.schema.SchemaLatch;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.memory.client.DatabaseLayout;

class DeadSessionsTest {
    /// ```
    /// w   recovers, and waits for a memory server that is gone
    /// e   ends: says so, and unparks w, which that wait takes for its own
    /// w   fails, and would pause for an hour: nothing wakes it
    /// ```
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void anEndWithinARecoveryThatFailsIsNotMissed() throws InterruptedException {
        CountDownLatch waits = new CountDownLatch(1);
        DeadSessions dead =
                new DeadSessions(
                        new DeadSessions.Context(
                                Host.MACHINE,
                                Duration.ofHours(1).toNanos(),
                                () -> {
                                    if (waits.getCount() > 0) {
                                        waits.countDown();
                                        LockSupport.park(); // takes the unpark
                                    }
                                    throw new FabricException(
                                            FabricException.Kind.CONNECTION_LOST, "gone");
                                },
                                DatabaseLayout.vector(8),
                                null,
                                null,
                                queuePair -> null),
                        new SchemaLatch(List::of),
                        awaited -> {},
                        1);
        dead.addProcesses(Set.of(7));
        waits.await();
        dead.end(false);
    }
}
