package org.namdb.simulation;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.scalestore.PageGuard;
import org.namdb.cache.scalestore.PageSession;
import org.namdb.cache.scalestore.PageStore;
import org.namdb.cache.scalestore.PageStoreOptions;
import org.namdb.checker.line.LineHistory;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.fabric.disk.ForwardingDisk;
import org.namdb.simulated.ClusterModel;
import org.namdb.simulated.FaultPlan;
import org.namdb.simulated.SimDisk;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimPeers;
import org.namdb.simulated.SimTrace;
import org.namdb.simulated.Simulation;

/// Threads of several nodes that read and change a few pages, more than their memories have frames
/// for. Then each page's history is checked, and who has it.
///
/// A change writes a number that no other change writes to some words of the page. So the words
/// identify the last change, and a page that is not the state after any change has lost a part.
final class PageMeeting implements AutoCloseable {
    private static final int PAGE_BYTES = 512;
    private static final int WORDS = 4;
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long MAX_REST_NANOS = 10_000;
    private static final long STEP_NANOS = 1_000_000;
    private static final long REST_NANOS = 10_000_000;

    private final SplittableRandom random;
    private final Simulation simulation;
    private final SimPeers peers;
    private final List<SimHost> hosts = new ArrayList<>();
    private final List<PageStore> stores = new ArrayList<>();
    private final List<Long> pages = new ArrayList<>();
    private final List<LineHistory> histories = new ArrayList<>();

    /// By the words of a page, the change that has left them, for each page.
    private final List<Map<List<Long>, Long>> states = new ArrayList<>();

    private final int nodes;
    private final int disks;
    private final int threads;
    private final int accesses;
    private final double changeShare;
    private int running;
    private long changes;
    private @Nullable String wrong;

    private PageMeeting(long seed, SimTrace trace) {
        random = new SplittableRandom(seed);
        simulation = new Simulation(random.nextLong(), ClusterModel.FREE_PROCESSORS, trace);
        peers = new SimPeers(simulation);
        nodes = random.nextInt(2, 5);
        disks = random.nextInt(1, nodes + 1);
        threads = random.nextInt(1, 4);
        accesses = random.nextInt(10, 60);
        changeShare = random.nextDouble(0.1, 0.9);
    }

    /// Has them meet.
    ///
    /// @return what is wrong, or null
    static @Nullable String of(long seed) {
        return of(seed, SimTrace.off());
    }

    /// Has them meet.
    ///
    /// @param trace of what happens
    /// @return what is wrong, or null
    static @Nullable String of(long seed, SimTrace trace) {
        try (PageMeeting meeting = new PageMeeting(seed, trace)) {
            return meeting.run();
        }
    }

    private @Nullable String run() {
        for (int node = 0; node < nodes; node++) {
            int number = node;
            SimHost host = simulation.host("node-" + number);
            hosts.add(host);
            start(host, "start", () -> join(host, number));
            runToEnd("nodes do not start");
        }
        int count = random.nextInt(1, 7);
        for (int i = 0; i < count && wrong == null; i++) {
            int node = random.nextInt(nodes);
            start(hosts.get(node), "allocate", () -> allocate(node));
            runToEnd("pages are not allocated");
        }
        simulation.faults(faults());
        for (int node = 0; node < nodes; node++) {
            for (int thread = 0; thread < threads; thread++) {
                startClient(node, thread);
            }
        }
        runToEnd("clients never come to an end");
        simulation.faults(FaultPlan.NONE);
        if (wrong == null) {
            simulation.run(simulation.nanoTime() + REST_NANOS); // evictions end
            checkOwners();
        }
        for (int node = 0; node < nodes && wrong == null; node++) {
            PageStore store = stores.get(node);
            start(hosts.get(node), "last", () -> readLast(store));
            runToEnd("pages can't be read in the end");
        }
        for (int node = nodes - 1; node >= 0 && wrong == null; node--) {
            start(hosts.get(node), "leave", stores.get(node)::close);
            runToEnd("nodes do not leave");
        }
        if (wrong == null) {
            for (LineHistory history : histories) {
                String violation = history.check();
                if (violation != null) {
                    return violation;
                }
            }
        }
        return wrong;
    }

    private void join(SimHost host, int node) {
        List<Integer> withDisks = new ArrayList<>();
        for (int disk = 0; disk < disks; disk++) {
            withDisks.add(disk);
        }
        PageStoreOptions options =
                PageStoreOptions.DEFAULT
                        .withPageBytes(PAGE_BYTES)
                        .withFrames(random.nextInt(threads + 1, threads + 4))
                        .withIoThreads(0)
                        .withWaitLimit(Duration.ofSeconds(1));
        stores.add(
                new PageStore(
                        options,
                        peers.join(node, host),
                        node < disks ? new SlowDisk(host) : null,
                        withDisks,
                        host));
    }

    private void allocate(int node) {
        try (PageSession session = stores.get(node).open()) {
            pages.add(session.allocate());
        }
        histories.add(new LineHistory());
        states.add(new HashMap<>());
        states.getLast().put(asList(new long[WORDS]), LineHistory.INITIAL);
    }

    private FaultPlan faults() {
        boolean isLate = random.nextInt(4) > 0;
        boolean isPaused = random.nextBoolean();
        return new FaultPlan(
                isLate ? random.nextLong(1, 3_000) : 0,
                isLate ? 0.01 : 0,
                50_000,
                0,
                0,
                5_000,
                isPaused ? 1.0 / random.nextInt(50, 500) : 0,
                100_000,
                0,
                0);
    }

    private void startClient(int node, int thread) {
        SimHost host = hosts.get(node);
        SplittableRandom own = random.split();
        String name = host.name() + "." + thread;
        start(
                host,
                name,
                () -> {
                    try (PageSession session = stores.get(node).open()) {
                        for (int i = 0; i < accesses && wrong == null; i++) {
                            access(session, host, name, own);
                            host.sleep(own.nextLong(1, MAX_REST_NANOS));
                        }
                    }
                });
    }

    private void access(PageSession session, SimHost host, String name, SplittableRandom own) {
        int number = own.nextInt(pages.size());
        long page = pages.get(number);
        long begin = simulation.nanoTime();
        if (own.nextDouble() >= changeShare) {
            long found;
            try (PageGuard guard = session.shared(page)) {
                found = known(number, words(guard), name);
                if (own.nextInt(4) == 0) {
                    host.sleep(own.nextLong(1, MAX_REST_NANOS));
                }
            }
            histories.get(number).read(name, found, begin, simulation.nanoTime());
            return;
        }
        long written = ++changes;
        long found;
        try (PageGuard guard = session.exclusive(page)) {
            long[] words = words(guard);
            found = known(number, words, name);
            int word = own.nextInt(WORDS);
            words[word] = written;
            guard.putLong(offset(word), written);
            if (own.nextInt(4) == 0) {
                host.sleep(own.nextLong(1, MAX_REST_NANOS));
            }
            states.get(number).put(asList(words), written);
        }
        histories.get(number).change(name, found, written, begin, simulation.nanoTime());
    }

    private long known(int number, long[] words, String name) {
        Long value = states.get(number).get(asList(words));
        if (value == null) {
            wrong(name + " has found what no change has left: " + Arrays.toString(words));
            return LineHistory.INITIAL;
        }
        return value;
    }

    private static long[] words(PageGuard guard) {
        long[] words = new long[WORDS];
        for (int word = 0; word < WORDS; word++) {
            words[word] = guard.longAt(offset(word));
        }
        return words;
    }

    /// From the page's begin to its end.
    private static int offset(int word) {
        return word * (PAGE_BYTES - Long.BYTES) / (WORDS - 1) & -Long.BYTES;
    }

    /// Nothing is in flight: one node may change a page, or any number read it, and the directory
    /// knows them.
    private void checkOwners() {
        for (long page : pages) {
            long owners = 0;
            int changing = 0;
            for (int node = 0; node < nodes; node++) {
                State state = stores.get(node).state(page);
                owners |= state == State.INVALID ? 0 : 1L << node;
                changing += state == State.MODIFIED ? 1 : 0;
            }
            long recorded = stores.get((int) (page >>> 56)).owners(page);
            if (recorded != owners || changing > 0 && Long.bitCount(owners) > 1) {
                wrong(
                        "page %x is at nodes %x, of which %d may change it; the directory says %x"
                                .formatted(page, owners, changing, recorded));
            }
        }
    }

    private void readLast(PageStore store) {
        try (PageSession session = store.open()) {
            for (int number = 0; number < pages.size(); number++) {
                try (PageGuard guard = session.shared(pages.get(number))) {
                    long found = known(number, words(guard), "a last reader");
                    if (found != histories.get(number).last()) {
                        wrong("the last change of a page is lost");
                    }
                }
            }
        }
    }

    private void start(SimHost host, String name, Runnable work) {
        running++;
        host.start(
                name,
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException | AssertionError e) {
                        wrong(name + ": " + FailureText.of(e));
                    } finally {
                        running--;
                    }
                });
    }

    private void runToEnd(String otherwise) {
        long end = simulation.nanoTime() + MAX_NANOS;
        while (running > 0 && wrong == null && simulation.nanoTime() < end) {
            try {
                simulation.run(simulation.nanoTime() + STEP_NANOS);
            } catch (IllegalStateException e) {
                wrong(FailureText.of(e));
            }
        }
        if (running > 0 && wrong == null) {
            wrong = running + " " + otherwise;
        }
    }

    private void wrong(String what) {
        if (wrong == null) {
            wrong = what;
        }
    }

    private static List<Long> asList(long[] words) {
        return Arrays.stream(words).boxed().toList();
    }

    @Override
    public void close() {
        simulation.close();
    }

    /// A disk that takes its time.
    private final class SlowDisk extends ForwardingDisk {
        private final SimHost host;

        SlowDisk(SimHost host) {
            super(new SimDisk());
            this.host = host;
        }

        @Override
        public DiskFile open(String name) {
            DiskFile file = actual.open(name);
            return new DiskFile() {
                @Override
                public long size() {
                    return file.size();
                }

                @Override
                public int read(long offset, ByteBuffer into) {
                    host.sleep(random.nextLong(1, 100_000));
                    return file.read(offset, into);
                }

                @Override
                public void write(long offset, ByteBuffer from) {
                    host.sleep(random.nextLong(1, 50_000));
                    file.write(offset, from);
                    host.sleep(random.nextLong(1, 50_000));
                }

                @Override
                public void force() {
                    file.force();
                }

                @Override
                public void close() {
                    file.close();
                }
            };
        }
    }
}
