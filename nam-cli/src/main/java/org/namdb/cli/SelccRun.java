package org.namdb.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineCacheOptions.Flush;
import org.namdb.cache.selcc.LineCacheOptions.Part;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.tree.LineTree;
import org.namdb.cli.LineClients.Measured;
import org.namdb.cli.TreeOperations.Keys;
import org.namdb.workload.report.MeasuredFigure;
import org.namdb.workload.report.MeasuredFigure.Place;
import org.namdb.workload.report.MeasuredFigure.Plot;

/// Measures what the figures of SELCC's evaluation show: figures 12 to 18 here, 19 by [SelccTpcc].
/// Memory servers and compute servers are in this process, and what they send goes by TCP over
/// cables.
final class SelccRun {
    private static final String ACCESSES = "accesses/s";
    private static final String OPERATIONS = "operations/s";
    private static final String MESSAGES = "messages of 100 accesses";
    private static final int[] READS = {95, 50, 0};
    private static final int KEYS = 1 << 14;

    /// How much is measured.
    ///
    /// @param lines how many there are
    /// @param frames how many a compute server caches
    /// @param servers numbers of compute servers, in ascending order
    /// @param threads numbers of threads of each, in ascending order
    /// @param duration of each measurement
    /// @param warmup before it
    /// @param cable the time from one end of a cable to the other
    record Settings(
            int lines,
            int frames,
            List<Integer> servers,
            List<Integer> threads,
            Duration duration,
            Duration warmup,
            Duration cable,
            long seed) {
        Settings {
            servers = List.copyOf(servers);
            threads = List.copyOf(threads);
        }

        LineCacheOptions options() {
            return LineCacheOptions.DEFAULT.withFrames(frames).withFlush(Flush.LAZY);
        }

        int mostThreads() {
            return threads.getLast();
        }
    }

    private final Settings settings;
    private final Consumer<String> progress;

    /// @param progress gets what is measured next
    SelccRun(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /// Measures a figure, 12 to 19.
    ///
    /// @throws IOException if no port can be had
    MeasuredFigure run(int figure) throws IOException {
        List<Plot> plots =
                switch (figure) {
                    case 12 -> scalability();
                    case 13 -> locality();
                    case 14 -> skew();
                    case 15 -> fairness();
                    case 16 -> busyMemoryServers();
                    case 17 -> tree();
                    case 18 -> ablation();
                    case 19 -> new SelccTpcc(settings, progress).run();
                    default -> throw new IllegalArgumentException("figure " + figure);
                };
        return new MeasuredFigure(
                "selcc-" + figure,
                "Figure %d of SELCC, measured here, over TCP between servers of one process: %s"
                        .formatted(figure, SelccQuotes.title(figure)),
                plots,
                SelccQuotes.of(figure));
    }

    /// A part of the paper's protocol is left out, or none is.
    private record Variant(String name, Set<Part> without) {}

    private static final List<Variant> CACHED_OR_NOT =
            List.of(
                    new Variant("SELCC", Set.of()),
                    new Variant("SEL, no cache", Set.of(Part.CACHE)));

    private List<Plot> scalability() throws IOException {
        List<Integer> counts = new ArrayList<>(List.of(1));
        counts.addAll(settings.servers);
        List<Integer> shares = List.of(0, 50, 100);
        FigureTable table =
                new FigureTable("compute servers", counts.stream().map(Place::of).toList());
        try (SelccCluster cluster = new SelccCluster(settings.cable)) {
            for (int place = 0; place < counts.size(); place++) {
                cluster.connect(counts.get(place), settings.options());
                List<Long> lines = cluster.allocate(settings.lines);
                for (int shared : shares) {
                    for (int reads : READS) {
                        String line = shared + " % shared";
                        Measured measured =
                                accesses(
                                        cluster,
                                        lines,
                                        new LineChoice(shared, reads, 0, 0),
                                        settings.mostThreads(),
                                        line);
                        table.put(describe(reads), ACCESSES, line, place, measured);
                        table.put(
                                describe(reads) + ": invalidation",
                                MESSAGES,
                                line,
                                place,
                                measured,
                                100 * measured.messages());
                    }
                }
            }
        }
        return table.plots();
    }

    private List<Plot> locality() throws IOException {
        List<Plot> plots = new ArrayList<>(byThreads(new LineChoice(100, 0, 50, 0)));
        List<Integer> sizes = List.of(512, 1024, 2048, 4096, 8192);
        FigureTable table =
                new FigureTable("bytes of a line", sizes.stream().map(Place::of).toList());
        for (int servers : settings.servers) {
            for (int place = 0; place < sizes.size(); place++) {
                int bytes = sizes.get(place);
                try (SelccCluster cluster = new SelccCluster(settings.cable)) {
                    cluster.connect(servers, settings.options().withLineBytes(bytes));
                    String line = "SELCC, %d servers".formatted(servers);
                    table.put(
                            "write only",
                            ACCESSES,
                            line,
                            place,
                            accesses(
                                    cluster,
                                    cluster.allocate(settings.lines),
                                    new LineChoice(100, 0, 50, 0),
                                    settings.mostThreads(),
                                    line + ", " + bytes));
                }
            }
        }
        plots.addAll(table.plots());
        return plots;
    }

    private List<Plot> skew() throws IOException {
        return byThreads(new LineChoice(100, 0, 0, 0.99));
    }

    private List<Plot> byThreads(LineChoice choice) throws IOException {
        FigureTable table =
                new FigureTable(
                        "threads of a server", settings.threads.stream().map(Place::of).toList());
        try (SelccCluster cluster = new SelccCluster(settings.cable)) {
            for (int servers : settings.servers) {
                for (Variant variant : CACHED_OR_NOT) {
                    cluster.connect(servers, settings.options().without(variant.without));
                    List<Long> lines = cluster.allocate(settings.lines);
                    String line = "%s, %d servers".formatted(variant.name, servers);
                    for (int reads : READS) {
                        for (int place = 0; place < settings.threads.size(); place++) {
                            int threads = settings.threads.get(place);
                            table.put(
                                    describe(reads),
                                    ACCESSES,
                                    line,
                                    place,
                                    accesses(cluster, lines, choice.reading(reads), threads, line));
                        }
                    }
                }
            }
        }
        return table.plots();
    }

    private List<Plot> fairness() throws IOException {
        List<Plot> plots = new ArrayList<>();
        for (int servers : settings.servers) {
            List<Place> places = new ArrayList<>();
            for (int server = 1; server <= servers; server++) {
                places.add(Place.of(server));
            }
            FigureTable table = new FigureTable("compute server", places);
            try (SelccCluster cluster = new SelccCluster(settings.cable)) {
                fairness(cluster, servers, table, "gamma 256, readers spin", Set.of());
                fairness(cluster, servers, table, "gamma 256, no spin", Set.of(Part.READER_SPIN));
                fairness(
                        cluster,
                        servers,
                        table,
                        "gamma infinite, no spin",
                        Set.of(Part.READER_SPIN, Part.FAIRNESS));
            }
            plots.addAll(table.plots());
        }
        return plots;
    }

    private void fairness(
            SelccCluster cluster, int servers, FigureTable table, String line, Set<Part> without)
            throws IOException {
        cluster.connect(servers, settings.options().without(without));
        List<Long> lines = cluster.allocate(2);
        LineChoice hot = new LineChoice(100, 0, 0, 10);
        for (boolean isOneWriter : new boolean[] {false, true}) {
            progress.accept(line);
            Measured measured =
                    LineClients.measure(
                            servers,
                            settings.mostThreads(),
                            (server, thread) ->
                                    hot.reading(isOneWriter && server > 0 ? 100 : 0)
                                            .open(
                                                    cluster.lines(server),
                                                    lines,
                                                    server,
                                                    servers,
                                                    seed(server, thread)),
                            settings.warmup.toNanos(),
                            settings.duration.toNanos());
            String plot =
                    "%d servers, %s"
                            .formatted(
                                    servers,
                                    isOneWriter ? "server 1 writes, the others read" : "all write");
            for (int server = 0; server < servers; server++) {
                table.put(
                        plot, ACCESSES, line, server, measured, measured.operations().get(server));
            }
        }
    }

    private List<Plot> busyMemoryServers() throws IOException {
        List<Integer> busy = List.of(0, 1, 2, 4);
        FigureTable table =
                new FigureTable(
                        "threads that use the machine's processors at the same time",
                        busy.stream()
                                .map(count -> new Place(count + 1, String.valueOf(count)))
                                .toList());
        try (SelccCluster cluster = new SelccCluster(settings.cable)) {
            for (int servers : settings.servers) {
                cluster.connect(servers, settings.options());
                List<Long> lines = cluster.allocate(settings.lines);
                String line = "SELCC, %d servers".formatted(servers);
                for (int place = 0; place < busy.size(); place++) {
                    try (BusyThreads _ = new BusyThreads(busy.get(place))) {
                        for (int reads : READS) {
                            table.put(
                                    describe(reads),
                                    ACCESSES,
                                    line,
                                    place,
                                    accesses(
                                            cluster,
                                            lines,
                                            new LineChoice(100, reads, 0, 0),
                                            settings.mostThreads(),
                                            line));
                        }
                    }
                }
            }
        }
        return table.plots();
    }

    private List<Plot> tree() throws IOException {
        int[] reads = {100, 95, 50, 0};
        List<Place> places =
                List.of(
                        new Place(1, "100 % reads"),
                        new Place(2, "95 %"),
                        new Place(3, "50 %"),
                        new Place(4, "0 %"));
        FigureTable table = new FigureTable("updates and reads", places);
        try (SelccCluster cluster = new SelccCluster(settings.cable)) {
            for (int servers : settings.servers) {
                for (Variant variant : CACHED_OR_NOT) {
                    long root = load(cluster, servers, settings.options().without(variant.without));
                    String line = "%s, %d servers".formatted(variant.name, servers);
                    for (double theta : new double[] {0, 0.99}) {
                        for (int place = 0; place < places.size(); place++) {
                            table.put(
                                    theta == 0 ? "uniform" : "Zipfian, 0.99",
                                    OPERATIONS,
                                    line,
                                    place,
                                    operations(cluster, root, reads[place], theta, line));
                        }
                    }
                }
            }
        }
        return table.plots();
    }

    private List<Plot> ablation() throws IOException {
        List<Variant> variants =
                List.of(
                        new Variant(
                                "none",
                                Set.of(Part.FORWARDING, Part.BATCHED_EVICTION, Part.DIRTY_BOUNDS)),
                        new Variant(
                                "+ forwarding", Set.of(Part.BATCHED_EVICTION, Part.DIRTY_BOUNDS)),
                        new Variant("+ batched eviction", Set.of(Part.DIRTY_BOUNDS)),
                        new Variant("+ dirty bounds", Set.of()));
        List<Place> places = new ArrayList<>();
        for (Variant variant : variants) {
            places.add(new Place(places.size() + 1, variant.name));
        }
        FigureTable table = new FigureTable("with", places);
        try (SelccCluster cluster = new SelccCluster(settings.cable)) {
            for (int servers : settings.servers) {
                for (int place = 0; place < places.size(); place++) {
                    Set<Part> without = variants.get(place).without;
                    // A cache of a part of the leaves, so that it evicts.
                    LineCacheOptions options =
                            settings.options().withFrames(KEYS / 256).without(without);
                    long root = load(cluster, servers, options);
                    String line = "%d servers".formatted(servers);
                    for (int reads : new int[] {100, 95, 50, 0}) {
                        table.put(
                                "%d %% reads".formatted(reads),
                                OPERATIONS,
                                line,
                                place,
                                operations(cluster, root, reads, 0, line));
                    }
                }
            }
        }
        return table.plots();
    }

    /// Makes a tree, and connects compute servers.
    ///
    /// @return its root
    private long load(SelccCluster cluster, int servers, LineCacheOptions options)
            throws IOException {
        progress.accept("loading");
        long root;
        try (var near = cluster.connectNear(settings.options().withFrames(KEYS / 16));
                LineSession session = near.db().lines()) {
            root = LineTree.create(session);
            LineTree tree = new LineTree(session, root);
            for (long key = 0; key < KEYS; key++) {
                boolean _ = tree.insert(Keys.scattered(key), key);
            }
        }
        cluster.connect(servers, options);
        return root;
    }

    private Measured operations(
            SelccCluster cluster, long root, int reads, double theta, String what) {
        progress.accept(what);
        return LineClients.measure(
                cluster.count(),
                settings.mostThreads(),
                (server, thread) ->
                        new TreeOperations(
                                cluster.lines(server),
                                root,
                                Keys.scattered(KEYS, theta),
                                reads,
                                seed(server, thread)),
                settings.warmup.toNanos(),
                settings.duration.toNanos());
    }

    private Measured accesses(
            SelccCluster cluster, List<Long> lines, LineChoice choice, int threads, String what) {
        progress.accept(what);
        return LineClients.measure(
                cluster.count(),
                threads,
                (server, thread) ->
                        choice.open(
                                cluster.lines(server),
                                lines,
                                server,
                                cluster.count(),
                                seed(server, thread)),
                settings.warmup.toNanos(),
                settings.duration.toNanos());
    }

    private long seed(int server, int thread) {
        return settings.seed + 1_000L * server + thread;
    }

    private static String describe(int reads) {
        return switch (reads) {
            case 95 -> "95 % reads";
            case 50 -> "50 % reads";
            default -> "write only";
        };
    }

    /// Threads that use processors until they are closed.
    private static final class BusyThreads implements AutoCloseable {
        private volatile boolean isClosed;

        BusyThreads(int count) {
            for (int i = 0; i < count; i++) {
                Thread _ =
                        Thread.ofPlatform()
                                .daemon()
                                .start(() -> {
                                    while (!isClosed) {
                                        Thread.onSpinWait();
                                    }
                                });
            }
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
