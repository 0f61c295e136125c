package org.namdb.cache.selcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.line.Stations;
import org.namdb.cache.selcc.LineCacheOptions.Flush;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Threads;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;

/// What a line cache does, step by step, in one process.
class LineCacheTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT.withLineBytes(512).withFrames(16);
    private static final LineArea LAYOUT = new LineArea(512);

    private static void put(LineSession session, long line, int offset, long value) {
        try (LineGuard guard = session.exclusive(line)) {
            guard.putLong(offset, value);
        }
    }

    private static long get(LineSession session, long line, int offset) {
        try (LineGuard guard = session.shared(line)) {
            return guard.longAt(offset);
        }
    }

    @Test
    void whatOneReleasesTheOtherReads() {
        for (Flush flush : Flush.values()) {
            try (LocalCaches caches = new LocalCaches(OPTIONS.withFlush(flush), 2);
                    LineSession one = caches.cache(0).open();
                    LineSession other = caches.cache(1).open()) {
                long line = one.allocate();
                for (int value = 1; value < 100; value++) {
                    put(one, line, 8, value);
                    assertThat(get(other, line, 8)).isEqualTo(value);
                    put(other, line, 504, -value);
                    assertThat(get(one, line, 504)).isEqualTo(-value);
                }
            }
        }
    }

    @Test
    void memoryHoldsWhatIsReleasedAtOnceOrWhenTheLineLeaves() {
        for (Flush flush : Flush.values()) {
            try (LocalCaches caches = new LocalCaches(OPTIONS.withFlush(flush), 2);
                    LineSession one = caches.cache(0).open();
                    LineSession other = caches.cache(1).open()) {
                long line = one.allocate();
                put(one, line, 16, 7);
                assertThat(caches.memory(line + 16)).isEqualTo(flush == Flush.LAZY ? 0 : 7);
                assertThat(get(other, line, 16)).isEqualTo(7);
                assertThat(caches.memory(line + 16)).isEqualTo(7);
            }
        }
    }

    @Test
    void theLatchWordNamesTheHoldersOfTheLine() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2)) {
            LineCache first = caches.cache(0);
            LineCache second = caches.cache(1);
            long line;
            long latch;
            try (LineSession one = first.open();
                    LineSession other = second.open()) {
                line = one.allocate();
                latch = LAYOUT.latch(line);
                assertThat(get(one, line, 0)).isZero();
                assertThat(caches.memory(latch)).isEqualTo(LatchWord.reader(first.station()));
                assertThat(get(other, line, 0)).isZero();
                assertThat(caches.memory(latch))
                        .isEqualTo(
                                LatchWord.reader(first.station())
                                        | LatchWord.reader(second.station()));
                put(other, line, 0, 1);
                assertThat(caches.memory(latch)).isEqualTo(LatchWord.writer(second.station()));
                assertThat(first.state(line)).isEqualTo(State.INVALID);
                assertThat(get(one, line, 0)).isEqualTo(1);
                assertThat(second.state(line)).isEqualTo(State.SHARED);
                assertThat(caches.memory(latch))
                        .isEqualTo(
                                LatchWord.reader(first.station())
                                        | LatchWord.reader(second.station()));
            }
        }
    }

    /// The verbs and round trips of an access.
    private record Cost(long reads, long writes, long swaps, long adds, long trips, long messages) {
        static Cost of(LineSession session) {
            VerbCounters counters = session.counters();
            return new Cost(
                    counters.reads(),
                    counters.writes(),
                    counters.compareAndSwaps(),
                    counters.fetchAndAdds(),
                    counters.roundTrips(),
                    session.messages());
        }

        Cost since(Cost before) {
            return new Cost(
                    reads - before.reads,
                    writes - before.writes,
                    swaps - before.swaps,
                    adds - before.adds,
                    trips - before.trips,
                    messages - before.messages);
        }
    }

    private static Cost cost(LineSession session, Runnable access) {
        Cost before = Cost.of(session);
        access.run();
        return Cost.of(session).since(before);
    }

    @Test
    void anAccessCostsWhatTheProtocolSays() {
        try (LocalCaches caches = new LocalCaches(OPTIONS.withFlush(Flush.LAZY), 3);
                LineSession a = caches.cache(0).open();
                LineSession b = caches.cache(1).open();
                LineSession c = caches.cache(2).open()) {
            long line = a.allocate();
            long cold = a.allocate();
            assertThat(cost(a, () -> get(a, line, 0)))
                    .as("shared miss")
                    .isEqualTo(new Cost(1, 0, 0, 1, 1, 0));
            assertThat(cost(a, () -> get(a, line, 0)))
                    .as("shared hit")
                    .isEqualTo(new Cost(0, 0, 0, 0, 0, 0));
            assertThat(cost(a, () -> put(a, line, 0, 1)))
                    .as("upgrade, alone")
                    .isEqualTo(new Cost(0, 0, 1, 0, 1, 0));
            assertThat(cost(a, () -> put(a, line, 0, 2)))
                    .as("exclusive hit")
                    .isEqualTo(new Cost(0, 0, 0, 0, 0, 0));
            assertThat(cost(a, () -> put(a, cold, 0, 2)))
                    .as("exclusive miss")
                    .isEqualTo(new Cost(1, 0, 1, 0, 1, 0));
            get(b, cold, 0); // now b has read the stations
            assertThat(cost(b, () -> get(b, line, 0)))
                    .as("shared, dirty elsewhere")
                    .isEqualTo(new Cost(1, 0, 0, 1, 1, 1));
            put(c, cold, 0, 3); // now c has them, too
            assertThat(cost(c, () -> put(c, line, 0, 3)))
                    .as("exclusive, two sharers")
                    .isEqualTo(new Cost(2, 0, 2, 0, 2, 2));
            assertThat(cost(b, () -> put(b, line, 0, 4)))
                    .as("exclusive, dirty elsewhere")
                    .isEqualTo(new Cost(1, 0, 1, 0, 1, 1));
            VerbCounters handled = caches.cache(2).handled();
            assertThat(handled.writes()).isEqualTo(1);
            assertThat(handled.fetchAndAdds()).isEqualTo(1);
            assertThat(handled.verbs()).isEqualTo(2);
            assertThat(handled.roundTrips()).isEqualTo(1);
        }
    }

    /// As when the connection of its request was lost:
    /// ```
    /// A                                       B, the writer
    /// request to B, which may be lost
    /// gives up
    ///                                         grants the line to A
    /// ```
    private static long grantUnawares(LocalCaches caches, int writer, int station) {
        long line;
        try (LineSession session = caches.cache(writer).open();
                PeerFabric peers = caches.joinPeers(77)) {
            line = session.allocate();
            put(session, line, 8, 6);
            PeerQueue queue = peers.connect();
            PeerReply reply =
                    queue.post(
                            writer,
                            new LineRequest(LineRequest.Kind.EXCLUSIVE, station, 1, line).bytes());
            queue.await();
            assertThat(reply.bytes()[0]).isEqualTo(LineRequest.GRANTED);
        }
        assertThat(caches.memory(LAYOUT.latch(line))).isEqualTo(LatchWord.writer(station));
        return line;
    }

    @Test
    void aLineGrantedAfterATimeoutIsFoundByTheNextAccess() {
        try (LocalCaches caches = new LocalCaches(OPTIONS.withFlush(Flush.LAZY), 2);
                LineSession other = caches.cache(1).open()) {
            int station = caches.cache(1).station();
            long line = grantUnawares(caches, 0, station);
            assertThat(get(other, line, 8)).isEqualTo(6);
            assertThat(caches.memory(LAYOUT.latch(line))).isEqualTo(LatchWord.reader(station));
            long second = grantUnawares(caches, 0, station);
            put(other, second, 16, 7);
            assertThat(get(other, second, 8)).isEqualTo(6);
            assertThat(caches.memory(LAYOUT.latch(second))).isEqualTo(LatchWord.writer(station));
        }
    }

    @Test
    void aLineGrantedAfterATimeoutIsReleasedOnRequest() {
        try (LocalCaches caches = new LocalCaches(OPTIONS.withFlush(Flush.LAZY), 3);
                LineSession third = caches.cache(2).open()) {
            int station = caches.cache(1).station();
            long line = grantUnawares(caches, 0, station);
            assertThat(get(third, line, 8)).isEqualTo(6);
            long second = grantUnawares(caches, 0, station);
            put(third, second, 8, 7);
            assertThat(caches.memory(LAYOUT.latch(second)))
                    .isEqualTo(LatchWord.writer(caches.cache(2).station()));
        }
    }

    /// Its threads do nothing that would evict a line.
    @Test
    void aCacheThatIsFullReleasesALineThatItWasGrantedUnawares() {
        for (Flush flush : Flush.values()) {
            LineCacheOptions options =
                    OPTIONS.withFrames(2).withFlush(flush).withWaitLimit(Duration.ofSeconds(5));
            try (LocalCaches caches = new LocalCaches(options, 3);
                    LineSession full = caches.cache(1).open();
                    LineSession third = caches.cache(2).open()) {
                long[] kept = {full.allocate(), full.allocate()};
                put(full, kept[0], 8, 3);
                put(full, kept[1], 8, 4);
                long line = grantUnawares(caches, 0, caches.cache(1).station());
                put(third, line, 16, 7);
                assertThat(get(third, line, 8)).isEqualTo(6);
                assertThat(get(third, kept[0], 8)).isEqualTo(3);
                assertThat(get(third, kept[1], 8)).isEqualTo(4);
            }
        }
    }

    @Test
    void aMalformedRequestIsAnswered() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1);
                PeerFabric peers = caches.joinPeers(77)) {
            PeerQueue queue = peers.connect();
            for (byte[] request : new byte[][] {{}, {9}, new byte[10], new byte[11]}) {
                PeerReply reply = queue.post(0, request);
                queue.await();
                assertThat(reply.bytes()).containsExactly(LineRequest.NOTHING);
            }
        }
    }

    @Test
    void hitsAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (LocalCaches caches = new LocalCaches(OPTIONS.withFlush(Flush.LAZY), 1);
                LineSession session = caches.cache(0).open()) {
            long line = session.allocate();
            long other = session.allocate();
            hit(session, line, other, 20_000);
            Cost before = Cost.of(session);
            long least = Long.MAX_VALUE;
            for (int trial = 0; trial < 20 && least > 0; trial++) {
                long allocated = threads.getCurrentThreadAllocatedBytes();
                hit(session, line, other, 2_000);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - allocated);
            }
            assertThat(least).isZero();
            assertThat(Cost.of(session)).isEqualTo(before);
        }
    }

    private static void hit(LineSession session, long line, long other, int rounds) {
        for (int round = 0; round < rounds; round++) {
            try (LineGuard changed = session.exclusive(line);
                    LineGuard read = session.shared(other)) {
                changed.putLong(8, read.longAt(16) + round);
            }
        }
    }

    @Test
    void moreLinesThanFramesAreEvictedAndComeBack() {
        for (Flush flush : Flush.values()) {
            try (LocalCaches caches = new LocalCaches(OPTIONS.withFlush(flush), 1);
                    LineSession session = caches.cache(0).open()) {
                List<Long> lines = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    lines.add(session.allocate());
                    put(session, lines.get(i), 8, i);
                }
                int held = 0;
                for (int i = 0; i < 200; i++) {
                    held += caches.cache(0).state(lines.get(i)) == State.INVALID ? 0 : 1;
                    assertThat(get(session, lines.get(i), 8)).isEqualTo(i);
                }
                assertThat(held).isLessThanOrEqualTo(16);
            }
        }
    }

    /// Sixteen lines leave by one round trip, dirty ones too; what is used again and again stays.
    @ParameterizedTest
    @EnumSource
    void coldLinesAreEvictedTogether(Flush flush) {
        int frames = 256;
        try (LocalCaches caches = new LocalCaches(OPTIONS.withFrames(frames).withFlush(flush), 1);
                LineSession session = caches.cache(0).open()) {
            List<Long> lines = new ArrayList<>();
            for (int i = 0; i < 3 * frames; i++) {
                lines.add(session.allocate());
            }
            for (int i = 0; i < frames; i++) {
                put(session, lines.get(i), 8, i + 1);
            }
            int misses = 2 * frames;
            requireHot(session, lines);
            long before = session.counters().roundTrips();
            for (int i = frames; i < frames + misses; i++) {
                assertThat(get(session, lines.get(i), 8)).isZero();
                requireHot(session, lines);
            }
            assertThat(session.counters().roundTrips() - before)
                    .isEqualTo(misses + misses / LineProtocol.MAX_BATCH);
            for (int i = 0; i < frames; i++) {
                assertThat(get(session, lines.get(i), 8)).isEqualTo(i + 1);
            }
        }
    }

    /// Threads of two compute servers count, in more lines than frames.
    @ParameterizedTest
    @EnumSource
    void nothingIsLostWithoutAPart(LineCacheOptions.Part part) throws Exception {
        for (Flush flush : Flush.values()) {
            LineCacheOptions options = OPTIONS.withFrames(8).withFlush(flush).without(Set.of(part));
            try (LocalCaches caches = new LocalCaches(options, 2)) {
                List<Long> lines = new ArrayList<>();
                try (LineSession session = caches.cache(0).open()) {
                    for (int i = 0; i < 12; i++) {
                        lines.add(session.allocate());
                    }
                }
                Threads.run(
                        4,
                        thread -> {
                            try (LineSession session = caches.cache(thread % 2).open()) {
                                for (int i = 0; i < 1_200; i++) {
                                    long line = lines.get(i % lines.size());
                                    try (LineGuard guard = session.exclusive(line)) {
                                        guard.putLong(8, guard.longAt(8) + 1);
                                    }
                                    assertThat(get(session, line, 8)).isPositive();
                                }
                            }
                        });
                try (LineSession session = caches.cache(1).open()) {
                    for (long line : lines) {
                        assertThat(get(session, line, 8)).isEqualTo(400);
                    }
                }
                assertThat(caches.memory(LAYOUT.latch(lines.getLast())) == LatchWord.FREE)
                        .isEqualTo(part == LineCacheOptions.Part.CACHE);
            }
        }
    }

    private static void requireHot(LineSession session, List<Long> lines) {
        for (int hot = 0; hot < 8; hot++) {
            assertThat(get(session, lines.get(hot), 8)).isEqualTo(hot + 1);
        }
    }

    @Test
    void aWaitForALineInUseTimesOut() {
        LineCacheOptions hasty = OPTIONS.withWaitLimit(Duration.ofMillis(50)).withFrames(1);
        try (LocalCaches caches = new LocalCaches(hasty, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open();
                LineSession third = caches.cache(0).open()) {
            long line = one.allocate();
            long second = one.allocate();
            try (LineGuard _ = one.exclusive(line)) {
                assertTimesOut(() -> get(other, line, 0));
                assertTimesOut(() -> put(other, line, 0, 1));
                assertTimesOut(() -> get(third, line, 0));
                assertTimesOut(() -> get(third, second, 0)); // there is no frame
            }
            assertThat(caches.memory(LAYOUT.latch(line)))
                    .isEqualTo(LatchWord.writer(caches.cache(0).station()));
            put(other, line, 0, 2);
            try (LineGuard _ = one.shared(line)) {
                assertTimesOut(() -> put(other, line, 0, 1));
                assertThat(get(other, line, 0)).isEqualTo(2);
            }
            put(third, line, 0, 3);
            assertThat(get(other, line, 0)).isEqualTo(3);
        }
    }

    private static void assertTimesOut(Runnable access) {
        assertThatExceptionOfType(LineTimeoutException.class)
                .isThrownBy(access::run)
                .withMessageContaining("was in use for");
    }

    @Test
    void aFreedLineIsAllocatedAgainWithZeroes() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = one.allocate();
            put(one, line, 0, 5);
            assertThat(get(other, line, 0)).isEqualTo(5);
            one.free(line);
            assertThat(caches.memory(LAYOUT.latch(line))).isZero();
            List<Long> allocated = new ArrayList<>();
            while (!allocated.contains(line)) {
                allocated.add(one.allocate());
            }
            assertThat(get(other, line, 0)).isZero();
        }
    }

    @Test
    void aCacheThatIsClosedReleasesItsLinesAndItsStation() {
        try (LocalCaches caches = new LocalCaches(OPTIONS.withFlush(Flush.LAZY), 1)) {
            LineCache leaver = caches.join(OPTIONS.withFlush(Flush.LAZY), 50);
            int station = leaver.station();
            long line;
            try (LineSession session = leaver.open()) {
                line = session.allocate();
                put(session, line, 0, 9);
            }
            leaver.close();
            assertThat(caches.memory(LAYOUT.latch(line))).isZero();
            assertThat(caches.memory(line)).isEqualTo(9);
            LineCache next = caches.join(OPTIONS, 51);
            assertThat(next.station()).isEqualTo(station);
            try (LineSession session = caches.cache(0).open();
                    LineSession other = next.open()) {
                put(other, line, 0, 10);
                assertThat(get(session, line, 0)).isEqualTo(10);
            }
            next.close();
        }
    }

    /// A compute server that has lost its lease closes its cache, whatever sessions are open.
    @Test
    void aSessionThatOutlivesItsCacheIsRefused() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0)) {
            LineCache cache = caches.join(OPTIONS, 0);
            LineSession session = cache.open();
            long shared = session.allocate();
            long owned = session.allocate();
            long other = session.allocate();
            put(session, owned, 0, 5);
            session.shared(shared).close();
            cache.fail(new FabricException(FabricException.Kind.FENCED, "it is fenced"));
            cache.close();
            for (long line : List.of(shared, owned, other)) {
                for (Runnable access :
                        List.<Runnable>of(
                                () -> session.shared(line).close(),
                                () -> session.exclusive(line).close(),
                                () -> session.tryShared(line),
                                () -> session.tryStamp(line))) {
                    try {
                        access.run();
                        assertThat(cache.stamp(line)).isNull();
                    } catch (FabricException e) {
                        assertThat(e).hasMessageContaining("the cache of lines has failed");
                    }
                }
                assertThatExceptionOfType(FabricException.class)
                        .isThrownBy(() -> session.shared(line));
                assertThatExceptionOfType(FabricException.class)
                        .isThrownBy(() -> session.exclusive(line));
            }
            session.close();
        }
    }

    @Test
    void thereAreNoMoreThan58() {
        List<LineCache> joined = new ArrayList<>();
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            for (int i = 1; i < Stations.MAX; i++) {
                joined.add(caches.join(OPTIONS, 100 + i));
            }
            assertThatIllegalStateException()
                    .isThrownBy(() -> caches.join(OPTIONS, 99))
                    .withMessageContaining("58 compute servers");
            joined.forEach(LineCache::close);
        }
    }

    @Test
    void misuseIsRefused() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1);
                LineSession session = caches.cache(0).open()) {
            long line = session.allocate();
            try (LineGuard guard = session.shared(line)) {
                assertThatIllegalStateException().isThrownBy(() -> guard.putLong(0, 1));
                assertThatExceptionOfType(IndexOutOfBoundsException.class)
                        .isThrownBy(() -> guard.longAt(512))
                        .withMessage("8 bytes at 512 of a line of 512");
                assertThatExceptionOfType(IndexOutOfBoundsException.class)
                        .isThrownBy(() -> guard.get(-1, new byte[4], 0, 4));
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> session.shared(line + 8))
                    .withMessageContaining("is no line");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LineCacheOptions.DEFAULT.withLineBytes(1000));
        }
    }

    /// As an address is one that was allocated before the memory servers were started anew.
    @Test
    void otherMemoryIsNotTakenForALine() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = one.allocate();
            for (long distance = 1; distance < 16; distance++) {
                long no = line + distance * LineArea.BYTES; // empty memory, and none
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> other.exclusive(no))
                        .withMessageContaining("is no line");
                assertThatIllegalArgumentException().isThrownBy(() -> other.tryStamp(no));
            }
            assertThatIllegalArgumentException().isThrownBy(() -> other.shared(line + (1L << 50)));
            put(other, line, 0, 5);
            assertThat(get(one, line, 0)).isEqualTo(5);
        }
    }

    @Test
    void bytesAreCopiedInAndOut() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = one.allocate();
            byte[] bytes = {1, 2, 3, 4, 5};
            try (LineGuard guard = one.exclusive(line)) {
                guard.put(13, bytes, 0, 5);
            }
            byte[] found = new byte[7];
            try (LineGuard guard = other.shared(line)) {
                guard.get(12, found, 0, 7);
            }
            assertThat(found).containsExactly(0, 1, 2, 3, 4, 5, 0);
        }
    }

    @Test
    void wordsOfUncachedLinesAreCountersForAll() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long address = one.allocate();
            UncachedLine line = one.uncached(address);
            UncachedLine same = other.uncached(address);
            assertThat(line.fetchAndAdd(8, 5)).isZero();
            assertThat(same.fetchAndAdd(8, 1)).isEqualTo(5);
            assertThat(same.compareAndSwap(8, 6, 1)).isEqualTo(6);
            assertThat(line.compareAndSwap(8, 6, 2)).isEqualTo(1);
            assertThat(line.fetchAndAdd(504, 9)).isZero();
            assertThat(same.words(0, 64)).startsWith(0, 1, 0).endsWith(0, 9);
        }
    }

    @Test
    void wordsOutsideOfALineAreRefused() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1);
                LineSession session = caches.cache(0).open()) {
            long address = session.allocate();
            long latches = address & -LineArea.BYTES;
            for (long no : new long[] {0, latches, address + 8, address + LineArea.BYTES}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> session.uncached(no))
                        .withMessageContaining("is no line");
            }
            UncachedLine line = session.uncached(address);
            for (int no : new int[] {-8, 4, 505, 512, Integer.MIN_VALUE, Integer.MAX_VALUE - 7}) {
                assertThatExceptionOfType(IndexOutOfBoundsException.class)
                        .isThrownBy(() -> line.fetchAndAdd(no, 1))
                        .withMessage("words at %d of a line of 512: 1", no);
                assertThatExceptionOfType(IndexOutOfBoundsException.class)
                        .isThrownBy(() -> line.compareAndSwap(no, 0, 1));
            }
            for (int no : new int[] {-1, 0, 63, Integer.MAX_VALUE}) {
                assertThatExceptionOfType(IndexOutOfBoundsException.class)
                        .isThrownBy(() -> line.words(16, no));
            }
            assertThat(line.words(0, 64)).containsOnly(0);
        }
    }

    /// Threads of three compute servers add to a few lines, more than there are frames.
    @ParameterizedTest
    @CsvSource({"LAZY, false", "ON_RELEASE, false", "LAZY, true", "ON_RELEASE, true"})
    void nothingThatThreadsAddIsLost(Flush flush, boolean isTcp) throws Exception {
        int threads = 6;
        int rounds = isTcp ? 300 : 2_000;
        LineCacheOptions options = OPTIONS.withFlush(flush).withFrames(4);
        try (LocalCaches caches = new LocalCaches(options, 3, isTcp)) {
            List<Long> lines = new ArrayList<>();
            try (LineSession session = caches.cache(0).open()) {
                for (int i = 0; i < 6; i++) {
                    lines.add(session.allocate());
                }
            }
            Threads.run(
                    threads,
                    thread -> {
                        try (LineSession session = caches.cache(thread % 3).open()) {
                            for (int i = 0; i < rounds; i++) {
                                add(session, lines.get((i + thread) % lines.size()));
                            }
                        }
                    });
            long sum = 0;
            try (LineSession session = caches.cache(1).open()) {
                for (long line : lines) {
                    sum += get(session, line, 0);
                }
            }
            assertThat(sum).isEqualTo((long) threads * rounds);
        }
    }

    private static void add(LineSession session, long line) {
        try (LineGuard guard = session.exclusive(line)) {
            guard.putLong(0, guard.longAt(0) + 1);
            guard.putLong(504, guard.longAt(504) + 1);
        }
        try (LineGuard guard = session.shared(line)) {
            assertThat(guard.longAt(0)).isEqualTo(guard.longAt(504));
        }
    }
}
