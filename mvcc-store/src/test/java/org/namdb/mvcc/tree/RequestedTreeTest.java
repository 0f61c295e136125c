package org.namdb.mvcc.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.fabric.tcp.TcpClientOptions;
import org.namdb.fabric.tcp.TcpComputeFabric;
import org.namdb.fabric.tcp.TcpMemoryFabric;
import org.namdb.fabric.tcp.TcpServerOptions;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.coarse.DroppedTrees;
import org.namdb.mvcc.coarse.RequestBatch;
import org.namdb.mvcc.coarse.TreeRequest;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.coarse.TreeWorker;
import org.namdb.simulated.tearing.TearingFabric;

/// Trees on which memory servers' workers and clients' verbs work together.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RequestedTreeTest {
    static final int SERVERS = 2;
    static final long REGION_BYTES = 16L << 20;
    private static final int SLOT = 77;
    private static final NodeLayout SMALL = new NodeLayout(2, 256);

    enum Provider {
        IN_PLACE,
        LANDING,
        TEARING,
        TCP,
        TCP_THREE_WORKERS;

        Fabric open() {
            return switch (this) {
                case IN_PLACE -> new ShmFabric(ShmFabric.Options.DEFAULT);
                case LANDING -> new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
                case TEARING -> new TearingFabric(TearingFabric.Options.lines(Seeds.next()));
                case TCP -> overTcp(1);
                case TCP_THREE_WORKERS -> overTcp(3);
            };
        }

        private static Fabric overTcp(int workers) {
            TcpMemoryFabric memory =
                    new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withWorkers(workers));
            return Fabric.of(
                    memory,
                    TcpComputeFabric.connect(List.of(memory.address()), TcpClientOptions.DEFAULT));
        }
    }

    /// Two memory servers with workers, and a tree on each.
    static final class Servers implements AutoCloseable {
        final Fabric fabric;
        final List<Region> regions = new ArrayList<>();
        final BumpAllocator allocator;
        final List<BLinkTree> trees = new ArrayList<>();
        final QueuePair queuePair;
        final RequestBatch batch;

        /// The slots in the headers of nodes that workers have latched.
        final ConcurrentLinkedQueue<Integer> holders = new ConcurrentLinkedQueue<>();

        /// Whether those are noted.
        private final boolean isWatched;

        Servers(Fabric fabric, long regionBytes) {
            this(fabric, regionBytes, true);
        }

        Servers(Fabric fabric, long regionBytes, boolean isWatched) {
            this.fabric = fabric;
            this.isWatched = isWatched;
            this.allocator = new BumpAllocator(SERVERS, regionBytes);
            for (int server = 0; server < SERVERS; server++) {
                regions.add(fabric.register(server, regionBytes));
                serve(server, allocator, new DroppedTrees());
            }
            queuePair = fabric.connect(regions);
            batch = new RequestBatch(queuePair, TreeFixture.owner(SLOT));
            trees.addAll(moreTrees());
        }

        /// A tree on each server, besides those that are there.
        List<BLinkTree> moreTrees() {
            List<BLinkTree> made = new ArrayList<>();
            for (int server = 0; server < SERVERS; server++) {
                made.add(BLinkTree.create(queuePair, allocator, server, SMALL, List.of(server)));
            }
            return made;
        }

        void serve(int server, RemoteAllocator of, DroppedTrees dropped) {
            IntFunction<@Nullable QueuePair> map =
                    landingBytes -> {
                        QueuePair mapped = fabric.map(server, landingBytes);
                        return isWatched ? watched(mapped) : mapped;
                    };
            fabric.serve(server, () -> new TreeWorker(server, map, of, dropped));
        }

        /// From now on, workers of a server leave everything to their clients.
        void serveNothing(int server) {
            fabric.serve(
                    server, () -> new TreeWorker(server, _ -> null, allocator, new DroppedTrees()));
        }

        private QueuePair watched(@Nullable QueuePair mapped) {
            return new ForwardingQueuePair(mapped) {
                @Override
                protected long postCompareAndSwap(long address, long expected, long desired) {
                    if (NodeHeader.isLatched(desired)) {
                        holders.add(NodeHeader.holder(desired));
                    }
                    return actual.compareAndSwap(address, expected, desired);
                }
            };
        }

        long anchor(int server) {
            return trees.get(server).anchor();
        }

        void run() {
            batch.post();
            queuePair.await();
            batch.land();
        }

        Outcome run(Operation what, int server, long... key) {
            batch.clear();
            int index = batch.add(what, anchor(server), key, 0, key);
            run();
            return batch.outcome(index);
        }

        List<List<Long>> range(Operation what, int server, long[] from, int most, long[] last) {
            batch.clear();
            int index = batch.add(what, anchor(server), from, most, last);
            run();
            assertThat(batch.outcome(index)).isIn(Outcome.YES, Outcome.MORE);
            return entries(index);
        }

        List<List<Long>> entries(int index) {
            List<List<Long>> entries = new ArrayList<>();
            for (int i = 0; i < batch.entries(index); i++) {
                long at = batch.firstEntry(index) + i * 16L;
                entries.add(List.of(LocalMemory.longAt(at), LocalMemory.longAt(at + 8)));
            }
            return entries;
        }

        TreeClient client(QueuePair by, int server) {
            return new TreeClient(by, allocator, trees.get(server), TreeFixture.owner(SLOT));
        }

        @Override
        public void close() {
            queuePair.close();
            fabric.close();
        }
    }

    private static NavigableSet<List<Long>> sortedSet() {
        return new TreeSet<>((one, other) -> {
            int order = Long.compareUnsigned(one.get(0), other.get(0));
            return order != 0 ? order : Long.compareUnsigned(one.get(1), other.get(1));
        });
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void operationsActAsOnSets(Provider provider) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (Servers servers = new Servers(provider.open(), REGION_BYTES)) {
            List<NavigableSet<List<Long>>> models = List.of(sortedSet(), sortedSet());
            for (int round = 0; round < 400; round++) {
                runRandomBatch(servers, models, random);
            }
            for (int server = 0; server < SERVERS; server++) {
                int live =
                        new TreeChecker(servers.queuePair, servers.trees.get(server))
                                .check()
                                .live();
                assertThat(live).isEqualTo(models.get(server).size());
            }
            assertThat(servers.holders).isNotEmpty().containsOnly(SLOT);
        }
    }

    /// A test of the tests: with a worker that latches as itself, that is found.
    @Test
    void aWorkerThatLatchesAsItselfIsFound() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-Dnamdb.planted=" + PlantedFault.WORKER_LATCHES_AS_ITSELF.label(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                PlantedWorker.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        assertThat(output).contains("found: slot 0");
    }

    /// What runs in a JVM of its own, with the fault.
    static final class PlantedWorker {
        private PlantedWorker() {}

        public static void main(String[] arguments) {
            try (Servers servers = new Servers(Provider.IN_PLACE.open(), REGION_BYTES)) {
                Outcome _ = servers.run(Operation.INSERT, 0, 1, 1);
                System.out.println("found: slot " + servers.holders.peek());
            }
        }
    }

    private record Expected(Outcome outcome, List<List<Long>> entries) {}

    private static void runRandomBatch(
            Servers servers, List<NavigableSet<List<Long>>> models, SplittableRandom random) {
        RequestBatch batch = servers.batch;
        batch.clear();
        List<Expected> expected = new ArrayList<>();
        int wanted = random.nextInt(1, 30);
        for (int i = 0; i < wanted; i++) {
            int server = random.nextInt(SERVERS);
            Operation what = Operation.values()[random.nextInt(Operation.values().length)];
            boolean isRange = what == Operation.ASCEND || what == Operation.DESCEND;
            long[] key = key(random);
            long[] last = key(random);
            int most = isRange ? random.nextInt(100) : 0;
            if (batch.hasSpaceFor(server, what, 2, most)) {
                assertThat(batch.add(what, servers.anchor(server), key, most, last)).isEqualTo(i);
                expected.add(expected(models.get(server), what, key, most, last));
            } else {
                break;
            }
        }
        long before = servers.queuePair.counters().roundTrips();
        servers.run();
        assertThat(servers.queuePair.counters().roundTrips()).isEqualTo(before + 1);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(batch.outcome(i)).isEqualTo(expected.get(i).outcome);
            assertThat(servers.entries(i)).isEqualTo(expected.get(i).entries);
        }
    }

    private static long[] key(SplittableRandom random) {
        return new long[] {random.nextLong(-3, 3), random.nextLong(500)};
    }

    private static Expected expected(
            NavigableSet<List<Long>> model, Operation what, long[] key, int most, long[] last) {
        List<Long> from = List.of(key[0], key[1]);
        List<Long> to = List.of(last[0], last[1]);
        return switch (what) {
            case LOOK_UP -> new Expected(outcome(model.contains(from)), List.of());
            case INSERT -> new Expected(outcome(model.add(from)), List.of());
            case REMOVE -> new Expected(outcome(model.remove(from)), List.of());
            case ASCEND -> range(model, from, to, most);
            case DESCEND -> range(model.descendingSet(), from, to, most);
        };
    }

    private static Expected range(
            NavigableSet<List<Long>> model, List<Long> from, List<Long> to, int most) {
        List<List<Long>> entries = new ArrayList<>();
        for (List<Long> each : model.tailSet(from, true)) {
            if (entries.size() == most) {
                break;
            }
            if (model.comparator().compare(each, to) > 0) {
                return new Expected(Outcome.YES, entries);
            }
            entries.add(each);
        }
        return new Expected(entries.size() == most ? Outcome.MORE : Outcome.YES, entries);
    }

    private static Outcome outcome(boolean isSo) {
        return isSo ? Outcome.YES : Outcome.NO;
    }

    /// ```
    /// c  latches the leaf, by verbs
    /// w  gets a request for it, and does not wait
    /// c  unlatches it
    /// ```
    @ParameterizedTest
    @EnumSource(Provider.class)
    void latchedNodesAreLeftToTheClient(Provider provider) {
        try (Servers servers = new Servers(provider.open(), REGION_BYTES)) {
            assertThat(servers.run(Operation.INSERT, 0, 1, 1)).isEqualTo(Outcome.YES);
            long root = servers.queuePair.readWord(servers.anchor(0));
            long header = servers.queuePair.readWord(root);
            long latched = NodeHeader.latch(header, 5);
            assertThat(servers.queuePair.casWord(root, header, latched)).isEqualTo(header);
            servers.batch.clear();
            long[] key = {1, 1};
            int[] indexes = new int[5];
            for (Operation what : Operation.values()) {
                indexes[what.ordinal()] = servers.batch.add(what, servers.anchor(0), key, 0, key);
            }
            int other = servers.batch.add(Operation.INSERT, servers.anchor(1), key, 0, key);
            servers.run();
            for (Operation what : Operation.values()) {
                boolean isNone = what == Operation.ASCEND || what == Operation.DESCEND;
                assertThat(servers.batch.outcome(indexes[what.ordinal()]))
                        .isEqualTo(isNone ? Outcome.MORE : Outcome.BUSY);
            }
            assertThat(servers.batch.outcome(other)).isEqualTo(Outcome.YES);
            assertThat(servers.queuePair.casWord(root, latched, header)).isEqualTo(latched);
            assertThat(servers.run(Operation.LOOK_UP, 0, 1, 1)).isEqualTo(Outcome.YES);
        }
    }

    /// A range stops before a latched leaf.
    @Test
    void aRangeIsAnsweredUpToWhatIsLatched() {
        try (Servers servers = new Servers(Provider.IN_PLACE.open(), REGION_BYTES)) {
            TreeClient client = servers.client(servers.queuePair, 0);
            for (long i = 0; i < 1000; i++) {
                assertThat(client.insert(new long[] {0, i})).isTrue();
            }
            Descent descent =
                    new Descent(
                            servers.queuePair, servers.trees.get(0), TreeFixture.owner(SLOT), null);
            descent.seek(new long[] {0, 500}, 0);
            assertThat(descent.node().latch(3)).isTrue();
            servers.batch.clear();
            int index =
                    servers.batch.add(
                            Operation.ASCEND,
                            servers.anchor(0),
                            new long[] {0, 400},
                            200,
                            new long[] {0, 990});
            servers.run();
            assertThat(servers.batch.outcome(index)).isEqualTo(Outcome.BUSY);
            List<List<Long>> entries = servers.entries(index);
            assertThat(entries).hasSizeBetween(50, 100);
            assertThat(entries)
                    .isEqualTo(
                            LongStream.range(400, 400 + entries.size())
                                    .mapToObj(i -> List.of(0L, i))
                                    .toList());
        }
    }

    /// Threads add and remove keys of their own, by requests and by verbs, as it falls out.
    @ParameterizedTest
    @EnumSource(Provider.class)
    void workersAndClientsChangeATreeTogether(Provider provider) throws Exception {
        long seed = Seeds.next();
        int threads = 4;
        int rounds = provider == Provider.TEARING ? 150 : 400;
        try (Servers servers = new Servers(provider.open(), REGION_BYTES)) {
            ConcurrentLinkedQueue<List<Long>> left = new ConcurrentLinkedQueue<>();
            Threads.run(
                    threads,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(seed + thread);
                        NavigableSet<List<Long>> own = sortedSet();
                        try (QueuePair queuePair = servers.fabric.connect(servers.regions)) {
                            RequestBatch batch =
                                    new RequestBatch(queuePair, TreeFixture.owner(SLOT));
                            TreeClient client = servers.client(queuePair, 0);
                            for (int round = 0; round < rounds; round++) {
                                changeTogether(
                                        servers, batch, client, queuePair, random, own, thread);
                            }
                        }
                        left.addAll(own);
                    });
            NavigableSet<List<Long>> all = sortedSet();
            all.addAll(left);
            assertThat(new TreeChecker(servers.queuePair, servers.trees.get(0)).check(true).live())
                    .isEqualTo(all.size());
            TreeClient client = servers.client(servers.queuePair, 0);
            assertThat(all).allMatch(key -> client.contains(new long[] {key.get(0), key.get(1)}));
        }
    }

    private static void changeTogether(
            Servers servers,
            RequestBatch batch,
            TreeClient client,
            QueuePair queuePair,
            SplittableRandom random,
            NavigableSet<List<Long>> own,
            int thread) {
        batch.clear();
        Map<List<Long>, Boolean> changes = new LinkedHashMap<>();
        for (int i = random.nextInt(1, 10); i > 0; i--) {
            long[] key = {random.nextLong(100), 4 * random.nextLong(20) + thread};
            List<Long> entry = List.of(key[0], key[1]);
            boolean isInsert = random.nextInt(5) > 1;
            if (changes.isEmpty() && random.nextInt(3) == 0) {
                boolean isChange = isInsert ? own.add(entry) : own.remove(entry);
                assertThat(isInsert ? client.insert(key) : client.delete(key)).isEqualTo(isChange);
            } else if (changes.putIfAbsent(entry, isInsert) == null) {
                Operation what = isInsert ? Operation.INSERT : Operation.REMOVE;
                int _ = batch.add(what, servers.anchor(0), key, 0, key);
            }
        }
        batch.post();
        queuePair.await();
        batch.land();
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            outcomes.add(batch.outcome(i));
        }
        int index = 0;
        for (Map.Entry<List<Long>, Boolean> change : changes.entrySet()) {
            List<Long> entry = change.getKey();
            boolean isInsert = change.getValue();
            boolean isChange = isInsert ? own.add(entry) : own.remove(entry);
            Outcome outcome = outcomes.get(index++);
            if (outcome == Outcome.BUSY) {
                long[] key = {entry.get(0), entry.get(1)};
                outcome = outcome(isInsert ? client.insert(key) : client.delete(key));
            }
            assertThat(outcome).isEqualTo(outcome(isChange));
        }
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void aFullServerRefusesInsertsAndKeepsWhatItHas(Provider provider) {
        try (Servers servers = new Servers(provider.open(), 32 << 10)) {
            long added = 0;
            while (servers.run(Operation.INSERT, 0, 0, added) == Outcome.YES) {
                added++;
            }
            assertThat(added).isGreaterThan(100);
            assertThat(servers.run(Operation.INSERT, 0, 0, added)).isEqualTo(Outcome.FULL);
            assertThat(servers.run(Operation.INSERT, 1, 0, added)).isEqualTo(Outcome.YES);
            assertThat(servers.run(Operation.LOOK_UP, 0, 0, added - 1)).isEqualTo(Outcome.YES);
            assertThat(servers.run(Operation.LOOK_UP, 0, 0, added)).isEqualTo(Outcome.NO);
            assertThat(servers.run(Operation.REMOVE, 0, 0, 0)).isEqualTo(Outcome.YES);
            assertThat(servers.range(Operation.ASCEND, 0, new long[2], 10, new long[] {0, 5}))
                    .hasSize(5);
        }
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void malformedRequestsAreRefused(Provider provider) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (Servers servers = new Servers(provider.open(), REGION_BYTES)) {
            for (long i = 0; i < 300; i++) {
                assertThat(servers.run(Operation.INSERT, 0, 0, i)).isEqualTo(Outcome.YES);
            }
            long memory = servers.queuePair.localMemory(512);
            for (int round = 0; round < 2000; round++) {
                int bytes = 8 * random.nextInt(1, 64);
                if (round % 2 == 0) { // nearly right
                    long[] key = {0, round % 300};
                    putRequest(memory, servers.anchor(0), key);
                    int byteAt = random.nextInt(32);
                    int value = random.nextInt();
                    // A wrong operation, and not another one.
                    LocalMemory.putByte(
                            memory + byteAt, (byte) (byteAt == 16 ? value | 64 : value));
                    bytes = 48;
                } else {
                    for (int i = 0; i < bytes; i += 8) {
                        LocalMemory.putLong(memory + i, random.nextLong());
                    }
                }
                LocalMemory.putByte(memory, TreeRequest.OPERATE);
                long view = servers.queuePair.request(0, memory, bytes, 4096);
                servers.queuePair.await();
                assertThat(QueuePair.replyLength(view)).isIn(1, 8, 16, 32);
            }
            for (long i = 0; i < 300; i++) {
                assertThat(servers.run(Operation.LOOK_UP, 0, 0, i)).isEqualTo(Outcome.YES);
            }
        }
    }

    /// A lookup.
    private static void putRequest(long memory, long anchor, long[] key) {
        LocalMemory.putLong(memory, 1L << 32 | TreeRequest.OPERATE);
        LocalMemory.putLong(memory + 8, SLOT);
        LocalMemory.putLong(memory + 16, 2 << 8);
        LocalMemory.putLong(memory + 24, anchor);
        LocalMemory.putLong(memory + 32, key[0]);
        LocalMemory.putLong(memory + 40, key[1]);
    }

    @Test
    void aMissingTreeIsReported() {
        try (Servers servers = new Servers(Provider.IN_PLACE.open(), REGION_BYTES)) {
            long[] anchors = {
                servers.anchor(0) + 64, servers.anchor(0) + 8, RemoteAddress.of(0, 1L << 40)
            };
            for (long anchor : anchors) {
                servers.batch.clear();
                int index =
                        servers.batch.add(Operation.LOOK_UP, anchor, new long[2], 0, new long[2]);
                servers.run();
                assertThat(servers.batch.outcome(index)).isEqualTo(Outcome.NO_TREE);
            }
            servers.batch.clear();
            int index =
                    servers.batch.add(
                            Operation.LOOK_UP, servers.anchor(0), new long[3], 0, new long[3]);
            servers.run();
            assertThat(servers.batch.outcome(index)).isEqualTo(Outcome.NO_TREE);
            servers.batch.clear();
            int odd =
                    servers.batch.add(
                            Operation.LOOK_UP, 4 + servers.anchor(0), new long[2], 0, new long[2]);
            assertThat(odd).isZero();
            servers.batch.post();
            servers.queuePair.await();
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(servers.batch::land)
                    .withMessageContaining("refuses");
        }
    }

    /// An allocator that records what it has allocated.
    private static final class CountingAllocator implements RemoteAllocator {
        final BumpAllocator actual;
        int handedOut;

        CountingAllocator(BumpAllocator actual) {
            this.actual = actual;
        }

        @Override
        public synchronized long allocate(int server, int bytes) {
            handedOut++;
            return actual.allocate(server, bytes);
        }

        @Override
        public void reserve(int server, int bytes) {
            actual.reserve(server, bytes);
        }

        @Override
        public synchronized void free(long address, int bytes) {
            handedOut--;
        }
    }

    /// ```
    /// w  does an operation: its verb throws an error, out of memory, say
    /// c  gets an error
    /// d  another session: its operations on that tree are done
    /// ```
    @ParameterizedTest
    @EnumSource(Provider.class)
    void aWorkerWhoseVerbHasThrownDoesWhatComesNext(Provider provider) {
        try (Servers servers = new Servers(provider.open(), REGION_BYTES)) {
            AtomicBoolean fails = new AtomicBoolean();
            DroppedTrees dropped = new DroppedTrees();
            IntFunction<@Nullable QueuePair> map =
                    bytes ->
                            new ForwardingQueuePair(servers.fabric.map(0, bytes)) {
                                @Override
                                protected long postCompareAndSwap(
                                        long address, long expected, long desired) {
                                    if (fails.getAndSet(false)) {
                                        throw new InternalError("planned");
                                    }
                                    return actual.compareAndSwap(address, expected, desired);
                                }
                            };
            servers.fabric.serve(0, () -> new TreeWorker(0, map, servers.allocator, dropped));
            assertThat(servers.run(Operation.INSERT, 0, 1, 1)).isEqualTo(Outcome.YES);
            fails.set(true);
            assertThatThrownBy(() -> servers.run(Operation.INSERT, 0, 2, 2))
                    .isInstanceOfAny(FabricException.class, InternalError.class);
            for (int session = 0; session < 4; session++) { // one of each worker, mostly
                try (QueuePair another = servers.fabric.connect(servers.regions)) {
                    RequestBatch batch = new RequestBatch(another, TreeFixture.owner(SLOT));
                    long[] key = {3, session};
                    int index = batch.add(Operation.INSERT, servers.anchor(0), key, 0, key);
                    batch.post();
                    another.await();
                    batch.land();
                    assertThat(batch.outcome(index)).isEqualTo(Outcome.YES);
                }
            }
        }
    }

    @Test
    void nodesHeldForADroppedTreeAreFreed() {
        try (Servers servers = new Servers(Provider.IN_PLACE.open(), REGION_BYTES)) {
            CountingAllocator counting = new CountingAllocator(servers.allocator);
            servers.serve(0, counting, new DroppedTrees());
            for (long i = 0; i < 2000; i++) {
                assertThat(servers.run(Operation.INSERT, 0, 0, i)).isEqualTo(Outcome.YES);
            }
            int inserted = counting.handedOut;
            for (long i = 0; i < 1990; i++) {
                assertThat(servers.run(Operation.REMOVE, 0, 0, i)).isEqualTo(Outcome.YES);
            }
            assertThat(counting.handedOut).isEqualTo(inserted);
            RequestBatch.drop(servers.queuePair, servers.anchor(0));
            assertThat(counting.handedOut).isLessThan(inserted - 20);
            // Another tree, where it was.
            assertThat(servers.run(Operation.LOOK_UP, 0, 0, 1995)).isEqualTo(Outcome.YES);
        }
    }

    @Test
    void anOperationAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Servers servers = new Servers(Provider.IN_PLACE.open(), REGION_BYTES, false)) {
            long[] key = new long[2];
            long[] last = {0, 60};
            operateOften(servers, key, last, 20_000);
            long least = Long.MAX_VALUE;
            for (int trial = 0; trial < 20 && least > 0; trial++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                operateOften(servers, key, last, 1_000);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).isZero();
        }
    }

    private static void operateOften(Servers servers, long[] key, long[] last, int rounds) {
        RequestBatch batch = servers.batch;
        for (int round = 0; round < rounds; round++) {
            key[1] = round % 50;
            batch.clear();
            for (int server = 0; server < SERVERS; server++) {
                batch.add(Operation.INSERT, servers.anchor(server), key, 0, key);
                batch.add(Operation.LOOK_UP, servers.anchor(server), key, 0, key);
                batch.add(Operation.ASCEND, servers.anchor(server), key, 40, last);
            }
            servers.run();
        }
    }
}
