package org.namdb.workload.report;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.AbortCause;
import org.namdb.workload.Benchmark;
import org.namdb.workload.TransactionKind;
import org.namdb.workload.statistics.AbortCounts;
import org.namdb.workload.statistics.LatencyHistogram;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.TimelinePoint;
import org.namdb.workload.statistics.TypeStatistics;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A result as JSON. Names end in their unit; verbs, bytes and round trips are averages of a
/// transaction.
final class ResultJson {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ResultJson() {}

    static String of(RunResult result) {
        ObjectNode root = MAPPER.createObjectNode();
        RunStatistics statistics = result.statistics();
        Benchmark benchmark = result.benchmark();
        root.put("benchmark", benchmark.name());
        root.put("passed", result.passed());
        root.put("ended", result.end().field());
        Benchmark.Measure measure = benchmark.measure();
        if (measure != null) {
            root.put(measure.name(), Figures.rounded(statistics.of(measure), 1));
        }
        root.put("tps", Figures.rounded(statistics.tps(), 1));
        root.put("elapsedSeconds", Figures.rounded(statistics.elapsedSeconds(), 3));
        putTypes(root.putObject("types"), benchmark, statistics);
        root.put("lateStarts", statistics.lateStarts());
        result.counts().fields().forEach(root::put);
        putConditions(root, result);
        putLoad(root.putObject("load"), result.load());
        MemoryFacts memory = result.memory();
        root.put(
                "growthBytesPer" + capitalized(benchmark.growthUnit()),
                Figures.rounded(memory.growthBytesPerTransaction(), 1));
        putMemory(root.putObject("memory"), memory);
        putDatabase(root.putObject("database"), result.database());
        putFacts(root.putObject("options"), OptionFacts.of(result.options()));
        putFacts(root.putObject("machine"), OptionFacts.of(result.machine()));
        ArrayNode timeline = root.putArray("timeline");
        statistics.timeline().forEach(point -> putPoint(timeline.addObject(), point, measure));
        return MAPPER.writeValueAsString(root) + "\n";
    }

    private static void putTypes(ObjectNode types, Benchmark benchmark, RunStatistics statistics) {
        for (TransactionKind kind : benchmark.kinds()) {
            TypeStatistics counted = statistics.type(kind);
            ObjectNode node = types.putObject(kind.label());
            node.put("count", counted.count());
            node.put("committed", counted.committed());
            node.put("rolledBack", counted.rolledBack());
            node.put("givenUp", counted.givenUp());
            node.put("tps", Figures.rounded(statistics.perSecond(counted), 1));
            node.put("retries", counted.retries());
            ObjectNode aborts = node.putObject("aborts");
            AbortCounts.CAUSES.forEach(
                    cause -> aborts.put(field(cause), counted.aborts().of(cause)));
            putLatency(node, counted.latency());
            node.put("verbs", Figures.rounded(counted.verbsPerTransaction(), 2));
            node.put("bytes", Figures.rounded(counted.bytesPerTransaction(), 1));
            node.put("roundTrips", Figures.rounded(counted.roundTripsPerTransaction(), 2));
        }
    }

    /// `WRITE_CONFLICT` as `writeConflict`.
    private static String field(AbortCause cause) {
        StringBuilder field = new StringBuilder();
        for (String word : cause.name().split("_", -1)) {
            String lower = word.toLowerCase(Locale.ROOT);
            field.append(field.isEmpty() ? lower : word.charAt(0) + lower.substring(1));
        }
        return field.toString();
    }

    private static String capitalized(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    private static void putLatency(ObjectNode node, LatencyHistogram latency) {
        node.put("meanMicros", Figures.rounded(latency.meanMicros(), 1));
        node.put("p50Micros", Figures.rounded(latency.percentileMicros(50), 1));
        node.put("p95Micros", Figures.rounded(latency.percentileMicros(95), 1));
        node.put("p99Micros", Figures.rounded(latency.percentileMicros(99), 1));
        node.put("p999Micros", Figures.rounded(latency.percentileMicros(99.9), 1));
        node.put("maxMicros", Figures.rounded(latency.maxMicros(), 1));
    }

    private static void putConditions(ObjectNode root, RunResult result) {
        ObjectNode conditions = root.putObject("conditions");
        ObjectNode differences = root.putObject("differences");
        for (CheckedCondition condition : result.conditions()) {
            String clause = condition.clause();
            conditions.put(clause, condition.holds());
            if (!condition.holds()) {
                ObjectNode node = differences.putObject(clause);
                node.put("count", condition.differences());
                ArrayNode examples = node.putArray("examples");
                condition.examples().forEach(examples::add);
            }
        }
        root.put("checkSeconds", Figures.rounded(result.checkSeconds(), 3));
    }

    private static void putLoad(ObjectNode node, LoadFacts load) {
        String units = load.unit() + "s";
        node.put(units, load.size());
        node.put("rows", load.rows());
        node.put("seconds", Figures.rounded(load.seconds(), 3));
        node.put(units + "PerSecond", Figures.rounded(load.unitsPerSecond(), 2));
        node.put("regionBytes", load.regionBytes());
        node.put(
                "regionBytesPer" + capitalized(load.unit()), Math.round(load.regionBytesPerUnit()));
    }

    private static void putDatabase(ObjectNode node, DatabaseFacts database) {
        if (database.cluster() != null) {
            node.put("cluster", database.cluster().toString());
        }
        node.put("memoryServers", database.memoryServers());
        node.put("memoryBytes", database.memoryBytes());
        node.put("computeServer", database.computeServer());
    }

    private static void putMemory(ObjectNode node, MemoryFacts memory) {
        node.put("loadedBytes", memory.loadedBytes());
        node.put("endBytes", memory.endBytes());
        node.put(
                "allocatedBytesPerTransaction",
                Figures.rounded(memory.allocatedBytesPerTransaction(), 2));
    }

    private static void putFacts(ObjectNode node, Map<String, Object> facts) {
        facts.forEach((name, value) -> node.set(name, MAPPER.valueToTree(value)));
    }

    private static void putPoint(
            ObjectNode node, TimelinePoint point, Benchmark.@Nullable Measure measure) {
        node.put("endSeconds", Figures.rounded(point.endSeconds(), 3));
        node.put("warmup", point.warmup());
        node.put("tps", Figures.rounded(point.tps(), 1));
        if (measure != null) {
            node.put(measure.name(), Figures.rounded(point.of(measure), 1));
        }
        node.put("abortsPerSecond", Figures.rounded(point.abortsPerSecond(), 1));
        node.put("p99Micros", Figures.rounded(point.p99Micros(), 1));
        node.put("oldVersionBytes", point.oldVersionBytes());
    }
}
