package org.namdb.cache.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.MemoryFullException;

/// Lines come from areas that all compute servers can find.
class LineAllocatorTest {
    private static final LineArea LAYOUT = new LineArea(4096);

    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final List<Region> regions = new ArrayList<>();
    private QueuePair queuePair;
    private MemoryClient client;

    @BeforeEach
    void open() {
        for (int server = 0; server < 2; server++) {
            MemoryServer started = new MemoryServer(fabric, server, 5 << 20, 0);
            regions.add(started.region());
        }
        queuePair = fabric.connect(regions);
        client = new MemoryClient(queuePair, 2);
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    @Test
    void noLineIsAllocatedTwiceAndServersTakeTurns() {
        LineAllocator one = new LineAllocator(LAYOUT, 2, 0);
        LineAllocator other = new LineAllocator(LAYOUT, 2, 1);
        Set<Long> lines = new HashSet<>();
        for (int i = 0; i < 2 * LAYOUT.lines(); i++) {
            long line = (i % 2 == 0 ? one : other).allocate(client, queuePair);
            assertThat(LAYOUT.isLine(line)).isTrue();
            assertThat(lines.add(line)).isTrue();
        }
        assertThat(lines.stream().map(RemoteAddress::server).collect(Collectors.toSet()))
                .containsExactly(0, 1);
        long freed = lines.iterator().next();
        one.free(freed);
        assertThat(one.allocate(client, queuePair)).isEqualTo(freed);
    }

    @Test
    void latchWordsAreFoundByTheAreas() {
        LineAllocator one = new LineAllocator(LAYOUT, 1, 0);
        LineAllocator other = new LineAllocator(LAYOUT, 1, 0);
        long first = one.allocate(client, queuePair);
        long second = other.allocate(client, queuePair);
        assertThat(LineAllocator.latched(queuePair, LAYOUT, 0)).isEmpty();
        queuePair.writeWord(LAYOUT.latch(first), LatchWord.writer(3));
        queuePair.writeWord(LAYOUT.latch(second), LatchWord.reader(9));
        queuePair.await();
        assertThat(LineAllocator.latched(queuePair, LAYOUT, 0))
                .containsExactlyInAnyOrder(
                        new long[] {first, LatchWord.writer(3)},
                        new long[] {second, LatchWord.reader(9)});
        assertThat(LineAllocator.latched(queuePair, LAYOUT, 1)).isEmpty();
    }

    @Test
    void whatNoServerHasSpaceForIsAnError() {
        LineAllocator allocator = new LineAllocator(LAYOUT, 2, 0);
        assertThatExceptionOfType(MemoryFullException.class)
                .isThrownBy(() -> {
                    while (true) {
                        long _ = allocator.allocate(client, queuePair);
                    }
                });
    }
}
