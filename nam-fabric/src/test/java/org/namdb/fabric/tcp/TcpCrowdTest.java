package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.Seeds;

/// Many virtual threads over one connection, for which one of them, the [IoLoop], sends and
/// receives.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TcpCrowdTest {
    private static final int REPLY_BYTES = 64;
    private static final int CROWD = 48;
    private static final long WORDS = 1_000;
    private static final long COMPUTE_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final long seed = Seeds.next();
    private final ExecutorService crowd = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong added = new AtomicLong();
    private TcpMemoryFabric memory;
    private Wire wire;
    private TcpComputeFabric compute;
    private List<Region> regions;

    @BeforeEach
    void open() throws IOException {
        memory = new TcpMemoryFabric(TcpServerOptions.LOOPBACK);
        memory.register(0, 1 << 20);
        wire = new Wire(memory.address(), seed);
        compute =
                TcpComputeFabric.connect(
                        List.of(wire.address()),
                        TcpClientOptions.DEFAULT.withTimeout(Duration.ofSeconds(60)));
        regions = compute.regions();
    }

    @AfterEach
    void close() throws IOException {
        crowd.close();
        compute.close();
        wire.close();
        memory.close();
    }

    private List<Future<?>> addInCrowd(int batches) {
        List<Future<?>> parts = new ArrayList<>();
        for (int thread = 0; thread < CROWD; thread++) {
            SplittableRandom random = new SplittableRandom(seed + thread);
            long own = WORDS + thread;
            parts.add(crowd.submit(() -> add(random, own, batches)));
        }
        return parts;
    }

    private void add(SplittableRandom random, long own, int batches) {
        try (QueuePair queuePair = compute.connect(regions)) {
            for (long i = 0; i < batches; i++) {
                long delta = random.nextInt(1, 100);
                queuePair.fetchAndAdd(RemoteAddress.of(0, 8 * random.nextLong(WORDS)), delta);
                long swapped = queuePair.compareAndSwap(RemoteAddress.of(0, 8 * own), i, i + 1);
                queuePair.await();
                assertThat(LocalMemory.longAt(swapped)).isEqualTo(i);
                added.addAndGet(delta);
                if (random.nextInt(16) == 0) { // few threads, then many again
                    sleep(random.nextInt(3));
                }
            }
        }
    }

    private void requireSum() {
        try (QueuePair queuePair = compute.connect(regions)) {
            long sum = 0;
            for (long word = 0; word < WORDS; word++) {
                sum += queuePair.readWord(RemoteAddress.of(0, 8 * word));
            }
            assertThat(sum).isEqualTo(added.get());
        }
    }

    @Test
    void everyVerbIsDoneOnce() throws Exception {
        for (Future<?> part : addInCrowd(400)) {
            part.get();
        }
        requireSum();
    }

    @Test
    void everyVerbIsDoneOnceThoughConnectionsBreak() throws Exception {
        wire.cutAfter(60_000);
        wire.cut();
        for (Future<?> part : addInCrowd(100)) {
            part.get();
        }
        wire.cutAfter(0);
        assertThat(wire.cuts()).isGreaterThan(1);
        requireSum();
    }

    /// ```
    /// a, b   call, and wait for their answers: their messages stay under way
    /// others post verbs; they go past those messages, or a and b wait forever
    /// ```
    @Test
    void unansweredCallsDelayNoVerbs() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        memory.serve(
                0,
                RequestHandler.ofArrays(request -> {
                    await(answered);
                    return request;
                }));
        List<Future<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(crowd.submit(this::call));
            sleep(5); // each in a message of its own
        }
        for (Future<?> part : addInCrowd(100)) {
            part.get();
        }
        assertThat(calls).noneMatch(Future::isDone);
        answered.countDown();
        for (Future<byte[]> call : calls) {
            assertThat(call.get()).hasSize(8);
        }
        requireSum();
    }

    /// ```
    /// p         lands replies; the virtual threads go on, and compute, on all processors
    /// platform  posts; no thread polls, and none sends
    /// ```
    @Test
    void virtualThreadsThatComputeDelayNoOtherThread() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        List<Future<?>> parts = new ArrayList<>();
        for (int thread = 0; thread < CROWD; thread++) {
            parts.add(crowd.submit(() -> addAndCompute(ends)));
        }
        long slowest = 0;
        try (QueuePair queuePair = compute.connect(regions)) {
            for (int i = 0; i < 20; i++) {
                sleep(10);
                long start = System.nanoTime();
                long _ = queuePair.readWord(RemoteAddress.of(0, 0));
                slowest = Math.max(slowest, System.nanoTime() - start);
            }
        } finally {
            ends.set(true);
        }
        for (Future<?> part : parts) {
            part.get();
        }
        assertThat(slowest).isLessThan(COMPUTE_NANOS / 2);
    }

    private void addAndCompute(AtomicBoolean ends) {
        try (QueuePair queuePair = compute.connect(regions)) {
            while (!ends.get()) {
                for (int i = 0; i < 200; i++) { // until many threads wait
                    queuePair.fetchAndAdd(RemoteAddress.of(0, 8), 1);
                    queuePair.await();
                }
                long start = System.nanoTime();
                while (!ends.get() && System.nanoTime() - start < COMPUTE_NANOS) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private byte[] call() {
        try (QueuePair queuePair = compute.connect(regions)) {
            return queuePair.call(0, new byte[8], REPLY_BYTES);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
