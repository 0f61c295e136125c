package org.namdb.simulated.tearing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.GuardedRecord;
import org.namdb.fabric.GuardedRecord.Outcome;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;
import org.namdb.fabric.VerbAllocation;

/// That the fabric does what it is for: everything that hardware may do happens, and soon.
class TearingTest {
    private static final int REGION_BYTES = 1 << 16;

    /// Far more than it takes.
    private static final int MAX_TRIES = 2_000_000;

    private static final int ROUNDS = 300;

    private final List<QueuePair> connected = new ArrayList<>();
    private Fabric fabric;
    private List<Region> regions;

    private void open(TearingFabric.Options options) {
        fabric = new TearingFabric(options);
        regions = List.of(fabric.register(0, REGION_BYTES), fabric.register(1, REGION_BYTES));
    }

    private QueuePair connect() {
        QueuePair queuePair = fabric.connect(regions);
        connected.add(queuePair);
        return queuePair;
    }

    @AfterEach
    void close() {
        connected.forEach(QueuePair::close);
        connected.clear();
        fabric.close();
    }

    @Test
    void itAllocatesNothing() {
        fabric = new TearingFabric(TearingFabric.Options.lines(Seeds.next()));
        assertThat(VerbAllocation.bytes(fabric)).isZero();
    }

    @Test
    void aWriteMayTakeEffectBeforeTheAwaitOrInIt() {
        open(TearingFabric.Options.lines(Seeds.next()));
        QueuePair writer = connect();
        QueuePair observer = connect();
        Set<Long> seenBeforeTheAwait = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            writer.writeWord(word(0, 0), 1);
            seenBeforeTheAwait.add(read(observer, word(0, 0)));
            writer.await();
            assertThat(read(observer, word(0, 0))).isEqualTo(1);
            write(observer, word(0, 0), 0);
        }
        assertThat(seenBeforeTheAwait).containsExactly(0L, 1L);
    }

    @Test
    void aReadMayTakeEffectBeforeTheAwaitOrInIt() {
        open(TearingFabric.Options.lines(Seeds.next()));
        QueuePair reader = connect();
        QueuePair writer = connect();
        Set<Long> seen = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            write(writer, word(0, 0), 0);
            long view = reader.read(word(0, 0), 8);
            write(writer, word(0, 0), 1);
            reader.await();
            seen.add(LocalMemory.longAt(view));
        }
        assertThat(seen).containsExactly(0L, 1L);
    }

    @Test
    void anAtomicMayTakeEffectBeforeTheAwaitOrInIt() {
        open(TearingFabric.Options.lines(Seeds.next()));
        QueuePair adder = connect();
        QueuePair observer = connect();
        Set<Long> seenBeforeTheAwait = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            long before = adder.fetchAndAdd(word(0, 0), 1);
            seenBeforeTheAwait.add(read(observer, word(0, 0)) - round);
            adder.await();
            assertThat(LocalMemory.longAt(before)).isEqualTo(round);
        }
        assertThat(seenBeforeTheAwait).containsExactly(0L, 1L);
    }

    @Test
    void serversAreReachedInAnyOrder() {
        open(TearingFabric.Options.lines(Seeds.next()));
        QueuePair writer = connect();
        QueuePair observer = connect();
        Set<String> seenBeforeTheAwait = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            writer.writeWord(word(0, 0), 1);
            writer.writeWord(word(1, 0), 1);
            seenBeforeTheAwait.add(read(observer, word(0, 0)) + " " + read(observer, word(1, 0)));
            writer.await();
            write(observer, word(0, 0), 0);
            write(observer, word(1, 0), 0);
        }
        assertThat(seenBeforeTheAwait).containsExactly("0 0", "0 1", "1 0", "1 1");
    }

    @Test
    void whatHasTakenEffectOnOneServerIsWhatWasPostedFirst() {
        open(TearingFabric.Options.words(Seeds.next()));
        int verbs = 8;
        QueuePair writer = connect();
        QueuePair observer = connect();
        Set<Long> prefixes = new TreeSet<>();
        for (int round = 1; round <= ROUNDS; round++) {
            for (int i = 0; i < verbs; i++) {
                writer.writeWord(word(0, i), round);
            }
            long done = 0;
            for (int i = 0; i < verbs; i++) {
                boolean isDone = read(observer, word(0, i)) == round;
                assertThat(isDone).isEqualTo(isDone && done == i);
                done += isDone ? 1 : 0;
            }
            prefixes.add(done);
            writer.await();
        }
        assertThat(prefixes).hasSizeGreaterThan(verbs / 2);
    }

    @Test
    void aSeedReplaysWhenVerbsTakeEffect() {
        long seed = Seeds.next();
        assertThat(trace(seed)).isEqualTo(trace(seed)).isNotEqualTo(trace(seed + 1));
    }

    /// What an observer sees of a thousand verbs before they are awaited.
    private List<Long> trace(long seed) {
        open(TearingFabric.Options.lines(seed));
        QueuePair writer = connect();
        QueuePair observer = connect();
        List<Long> trace = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            writer.fetchAndAdd(word(i % 2, 0), 1);
            trace.add(read(observer, word(i % 2, 0)));
            if (i % 5 == 0) {
                writer.await();
            }
        }
        close();
        return trace;
    }

    @Test
    void anUnvalidatedReadIsTornBetweenLines() throws Exception {
        open(TearingFabric.Options.lines(Seeds.next()).withPauseProbability(0.2));
        assertThat(bodyIsFoundInconsistent(0, 24, GuardedRecord::readUnvalidated)).isTrue();
    }

    /// The body is in its header's line.
    @Test
    void anUnvalidatedReadIsTornBetweenWords() throws Exception {
        open(TearingFabric.Options.words(Seeds.next()).withPauseProbability(0.2));
        assertThat(bodyIsFoundInconsistent(0, 7, GuardedRecord::readUnvalidated)).isTrue();
    }

    /// Why there is [QueuePair#readLeading]: a body fetched before its header passes for that
    /// header's body.
    @Test
    void aReadThatTakesItsGuardFromItsOwnHeaderIsFooled() throws Exception {
        open(TearingFabric.Options.lines(Seeds.next()).withPauseProbability(0.2));
        assertThat(bodyIsFoundInconsistent(0, 24, GuardedRecord::readWithoutLeading)).isTrue();
    }

    @Test
    void withTheDefaultPausesAReadWithoutLeadingIsFooledToo() throws Exception {
        open(TearingFabric.Options.lines(Seeds.next()));
        assertThat(bodyIsFoundInconsistent(0, 24, GuardedRecord::readWithoutLeading)).isTrue();
    }

    private boolean bodyIsFoundInconsistent(
            long offset, int bodyWords, Function<GuardedRecord, Outcome> read) throws Exception {
        GuardedRecord written =
                new GuardedRecord(connect(), RemoteAddress.of(0, offset), bodyWords);
        GuardedRecord guarded =
                new GuardedRecord(connect(), RemoteAddress.of(0, offset), bodyWords);
        written.initialize();
        AtomicBoolean found = new AtomicBoolean();
        AtomicBoolean done = new AtomicBoolean();
        Threads.run(
                2,
                thread -> {
                    while (thread == 0 && !done.get() && Threads.goOn()) {
                        written.tryUpdate();
                    }
                    try {
                        for (int tries = 0;
                                thread == 1 && !found.get() && tries < MAX_TRIES && Threads.goOn();
                                tries++) {
                            found.set(read.apply(guarded) == Outcome.INCONSISTENT);
                        }
                    } finally {
                        done.set(true);
                    }
                });
        return found.get();
    }

    /// READs of single words keep their order: a reader that sees the last word new and then the
    /// first one old has seen a WRITE that did not take effect from first to last.
    @Test
    void aWriteIsLaidDownInAnyOrder() throws Exception {
        open(TearingFabric.Options.lines(Seeds.next()).withPauseProbability(0.2));
        assertThat(isSeenNewBeforeOther(word(0, 0), word(0, 23))).isTrue();
        assertThat(isSeenNewBeforeOther(word(0, 23), word(0, 0))).isTrue();
    }

    private boolean isSeenNewBeforeOther(long word, long other) throws Exception {
        QueuePair writer = connect();
        QueuePair reader = connect();
        long source = writer.localMemory(192);
        AtomicBoolean seen = new AtomicBoolean();
        AtomicBoolean done = new AtomicBoolean();
        Threads.run(
                2,
                thread -> {
                    for (long version = 1;
                            thread == 0 && !done.get() && Threads.goOn();
                            version++) {
                        for (int i = 0; i < 192; i += 8) {
                            LocalMemory.putLong(source + i, version);
                        }
                        writer.write(word(0, 0), source, 192);
                        writer.await();
                    }
                    try {
                        for (int tries = 0;
                                thread == 1 && !seen.get() && tries < MAX_TRIES && Threads.goOn();
                                tries++) {
                            long view = reader.read(word, 8);
                            long otherView = reader.read(other, 8);
                            reader.await();
                            seen.set(LocalMemory.longAt(view) > LocalMemory.longAt(otherView));
                        }
                    } finally {
                        done.set(true);
                    }
                });
        return seen.get();
    }

    @Test
    void aPauseProbabilityIsAProbability() {
        open(TearingFabric.Options.lines(1).withPauseProbability(1));
        TearingFabric.Options options = TearingFabric.Options.lines(1);
        for (double bad : new double[] {-0.1, 1.1, Double.NaN}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.withPauseProbability(bad));
        }
    }

    private static long word(int server, int number) {
        return RemoteAddress.of(server, 8L * number);
    }

    private static long read(QueuePair queuePair, long address) {
        long view = queuePair.read(address, 8);
        queuePair.await();
        return LocalMemory.longAt(view);
    }

    private static void write(QueuePair queuePair, long address, long value) {
        queuePair.writeWord(address, value);
        queuePair.await();
    }
}
