package org.namdb.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineAllocator;
import org.namdb.cache.line.LineArea;
import org.namdb.checker.line.LineHistory;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.server.MemoryServer;
import org.namdb.simulated.ClusterModel;
import org.namdb.simulated.FaultPlan;
import org.namdb.simulated.SimFabric;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;
import org.namdb.simulated.Simulation;

/// Threads of several compute servers that read and change a few lines, through faults. Then each
/// line's history is checked, and what lies in memory.
///
/// A change overwrites a range of a line's words by a number that no other change writes. So the
/// words of a line identify the last change, and a line that is not the state after any change was
/// torn, or lost a part.
abstract class LineMeeting implements AutoCloseable {
    static final LineArea LAYOUT = new LineArea(256);
    static final int MEMORY_SERVERS = 2;

    private static final int WORDS = LAYOUT.lineBytes() / Long.BYTES;
    private static final int LANDING_BYTES = 1 << 17;
    private static final long SERVER_BYTES = 32 << 20;
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long MAX_REST_NANOS = 10_000;
    private static final long STEP_NANOS = 1_000_000;
    private static final long MIN_STEP_NANOS = 1_000;

    final SplittableRandom random;
    final Simulation simulation;
    final SimFabric fabric;
    final List<Region> regions = new ArrayList<>();
    final List<SimHost> hosts = new ArrayList<>();
    private final List<Long> lines = new ArrayList<>();
    private final List<LineHistory> histories = new ArrayList<>();

    /// By the words of a line, the change that has left them, for each line.
    private final List<Map<List<Long>, Long>> states = new ArrayList<>();

    private int servers;
    private int threads;
    private int lineCount;
    private final int accesses;
    private final double changeShare;
    private int running;
    private long changes;
    private @Nullable String wrong;

    /// @param trace of what happens
    LineMeeting(long seed, SimTrace trace) {
        random = new SplittableRandom(seed);
        simulation = new Simulation(random.nextLong(), ClusterModel.FREE_PROCESSORS, trace);
        fabric = new SimFabric(simulation, LANDING_BYTES);
        servers = random.nextInt(2, 5);
        threads = random.nextInt(1, 4);
        lineCount = random.nextInt(1, 4);
        accesses = random.nextInt(10, 60);
        changeShare = random.nextDouble(0.1, 0.9);
    }

    /// How many there are of all, in place of the seed's choice.
    final void have(int newServers, int newThreads, int newLines) {
        servers = newServers;
        threads = newThreads;
        lineCount = newLines;
    }

    /// A compute server joins, on one of its threads.
    ///
    /// @param number from 0
    abstract void join(SimHost host, int number);

    /// One of its threads.
    ///
    /// @param number from 0
    abstract LineClient connect(SimHost host, int server, int number);

    /// What is wrong when all are idle; null for nothing.
    ///
    /// @param latched the latch words that are not free, by their lines
    abstract @Nullable String atRest(Map<Long, Long> latched);

    /// All have joined.
    void begin() {}

    /// Something that happens to the network meanwhile.
    void disturb() {}

    /// A compute server leaves, on one of its threads, when nothing is accessed any more.
    void settle(SimHost host, int number) {}

    /// Has them meet.
    ///
    /// @return what is wrong, or null
    final @Nullable String run() {
        start(lineCount, servers);
        if (wrong != null || servers != hosts.size()) {
            return wrong == null ? "it does not begin" : wrong;
        }
        simulation.faults(faults());
        begin();
        for (int server = 0; server < servers; server++) {
            for (int thread = 0; thread < threads; thread++) {
                startClient(server, thread);
            }
        }
        scheduleDisturbance();
        runToEnd("clients never come to an end");
        simulation.faults(FaultPlan.NONE);
        for (int server = 0; server < servers && wrong == null; server++) {
            int number = server;
            SimHost host = hosts.get(number);
            if (host.isDead()) {
                continue;
            }
            running++;
            host.start("settle", guarded(host, host.name(), () -> settle(host, number)));
            runToEnd("compute servers do not come to rest");
        }
        return wrong == null ? verdict() : wrong;
    }

    private void runToEnd(String otherwise) {
        long end = simulation.nanoTime() + MAX_NANOS;
        while (running > 0 && wrong == null && simulation.nanoTime() < end) {
            try {
                simulation.run(simulation.nanoTime() + STEP_NANOS);
                simulation.skipTo(simulation.nanoTime() + MIN_STEP_NANOS);
            } catch (IllegalStateException e) {
                wrong(FailureText.of(e));
            }
        }
        if (running > 0 && wrong == null) {
            wrong = running + " " + otherwise;
        }
    }

    private void start(int count, int servers) {
        SimHost operator = simulation.host("operator");
        running++;
        operator.start(
                "operator",
                guarded(
                        operator,
                        "operator",
                        () -> {
                            for (int server = 0; server < MEMORY_SERVERS; server++) {
                                startMemoryServer(server);
                            }
                            allocate(operator, count);
                            for (int server = 0; server < servers; server++) {
                                startComputeServer(server);
                            }
                        }));
        runToEnd("servers do not start");
    }

    private void startMemoryServer(int number) {
        SimHost host = simulation.host("memory-" + number);
        join(
                host.start(
                        "start",
                        () ->
                                regions.add(
                                        new MemoryServer(
                                                        fabric.memorySide(host),
                                                        number,
                                                        SERVER_BYTES,
                                                        0)
                                                .region())));
    }

    private void startComputeServer(int number) {
        SimHost host = simulation.host("compute-" + number);
        running++;
        join(host.start("start", guarded(host, host.name(), () -> join(host, number))));
        hosts.add(host);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void allocate(SimHost operator, int count) {
        try (QueuePair queuePair = fabric.computeSide(operator).connect(regions)) {
            LineAllocator allocator = new LineAllocator(LAYOUT, MEMORY_SERVERS, 0);
            MemoryClient client = new MemoryClient(queuePair, MEMORY_SERVERS);
            for (int i = 0; i < count; i++) {
                lines.add(allocator.allocate(client, queuePair));
                histories.add(new LineHistory());
                states.add(new HashMap<>());
                states.getLast().put(asList(new long[WORDS]), LineHistory.INITIAL);
            }
        }
    }

    private FaultPlan faults() {
        boolean isLate = random.nextInt(4) > 0;
        boolean isTorn = random.nextBoolean();
        boolean isPaused = random.nextBoolean();
        return new FaultPlan(
                isLate ? random.nextLong(1, 3_000) : 0,
                isLate ? 0.01 : 0,
                50_000,
                isTorn ? random.nextBoolean() ? 64 : 8 : 0,
                0.5,
                5_000,
                isPaused ? 1.0 / random.nextInt(50, 500) : 0,
                100_000,
                lossProbability(),
                0);
    }

    /// How likely a connection fails at a verb or a message.
    double lossProbability() {
        return 0;
    }

    private void scheduleDisturbance() {
        if (random.nextBoolean()) {
            int left = random.nextInt(1, 6);
            for (int i = 0; i < left; i++) {
                simulation.at(
                        simulation.nanoTime() + random.nextLong(2_000_000), this::disturbIfRunning);
            }
        }
    }

    private void disturbIfRunning() {
        if (running > 0) {
            disturb();
        }
    }

    private void startClient(int server, int thread) {
        SimHost host = hosts.get(server);
        SplittableRandom own = random.split();
        String name = host.name() + "." + thread;
        running++;
        host.start(
                name,
                guarded(
                        host,
                        name,
                        () -> {
                            try (LineClient client = connect(host, server, thread)) {
                                run(client, host, server, own);
                            }
                        }));
    }

    /// What a client does.
    ///
    /// @param server the number of its compute server, which is `host`
    void run(LineClient client, SimHost host, int server, SplittableRandom own) {
        String name = Thread.currentThread().getName();
        for (int i = 0; i < accesses && wrong == null; i++) {
            access(client, name, own);
            host.sleep(own.nextLong(1, MAX_REST_NANOS));
        }
    }

    /// Reads a line.
    ///
    /// @param number of the line
    final void read(LineClient client, String name, int number) {
        long begin = simulation.nanoTime();
        long[] words = new long[WORDS];
        client.read(lines.get(number), words);
        Long value = states.get(number).get(asList(words));
        if (value == null) {
            wrong(name + " has read what no change has left: " + Arrays.toString(words));
        } else {
            histories.get(number).read(name, value, begin, simulation.nanoTime());
        }
    }

    private void access(LineClient client, String name, SplittableRandom own) {
        int number = own.nextInt(lines.size());
        long line = lines.get(number);
        Map<List<Long>, Long> known = states.get(number);
        LineHistory history = histories.get(number);
        long begin = simulation.nanoTime();
        if (own.nextDouble() >= changeShare) {
            read(client, name, number);
            return;
        }
        int from = own.nextInt(WORDS);
        int to = end(from, own.nextInt(from, WORDS) + 1);
        long written = ++changes;
        Long[] found = new Long[1];
        long end = LineHistory.NEVER;
        try {
            client.change(
                    line,
                    from,
                    to,
                    words -> {
                        found[0] = known.get(asList(words));
                        if (found[0] == null) {
                            wrong(name + " has found what no change has left, " + words[0]);
                        }
                        Arrays.fill(words, from, to, written);
                        known.put(asList(words), written);
                    });
            end = simulation.nanoTime();
        } finally { // its compute server may have died
            if (found[0] != null) {
                history.change(name, found[0], written, begin, end);
            }
        }
    }

    /// The end of the words that a change writes.
    ///
    /// @param drawn as the seed has it
    int end(int from, int drawn) {
        return drawn;
    }

    /// Whether clients run still, or compute servers leave.
    final boolean isRunning() {
        return running > 0;
    }

    /// Describes what is wrong with what clients have seen, and with what is left; null for
    /// nothing.
    @Nullable String verdict() {
        for (LineHistory history : histories) {
            String violation = history.check();
            if (violation != null) {
                return violation;
            }
        }
        try (QueuePair queuePair = fabric.observe(regions)) {
            for (int number = 0; number < lines.size(); number++) {
                long view = queuePair.read(lines.get(number), LAYOUT.lineBytes());
                queuePair.await();
                long[] words = new long[WORDS];
                for (int word = 0; word < WORDS; word++) {
                    words[word] = LocalMemory.longAt(view + (long) word * Long.BYTES);
                }
                Long value = states.get(number).get(asList(words));
                long last = histories.get(number).last();
                if (value == null || value != last) {
                    return "memory does not hold the last change, %d, but %s"
                            .formatted(last, value);
                }
            }
        }
        return atRest(latched());
    }

    /// The latch words that are not free, by their lines, as they are in memory at this moment.
    final Map<Long, Long> latched() {
        Map<Long, Long> latched = new TreeMap<>();
        try (QueuePair queuePair = fabric.observe(regions)) {
            for (int server = 0; server < MEMORY_SERVERS; server++) {
                for (long[] each : LineAllocator.latched(queuePair, LAYOUT, server)) {
                    latched.put(each[0], each[1]);
                }
            }
        }
        return latched;
    }

    /// The lines' addresses.
    final List<Long> lines() {
        return lines;
    }

    /// For people.
    static String describe(Map<Long, Long> latched) {
        StringBuilder text = new StringBuilder();
        latched.forEach((line, word) -> text.append(LatchWord.describe(word)).append("; "));
        return text.toString();
    }

    private Runnable guarded(SimHost host, String name, Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (RuntimeException | AssertionError e) {
                if (!host.isDead()) {
                    wrong(name + ": " + FailureText.of(e));
                }
            } finally {
                running--;
            }
        };
    }

    final void wrong(String what) {
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
        fabric.close();
    }
}
