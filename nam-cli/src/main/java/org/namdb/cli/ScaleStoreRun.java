package org.namdb.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.cli.LineClients.Measured;
import org.namdb.cli.TreeOperations.Keys;
import org.namdb.workload.report.MeasuredFigure;
import org.namdb.workload.report.MeasuredFigure.Place;
import org.namdb.workload.report.MeasuredFigure.Plot;
import org.namdb.ycsb.Zipfian;

/// Measures what the figures of ScaleStore's evaluation show: nodes are in this process, and what
/// they send each other goes by TCP over cables. Records are entries of a tree of pages.
final class ScaleStoreRun {
    private static final String ACCESSES = "accesses/s";
    private static final String OPERATIONS = "operations/s";
    private static final String MICROS = "us";
    private static final String NODES = "nodes";
    private static final int[] READS = {100, 95, 50, 5};

    /// About so many records are in a page.
    private static final int PAGE_RECORDS = 250;

    /// A node that others join has this part of the data in its memory (section 6.6: 10 of 250 GB).
    private static final int JOINING_SHARE = 25;

    /// After each change of nodes or of what they access, so many intervals are measured.
    private static final int INTERVALS = 10;

    /// So many intervals take as long as any other measurement.
    private static final int INTERVALS_PER_DURATION = 10;

    private static final int REASSIGNMENTS = 3;

    /// How much is measured.
    ///
    /// @param nodes numbers of nodes, in ascending order
    /// @param threads of each
    /// @param records where the figure does not vary them
    /// @param frames of each node
    /// @param duration of each measurement
    /// @param warmup before it
    /// @param cable the time from one end of a cable to the other
    /// @param directory where the nodes' directories are made; null for the system's
    record Settings(
            List<Integer> nodes,
            int threads,
            int records,
            int frames,
            Duration duration,
            Duration warmup,
            Duration cable,
            @Nullable Path directory,
            long seed) {
        Settings {
            nodes = List.copyOf(nodes);
        }

        int mostNodes() {
            return nodes.getLast();
        }

        long intervalNanos() {
            return Math.max(1, duration.toNanos() / INTERVALS_PER_DURATION);
        }
    }

    private final Settings settings;
    private final Consumer<String> progress;
    private long measurements;

    /// @param progress gets what is measured next
    ScaleStoreRun(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /// Measures a figure, 6 to 11.
    ///
    /// @throws IOException if no directory can be made
    MeasuredFigure run(int figure) throws IOException {
        List<Plot> plots =
                switch (figure) {
                    case 6 -> onePageOrMany();
                    case 7 -> scaleOut();
                    case 8 -> dataSize();
                    case 9 -> reassignments();
                    case 10 -> elasticity();
                    case 11 -> outOfMemory();
                    default -> throw new IllegalArgumentException("figure " + figure);
                };
        return new MeasuredFigure(
                "scalestore-" + figure,
                "Figure %d of ScaleStore, measured here, over TCP between nodes of one process: %s"
                        .formatted(figure, ScaleStoreQuotes.title(figure)),
                plots,
                ScaleStoreQuotes.of(figure));
    }

    private List<Plot> onePageOrMany() throws IOException {
        FigureTable table = new FigureTable(NODES, places(settings.nodes));
        List<Plot> plots = new ArrayList<>();
        LineChoice writes = new LineChoice(100, 0, 0, 0);
        for (int place = 0; place < settings.nodes.size(); place++) {
            int count = settings.nodes.get(place);
            FigureTable byNode = new FigureTable("node", places(upTo(count)));
            try (PageNodes nodes = start(count)) {
                List<Long> pages = nodes.allocate(settings.frames / 2);
                for (boolean isContended : new boolean[] {false, true}) {
                    String line = isContended ? "contended: one page" : "uncontended: many pages";
                    progress.accept(line + ", " + describeNodes(count));
                    List<Long> accessed = isContended ? pages.subList(0, 1) : pages;
                    Measured measured =
                            measure(
                                    count,
                                    1,
                                    (node, seed) ->
                                            writes.open(
                                                    nodes.open(node), accessed, node, count, seed),
                                    settings.warmup.toNanos(),
                                    settings.duration.toNanos());
                    table.put("throughput", ACCESSES, line, place, measured);
                    putLatency(table, line + ", median", place, measured, 50);
                    putLatency(table, line + ", 99th percentile", place, measured, 99);
                    putLatency(table, line + ", longest", place, measured, 100);
                    table.put(
                            "waits for other nodes",
                            "round trips/s",
                            line,
                            place,
                            measured,
                            measured.roundTrips() * measured.all());
                    for (int node = 0; node < count; node++) {
                        double own = measured.operations().get(node);
                        byNode.put("of each node", ACCESSES, line, node, measured, own);
                    }
                }
            }
            if (count == settings.mostNodes()) {
                plots.addAll(byNode.plots());
            }
        }
        plots.addAll(0, table.plots());
        return plots;
    }

    private List<Plot> scaleOut() throws IOException {
        FigureTable table = new FigureTable(NODES, places(settings.nodes));
        for (int place = 0; place < settings.nodes.size(); place++) {
            int count = settings.nodes.get(place);
            try (PageNodes nodes = start(count)) {
                Records records = load(nodes, count, settings.records);
                for (boolean isRandom : new boolean[] {false, true}) {
                    String plot = isRandom ? "random" : "partitioned";
                    progress.accept(plot + ", " + describeNodes(count));
                    for (int reads : READS) {
                        Measured measured =
                                records.measure(isRandom ? records::all : records::part, reads);
                        table.put(plot, OPERATIONS, describe(reads), place, measured);
                    }
                }
            }
        }
        return table.plots();
    }

    private List<Plot> dataSize() throws IOException {
        int count = settings.mostNodes();
        TreeSet<Integer> sizes = new TreeSet<>();
        for (int halves : new int[] {1, count, 2 * count, 8 * count}) {
            sizes.add(Math.multiplyExact(settings.frames / 2 * PAGE_RECORDS, halves));
        }
        List<Integer> ascending = List.copyOf(sizes);
        FigureTable table = new FigureTable("records", places(ascending));
        for (int place = 0; place < ascending.size(); place++) {
            int size = ascending.get(place);
            try (PageNodes nodes = start(count)) {
                Records records = load(nodes, count, size);
                progress.accept("%,d records".formatted(size));
                Measured uniform = records.measure(records::all, 100);
                table.put("throughput", OPERATIONS, "uniform", place, uniform);
                putLatency(table, "uniform, median", place, uniform, 50);
                putLatency(table, "uniform, 99.9th percentile", place, uniform, 99.9);
                for (double theta : new double[] {1.2, 1.4}) {
                    Zipfian zipfian = new Zipfian(size, theta);
                    Measured skewed = records.measure(_ -> zipfian.copy()::next, 100);
                    table.put("throughput", OPERATIONS, "Zipfian, " + theta, place, skewed);
                }
            }
        }
        return table.plots();
    }

    private List<Plot> reassignments() throws IOException {
        int count = settings.mostNodes();
        FigureTable table = intervals();
        for (int reads : new int[] {100, 50}) {
            try (PageNodes nodes = start(count)) {
                Records records = load(nodes, count, settings.records);
                progress.accept(describe(reads));
                Measured _ = records.measure(records::part, reads);
                for (int change = 0; change <= REASSIGNMENTS; change++) {
                    String line = change == 0 ? "own parts" : "reassigned, " + change;
                    int moved = change;
                    IntFunction<Keys> keys = node -> records.part((node + moved) % count);
                    records.measureIntervals(keys, reads, table, line);
                }
            }
        }
        return table.plots();
    }

    private List<Plot> elasticity() throws IOException {
        int storage = 2;
        int pages = Math.ceilDiv(settings.records, PAGE_RECORDS);
        int joiningFrames = Math.max(8 * settings.threads, pages / JOINING_SHARE);
        List<Integer> computing = List.of(1, 2, 3, 2, 1);
        FigureTable table = intervals();
        for (int reads : new int[] {100, 50}) {
            try (PageNodes nodes = start(storage)) {
                long root = loadTree(nodes, settings.records);
                progress.accept(describe(reads));
                int present = 0;
                for (int count : computing) {
                    boolean hasJoined = count > present;
                    if (hasJoined) {
                        nodes.join(joiningFrames);
                    } else {
                        nodes.leave();
                    }
                    present = count;
                    String line =
                            describeNodes(count) + ", one has " + (hasJoined ? "joined" : "left");
                    Records records = new Records(nodes, storage, count, settings.records, root);
                    records.measureIntervals(records::all, reads, table, line);
                }
            }
        }
        return table.plots();
    }

    private List<Plot> outOfMemory() throws IOException {
        List<Place> places = new ArrayList<>();
        for (int reads : READS) {
            places.add(new Place(places.size() + 1, describe(reads)));
        }
        FigureTable table = new FigureTable("reads and updates", places);
        try (PageNodes nodes = start(1)) {
            Records records = load(nodes, 1, settings.records);
            for (int place = 0; place < READS.length; place++) {
                progress.accept(describe(READS[place]));
                Measured measured = records.measure(records::all, READS[place]);
                String line = "one node";
                table.put("throughput", OPERATIONS, line, place, measured);
                table.put(
                        "reads of the disk",
                        "of 100 operations",
                        line,
                        place,
                        measured,
                        100 * measured.diskReads());
            }
        }
        return table.plots();
    }

    private PageNodes start(int count) throws IOException {
        return new PageNodes(count, settings.frames, settings.directory, settings.cable);
    }

    private Records load(PageNodes nodes, int count, int records) {
        return new Records(nodes, 0, count, records, loadTree(nodes, records));
    }

    private long loadTree(PageNodes nodes, int records) {
        progress.accept("loading %,d records".formatted(records));
        return nodes.load(records);
    }

    /// The records, and the nodes with threads.
    private final class Records {
        private final PageNodes nodes;
        private final int firstNode;
        private final int count;
        private final int records;
        private final long root;

        Records(PageNodes nodes, int firstNode, int count, int records, long root) {
            this.nodes = nodes;
            this.firstNode = firstNode;
            this.count = count;
            this.records = records;
            this.root = root;
        }

        /// Any record, by any node.
        Keys all(int node) {
            return random -> random.nextInt(records);
        }

        /// The records that a node has inserted.
        Keys part(int node) {
            int from = nodes.firstKey(node, records);
            int end = nodes.firstKey(node + 1, records);
            return random -> random.nextInt(from, end);
        }

        Measured measure(IntFunction<Keys> keys, int reads) {
            return measure(keys, reads, settings.warmup.toNanos(), settings.duration.toNanos());
        }

        /// Measures how it goes on after a change.
        void measureIntervals(IntFunction<Keys> keys, int reads, FigureTable table, String line) {
            for (int interval = 0; interval < INTERVALS; interval++) {
                Measured measured = measure(keys, reads, 0, settings.intervalNanos());
                table.put(describe(reads), OPERATIONS, line, interval, measured);
            }
        }

        private Measured measure(IntFunction<Keys> keys, int reads, long warmupNanos, long nanos) {
            return ScaleStoreRun.this.measure(
                    count,
                    settings.threads,
                    (node, seed) ->
                            new TreeOperations(
                                    nodes.open(firstNode + node),
                                    root,
                                    keys.apply(node),
                                    reads,
                                    seed),
                    warmupNanos,
                    nanos);
        }
    }

    /// Makes a thread's operations.
    @FunctionalInterface
    private interface Opening {
        LineClients.Operations open(int node, long seed);
    }

    private Measured measure(
            int nodes, int threads, Opening opening, long warmupNanos, long nanos) {
        long first = settings.seed + 1_000_000 * measurements++;
        return LineClients.measure(
                nodes,
                threads,
                (node, thread) -> opening.open(node, first + 1_000L * node + thread),
                warmupNanos,
                nanos);
    }

    private static void putLatency(
            FigureTable table, String line, int place, Measured measured, double percentile) {
        table.put(
                "latency",
                MICROS,
                line,
                place,
                measured,
                measured.latencies().percentileMicros(percentile));
    }

    private FigureTable intervals() {
        return new FigureTable(
                "intervals of %,d ms since the change"
                        .formatted(Duration.ofNanos(settings.intervalNanos()).toMillis()),
                places(upTo(INTERVALS)));
    }

    private static List<Integer> upTo(int count) {
        List<Integer> numbers = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            numbers.add(number);
        }
        return numbers;
    }

    private static List<Place> places(List<Integer> numbers) {
        return numbers.stream().map(Place::of).toList();
    }

    private static String describeNodes(int count) {
        return count == 1 ? "1 node" : count + " nodes";
    }

    private static String describe(int reads) {
        return "%d %% reads".formatted(reads);
    }
}
