package org.namdb.sql.server;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.TransactionStatistics;
import org.namdb.compute.commit.AbortCause;
import org.namdb.fabric.VerbTally;
import org.namdb.memory.client.ServerUsage;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.monitor.SessionActivity;
import org.namdb.sql.engine.monitor.StatementStatistics;
import org.namdb.timestamp.TimestampVectorState;

/// The metrics of a process, read when they are requested. Names, units and kinds are as Prometheus
/// wants them: a counter's name gets `_total`.
final class Metrics {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SqlDatabase database;
    private final @Nullable SqlServer clients;

    /// @param clients null if the database has no server for clients
    Metrics(SqlDatabase database, @Nullable SqlServer clients) {
        this.database = database;
        this.clients = clients;
    }

    MetricSnapshots snapshots() {
        List<MetricSnapshot> all = new ArrayList<>();
        statements(all);
        transactions(all);
        memory(all);
        snapshots(all);
        sessions(all);
        return new MetricSnapshots(all);
    }

    private void statements(List<MetricSnapshot> into) {
        StatementStatistics statistics = database.statistics();
        into.add(
                counter(
                        "namdb_statements",
                        "Statements that have ended.",
                        (double) statistics.calls()));
        into.add(
                counter(
                        "namdb_statement_failures",
                        "Statements that have failed.",
                        (double) statistics.failures()));
        ClassicHistogramBuckets.Builder times = ClassicHistogramBuckets.builder();
        statistics.forEachBucket((nanos, count) ->
                times.bucket(
                        nanos == Long.MAX_VALUE
                                ? Double.POSITIVE_INFINITY
                                : nanos / NANOS_PER_SECOND,
                        count));
        into.add(
                HistogramSnapshot.builder()
                        .name("namdb_statement_seconds")
                        .help("The time of statements, from their start to their end.")
                        .dataPoint(
                                HistogramDataPointSnapshot.builder()
                                        .classicHistogramBuckets(times.build())
                                        .sum(statistics.nanos() / NANOS_PER_SECOND)
                                        .build())
                        .build());
    }

    private void transactions(List<MetricSnapshot> into) {
        TransactionStatistics statistics = database.engine().transactions();
        Map<String, Double> outcomes = new LinkedHashMap<>();
        for (AbortCause cause : AbortCause.values()) {
            double count = statistics.outcomes().getOrDefault(cause, 0L);
            outcomes.put(cause.toString().replace(' ', '_'), count);
        }
        into.add(
                counters(
                        "namdb_transactions",
                        "Attempts to run a transaction, by how they have ended.",
                        "outcome",
                        outcomes));
        Map<String, Double> conflicts = new LinkedHashMap<>();
        statistics.conflicts().forEach((table, count) -> conflicts.put(table, (double) count));
        into.add(
                counters(
                        "namdb_write_conflicts",
                        "Attempts that have lost a conflict, by the table of its record.",
                        "table",
                        conflicts));
        into.add(
                counter(
                        "namdb_transaction_retries",
                        "Attempts that were made again, after a conflict.",
                        (double) statistics.retries()));
        VerbTally verbs = statistics.verbs();
        into.add(
                counters(
                        "namdb_verbs",
                        "One-sided and two-sided verbs that were posted.",
                        "verb",
                        Map.of(
                                "read", (double) verbs.reads(),
                                "write", (double) verbs.writes(),
                                "cas", (double) verbs.compareAndSwaps(),
                                "faa", (double) verbs.fetchAndAdds(),
                                "send", (double) verbs.sends())));
        into.add(
                counter(
                        "namdb_verb_bytes",
                        "Bytes that verbs have moved.",
                        (double) verbs.bytes()));
        into.add(
                counter(
                        "namdb_round_trips",
                        "How often something was waited for that verbs do.",
                        (double) verbs.roundTrips()));
    }

    private void memory(List<MetricSnapshot> into) {
        NamDb engine = database.engine();
        List<ServerUsage> servers = engine.usage();
        into.add(
                byServer(
                        "namdb_memory_used_bytes",
                        "What a memory server has handed out.",
                        servers,
                        ServerUsage::usedBytes));
        into.add(
                byServer(
                        "namdb_memory_size_bytes",
                        "The size of a memory server's region.",
                        servers,
                        ServerUsage::regionBytes));
        into.add(
                gauge(
                        "namdb_old_version_bytes",
                        "Old versions that are kept, and the space that is kept for them.",
                        (double) engine.oldVersionBytes()));
    }

    private void snapshots(List<MetricSnapshot> into) {
        TimestampVectorState state = database.engine().timestampVector();
        into.add(
                gauge(
                        "namdb_slots_used",
                        "Slots of the timestamp vector that have an owner, in the whole cluster.",
                        state.slotsInUse()));
        into.add(gauge("namdb_slots", "Slots of the timestamp vector, in all.", state.slots()));
        into.add(
                gauge(
                        "namdb_snapshots_behind",
                        "Members of the snapshot chain that are newer than the low watermark: old"
                                + " versions are kept for them.",
                        (double) state.behind()));
        long now = database.engine().options().host().nanoTime();
        long oldest =
                database.activities().stream()
                        .mapToLong(SessionActivity::transactionNanos)
                        .filter(began -> began != 0)
                        .map(began -> now - began)
                        .max()
                        .orElse(0);
        into.add(
                gauge(
                        "namdb_oldest_transaction_seconds",
                        "How long the oldest open transaction of this process has been open.",
                        Math.max(0, oldest) / NANOS_PER_SECOND));
    }

    private void sessions(List<MetricSnapshot> into) {
        Collection<SessionActivity> open = database.activities();
        Map<String, Double> states = new LinkedHashMap<>();
        for (SessionActivity.State state : SessionActivity.State.values()) {
            double count = open.stream().filter(each -> each.state() == state).count();
            states.put(state.toString(), count);
        }
        GaugeSnapshot.Builder builder =
                GaugeSnapshot.builder().name("namdb_sessions").help("Sessions, by what they do.");
        states.forEach((state, count) -> builder.dataPoint(gaugeOf(count, "state", state)));
        into.add(builder.build());
        SqlServer server = clients;
        if (server != null) {
            into.add(
                    gauge(
                            "namdb_connections",
                            "Clients that are connected.",
                            server.connectionCount()));
            into.add(
                    gauge(
                            "namdb_engine_sessions_used",
                            "Engine sessions that run a statement or an open block.",
                            server.usedSessions()));
        }
    }

    private static CounterSnapshot counter(String name, String help, double value) {
        return CounterSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(CounterDataPointSnapshot.builder().value(value).build())
                .build();
    }

    private static CounterSnapshot counters(
            String name, String help, String label, Map<String, Double> values) {
        CounterSnapshot.Builder builder = CounterSnapshot.builder().name(name).help(help);
        values.forEach((is, value) ->
                builder.dataPoint(
                        CounterDataPointSnapshot.builder()
                                .labels(Labels.of(label, is))
                                .value(value)
                                .build()));
        return builder.build();
    }

    private static GaugeSnapshot gauge(String name, String help, double value) {
        return GaugeSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
                .build();
    }

    private static GaugeDataPointSnapshot gaugeOf(double value, String label, String is) {
        return GaugeDataPointSnapshot.builder().labels(Labels.of(label, is)).value(value).build();
    }

    private static GaugeSnapshot byServer(
            String name, String help, List<ServerUsage> servers, ToLongFunction<ServerUsage> what) {
        GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(name).help(help);
        for (int server = 0; server < servers.size(); server++) {
            builder.dataPoint(
                    gaugeOf(
                            (double) what.applyAsLong(servers.get(server)),
                            "server",
                            Integer.toString(server)));
        }
        return builder.build();
    }
}
