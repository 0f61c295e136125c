package org.namdb.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.namdb.cache.engine.ConcurrencyControl;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineCacheOptions.Part;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cli.LineClients.Measured;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.driver.Terminal;
import org.namdb.tpcc.driver.TerminalWork;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.lines.LinePopulation;
import org.namdb.tpcc.lines.LineTransactions;
import org.namdb.tpcc.lines.TpccLines;
import org.namdb.workload.report.MeasuredFigure.Place;
import org.namdb.workload.report.MeasuredFigure.Plot;

/// SELCC's figure 19: TPC-C on lines, each transaction alone and all of them together, with each
/// kind of concurrency control, cached and not; and new orders that touch other warehouses.
final class SelccTpcc {
    private static final String TRANSACTIONS = "transactions/s";
    private static final String SIZE = "--population 1 --engine 2pl --warehouses ";
    private static final int FRAMES = 1 << 13;

    private final SelccRun.Settings settings;
    private final Consumer<String> progress;

    SelccTpcc(SelccRun.Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    List<Plot> run() throws IOException {
        Map<String, Mix> mixes = new LinkedHashMap<>();
        mixes.put("NewOrder", Mix.parse("100,0,0,0,0"));
        mixes.put("Payment", Mix.parse("0,100,0,0,0"));
        mixes.put("OrderStatus", Mix.parse("0,0,100,0,0"));
        mixes.put("Delivery", Mix.parse("0,0,0,100,0"));
        mixes.put("StockLevel", Mix.parse("0,0,0,0,100"));
        mixes.put("mixed", Mix.STANDARD);
        List<Place> places = new ArrayList<>();
        for (String name : mixes.keySet()) {
            places.add(new Place(places.size() + 1, name));
        }
        FigureTable table = new FigureTable("transactions", places);
        List<Integer> percents = List.of(0, 20, 40, 60, 80, 100);
        FigureTable distribution =
                new FigureTable(
                        "% of new orders that touch another warehouse",
                        percents.stream()
                                .map(percent -> new Place(percent + 1, String.valueOf(percent)))
                                .toList());
        for (int servers : settings.servers()) {
            try (SelccCluster cluster = new SelccCluster(settings.cable())) {
                TpccOptions options = load(cluster, SIZE + servers);
                for (Set<Part> without : List.of(Set.<Part>of(), Set.of(Part.CACHE))) {
                    List<TpccLines> lines = connect(cluster, servers, options, without);
                    for (ConcurrencyControl control : ConcurrencyControl.values()) {
                        String line =
                                "%s, %s"
                                        .formatted(
                                                control,
                                                without.isEmpty() ? "SELCC" : "SEL, no cache");
                        int place = 0;
                        for (Mix mix : mixes.values()) {
                            table.put(
                                    servers + " servers",
                                    TRANSACTIONS,
                                    line,
                                    place++,
                                    measure(cluster, lines, options, mix, control, line));
                        }
                    }
                }
                measureDistribution(cluster, servers, percents, distribution);
            }
        }
        List<Plot> plots = new ArrayList<>(table.plots());
        plots.addAll(distribution.plots());
        return plots;
    }

    private void measureDistribution(
            SelccCluster cluster, int servers, List<Integer> percents, FigureTable table)
            throws IOException {
        cluster.connect(servers, lineOptions(Set.of()));
        for (int place = 0; place < percents.size(); place++) {
            TpccOptions options =
                    options(SIZE + servers + " --distribution " + percents.get(place));
            String line = "2pl, %d servers".formatted(servers);
            table.put(
                    "NewOrder",
                    TRANSACTIONS,
                    line,
                    place,
                    measure(
                            cluster,
                            open(cluster, options),
                            options,
                            Mix.parse("100,0,0,0,0"),
                            ConcurrencyControl.TWO_PHASE_LOCKING,
                            line));
        }
    }

    private static TpccOptions options(String text) {
        return TpccOptions.of(Runtime.getRuntime().availableProcessors(), Long.MAX_VALUE, text);
    }

    private LineCacheOptions lineOptions(Set<Part> without) {
        return settings.options().withFrames(FRAMES).without(without);
    }

    private TpccOptions load(SelccCluster cluster, String text) throws IOException {
        progress.accept("loading");
        TpccOptions options = options(text);
        try (var near = cluster.connectNear(lineOptions(Set.of()))) {
            LinePopulation population = new LinePopulation(options);
            TpccLines lines = population.create(near.db());
            if (!population.load(near.db(), lines, 1, near.db().options().host().instant())) {
                throw new IllegalStateException("TPC-C was not loaded");
            }
        }
        return options;
    }

    private List<TpccLines> connect(
            SelccCluster cluster, int servers, TpccOptions options, Set<Part> without)
            throws IOException {
        cluster.connect(servers, lineOptions(without));
        return open(cluster, options);
    }

    private static List<TpccLines> open(SelccCluster cluster, TpccOptions options) {
        List<TpccLines> lines = new ArrayList<>();
        for (int server = 0; server < cluster.count(); server++) {
            lines.add(new LinePopulation(options).open(cluster.db(server)));
        }
        return lines;
    }

    private Measured measure(
            SelccCluster cluster,
            List<TpccLines> lines,
            TpccOptions options,
            Mix mix,
            ConcurrencyControl control,
            String what) {
        progress.accept(what);
        return LineClients.measure(
                cluster.count(),
                settings.mostThreads(),
                (server, thread) -> {
                    long seed = settings.seed() + 1_000L * server + thread;
                    return new Transactions(
                            new LineTransactions(lines.get(server), control, seed),
                            options,
                            mix,
                            server % options.scale().warehouses() + 1,
                            seed);
                },
                settings.warmup().toNanos(),
                settings.duration().toNanos());
    }

    /// A thread's transactions; its home is a warehouse of its compute server.
    private static final class Transactions implements LineClients.Operations {
        private final LineTransactions transactions;
        private final TerminalWork work;
        private final Mix mix;
        private final int warehouse;
        private final SplittableRandom random;

        Transactions(
                LineTransactions transactions,
                TpccOptions options,
                Mix mix,
                int warehouse,
                long seed) {
            this.transactions = transactions;
            this.mix = mix;
            this.warehouse = warehouse;
            this.random = new SplittableRandom(seed);
            NuRandConstants constants = NuRandConstants.of(options.seed());
            InputSource inputs =
                    new InputSource(
                            options.scale(),
                            ItemChooser.of(options.itemSkew(), options.scale().items(), constants),
                            constants,
                            options.distributionPercent(),
                            TpccRandom.stream(seed, 0));
            this.work = new TerminalWork(transactions, inputs);
        }

        @Override
        public void next() {
            int draw = random.nextInt(100);
            for (TransactionType type : TransactionType.values()) {
                draw -= mix.percent(type);
                if (draw < 0) {
                    boolean _ = work.run(type, new Terminal(warehouse, random.nextInt(10) + 1));
                    return;
                }
            }
        }

        @Override
        public void end() {
            transactions.end();
        }

        @Override
        public LineSession session() {
            return transactions.lines();
        }

        @Override
        public void close() {
            transactions.close();
        }
    }
}
