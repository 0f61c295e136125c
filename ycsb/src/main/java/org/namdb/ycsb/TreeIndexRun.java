package org.namdb.ycsb;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.ObjDoubleConsumer;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.workload.driver.MeasuredRun;
import org.namdb.workload.driver.RunObserver;
import org.namdb.workload.driver.StopSignal;
import org.namdb.workload.report.MeasuredFigure;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.testbed.Testbed;
import org.namdb.workload.testbed.Testbed.ComputeServer;
import org.namdb.ycsb.TreeIndexFigure.Design;
import org.namdb.ycsb.TreeIndexFigure.Load;

/// Measures a [TreeIndexFigure] on a [Testbed]: the clients are threads of one compute server, the
/// index is made again for each design, and operations read its entries alone.
///
/// Snapshots may be as old as the run, so that a transaction begins without a round trip, as an
/// operation of the paper does.
public final class TreeIndexRun {
    private static final double BYTES_PER_MEGABYTE = 1e6;

    /// As short as a record can be.
    private static final String RECORD =
            " --fields 1 --field-bytes " + FieldText.MIN_BYTES + " --versions 1";

    /// Less than half of the testbed's maximum transaction time.
    private static final Duration STALENESS = Duration.ofSeconds(20);

    private static final int SPARE_SLOTS = 32;
    private static final long SPARE_BYTES = 96L << 20;

    /// How much is measured.
    ///
    /// @param records the size of the data
    /// @param clients how many threads there are, in ascending order: a place each where they are
    ///     varied, else the most
    /// @param memoryServers how many there are, where they are not varied
    /// @param duration of each measurement
    /// @param warmup before it
    /// @param cable the time from one end of a cable to the other
    public record Settings(
            int records,
            List<Integer> clients,
            int memoryServers,
            Duration duration,
            Duration warmup,
            Duration cable,
            long seed) {
        public Settings {
            clients = List.copyOf(clients);
        }
    }

    /// Where a value is measured.
    ///
    /// @param near how many memory servers are reached without a cable
    private record Place(int memoryServers, int records, int clients, int near) {}

    private record Key(Load load, boolean isSkewed, Design design, Place place) {}

    private final TreeIndexFigure figure;
    private final Settings settings;
    private final ObjDoubleConsumer<String> progress;
    private final List<Place> places = new ArrayList<>();
    private final Map<Key, MeasuredFigure.Value> values = new HashMap<>();

    /// The numbers of the next runs.
    private final Queue<Long> runs = new ArrayDeque<>();

    /// @param progress gets what is measured next, and how much is done, from 0 to 1
    public TreeIndexRun(
            TreeIndexFigure figure, Settings settings, ObjDoubleConsumer<String> progress) {
        this.figure = figure;
        this.settings = settings;
        this.progress = progress;
        int servers = settings.memoryServers;
        int records = settings.records;
        int most = settings.clients.getLast();
        switch (figure.horizontal) {
            case CLIENTS ->
                    settings.clients.forEach(
                            clients -> places.add(new Place(servers, records, clients, 0)));
            case RECORDS -> {
                for (int part : new int[] {16, 4, 1}) {
                    places.add(new Place(servers, Math.max(2, records / part), most, 0));
                }
            }
            case MEMORY_SERVERS -> {
                for (int some = 1; some <= servers; some *= 2) {
                    places.add(new Place(some, records, most, 0));
                }
            }
            case CO_LOCATION -> {
                places.add(new Place(servers, records, most, 0));
                places.add(new Place(servers, records, most, 1));
            }
        }
    }

    /// Measures it: one value after the other.
    ///
    /// @throws IOException if no port can be had
    /// @throws IllegalStateException if a run has read what is wrong
    public MeasuredFigure run() throws IOException {
        List<Place> left = new ArrayList<>(places);
        while (!left.isEmpty()) {
            Place first = left.getFirst();
            List<Place> together =
                    left.stream()
                            .filter(place ->
                                    place.memoryServers == first.memoryServers
                                            && place.records == first.records)
                            .toList();
            measure(together);
            left.removeAll(together);
        }
        return measured();
    }

    /// Measures at places that differ in clients and cables alone.
    private void measure(List<Place> together) throws IOException {
        Place any = together.getFirst();
        YcsbOptions loading = options(any, Load.POINTS);
        int most = settings.clients.getLast();
        long bytes = SPARE_BYTES + 3 * loading.estimatedBytes() / any.memoryServers;
        say("loading " + any.records + " records");
        try (Testbed testbed =
                new Testbed(any.memoryServers, bytes, most + SPARE_SLOTS, settings.cable)) {
            try (ComputeServer near = testbed.connectNear()) {
                YcsbPopulation population = new YcsbPopulation(loading);
                YcsbTables tables = population.create(near.db());
                boolean _ =
                        population.load(near.db(), tables, 1, near.db().options().host().instant());
            }
            for (boolean isSkewed : figure.skews) {
                for (Design design : figure.designs) {
                    say("making the index, " + design.name());
                    try (ComputeServer near = testbed.connectNear()) {
                        YcsbTables.remakeIndex(
                                near.db(), design.properties(any.memoryServers, isSkewed));
                        takeRuns(near.db(), loading, together.size() * figure.loads.size());
                    }
                    for (Place place : together) {
                        measure(testbed, place, design, isSkewed);
                    }
                }
            }
        }
    }

    /// A snapshot of a measured compute server may be too old to count runs by.
    private void takeRuns(NamDb near, YcsbOptions options, int count) {
        YcsbTables tables = YcsbTables.open(near, options.fields());
        try (Session session = near.session()) {
            for (int i = 0; i < count; i++) {
                runs.add(tables.nextRun(session));
            }
        }
    }

    private void measure(Testbed testbed, Place place, Design design, boolean isSkewed) {
        try (ComputeServer far = testbed.connect(STALENESS, place.near)) {
            for (Load load : figure.loads) {
                say(
                        "%s, %s, %s".formatted(design.name(), load.name(), text(place).text())
                                + (isSkewed ? ", skewed" : ""));
                values.put(
                        new Key(load, isSkewed, design, place),
                        value(statistics(far.db(), options(place, load))));
            }
        }
    }

    private RunStatistics statistics(NamDb db, YcsbOptions options) {
        List<ReadChecks> checks = new ArrayList<>();
        YcsbTables tables = YcsbTables.open(db, options.fields());
        RunStatistics statistics =
                new MeasuredRun(
                                db,
                                YcsbRun.benchmark(options),
                                options,
                                YcsbRun.work(options, runs.remove(), tables, checks),
                                new StopSignal(),
                                RunObserver.NONE)
                        .run()
                        .statistics();
        for (ReadChecks each : checks) {
            if (each.totals().missing() + each.totals().disordered() > 0) {
                throw new IllegalStateException("a run has missed entries that are there");
            }
        }
        return statistics;
    }

    private YcsbOptions options(Place place, Load load) {
        return YcsbOptions.of(
                Runtime.getRuntime().availableProcessors(),
                Long.MAX_VALUE,
                "--records %d%s --workload %s %s --entries --threads %d --duration %dms --warmup %dms --seed %d"
                        .formatted(
                                place.records,
                                RECORD,
                                load.workload(),
                                load.options(),
                                place.clients,
                                settings.duration.toMillis(),
                                settings.warmup.toMillis(),
                                settings.seed));
    }

    private MeasuredFigure.Value value(RunStatistics statistics) {
        if (statistics.total().count() == 0) { // no operation finished in time
            return MeasuredFigure.Value.NONE;
        }
        double bytes = statistics.total().bytesPerTransaction();
        double value =
                switch (figure.measure) {
                    case OPERATIONS -> statistics.tps();
                    case BYTES -> statistics.tps() * bytes / BYTES_PER_MEGABYTE;
                    case LATENCY -> statistics.total().latency().meanMicros();
                };
        return new MeasuredFigure.Value(
                value, statistics.total().roundTripsPerTransaction(), bytes);
    }

    private void say(String what) {
        progress.accept(what, (double) values.size() / count());
    }

    /// How many values there are to be measured.
    public int count() {
        return places.size() * figure.skews.size() * figure.designs.size() * figure.loads.size();
    }

    private MeasuredFigure measured() {
        List<MeasuredFigure.Plot> plots = new ArrayList<>();
        for (boolean isSkewed : figure.skews) {
            for (Load load : figure.loads) {
                plots.add(
                        new MeasuredFigure.Plot(
                                load.name()
                                        + (figure.skews.size() == 1
                                                ? ""
                                                : isSkewed ? ", skewed data" : ", uniform data"),
                                figure.horizontal.label,
                                figure.measure.label,
                                places.stream().map(this::text).toList(),
                                figure.designs.stream()
                                        .map(design -> line(load, isSkewed, design))
                                        .toList()));
            }
        }
        return new MeasuredFigure(
                "tree-index-" + figure.number(),
                "Figure %d of the tree-index paper, measured here: %s"
                        .formatted(figure.number(), figure.title),
                plots,
                figure.quotes);
    }

    private MeasuredFigure.Line line(Load load, boolean isSkewed, Design design) {
        return new MeasuredFigure.Line(
                design.name(),
                places.stream()
                        .map(place ->
                                values.getOrDefault(
                                        new Key(load, isSkewed, design, place),
                                        MeasuredFigure.Value.NONE))
                        .toList());
    }

    private MeasuredFigure.Place text(Place place) {
        return switch (figure.horizontal) {
            case CLIENTS -> MeasuredFigure.Place.of(place.clients);
            case RECORDS -> MeasuredFigure.Place.of(place.records);
            case MEMORY_SERVERS -> MeasuredFigure.Place.of(place.memoryServers);
            case CO_LOCATION ->
                    new MeasuredFigure.Place(
                            place.near + 1, "%d of %d".formatted(place.near, place.memoryServers));
        };
    }
}
