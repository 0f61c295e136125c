package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;

/// A batch that comes again since the agent had no memory for the reply.
class ServedQueuePairTest {
    private static final int KEY = 7;
    private static final long REGION_BYTES = 64;

    /// ```
    /// a  is about to do an atomic, and gets no memory for what it returns: the connection ends
    /// c  sends the batch again over the next one
    /// a  does it, once
    /// ```
    @Test
    void anAtomicWithoutMemoryForItsReplyIsDoneWhenItComesAgain() {
        try (Arena arena = Arena.ofConfined();
                NativeBuffer reply = new NativeBuffer(64)) {
            long region = arena.allocate(REGION_BYTES, 8).address();
            ServedMemory memory = new ServedMemory();
            memory.open(new ServedMemory.Served(new Region(0, REGION_BYTES, KEY), null), region);
            long verbs = arena.allocate(2L * (AgentFrame.VERB_BYTES + 8), 8).address();
            long second = putAdd(verbs, 0, 5);
            long _ = putAdd(second, 1, 3);

            ServedQueuePair queuePair = new ServedQueuePair();
            NativeBuffer full = new NativeBuffer(8);
            full.append(8);
            full.close(); // it can't grow any more
            assertThatThrownBy(() -> queuePair.execute(memory, 1, 0, 2, verbs, full))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(LocalMemory.longAt(region)).isZero();

            assertThat(queuePair.execute(memory, 1, 0, 2, verbs, reply)).isEqualTo(2);
            assertThat(LocalMemory.longAt(region)).isEqualTo(8);
            assertThat(LocalMemory.longAt(reply.address())).isZero();
            assertThat(LocalMemory.longAt(reply.address() + 8)).isEqualTo(5);
        }
    }

    /// @return where the next verb goes
    private static long putAdd(long at, int atomic, long delta) {
        LocalMemory.putLong(at, AgentFrame.verb(AgentFrame.FETCH_AND_ADD, atomic, KEY));
        LocalMemory.putLong(at + 8, RemoteAddress.of(0, 0));
        LocalMemory.putLong(at + AgentFrame.VERB_BYTES, delta);
        return at + AgentFrame.VERB_BYTES + 8;
    }
}
