package org.namdb.tpcc.report;

import java.util.Locale;
import java.util.Map;
import org.namdb.compute.commit.AbortCause;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.statistics.AbortCounts;
import org.namdb.tpcc.statistics.LatencyHistogram;
import org.namdb.tpcc.statistics.RunStatistics;
import org.namdb.tpcc.statistics.TimelinePoint;
import org.namdb.tpcc.statistics.TypeStatistics;
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

    static String of(TpccResult result) {
        ObjectNode root = MAPPER.createObjectNode();
        RunStatistics statistics = result.statistics();
        root.put("benchmark", "TPC-C");
        root.put("passed", result.passed());
        root.put("ended", result.end().field());
        root.put("tpmC", Figures.rounded(statistics.tpmC(), 1));
        root.put("tps", Figures.rounded(statistics.tps(), 1));
        root.put("elapsedSeconds", Figures.rounded(statistics.elapsedSeconds(), 3));
        putTypes(root.putObject("types"), statistics);
        root.put("lateStarts", statistics.lateStarts());
        root.put("ordersDelivered", statistics.ordersDelivered());
        root.put("districtsSkipped", statistics.districtsSkipped());
        putConditions(root, result);
        putLoad(root.putObject("load"), result.load());
        MemoryFacts memory = result.memory();
        root.put("growthBytesPerNewOrder", Figures.rounded(memory.growthBytesPerNewOrder(), 1));
        putMemory(root.putObject("memory"), memory);
        putDatabase(root.putObject("database"), result.database());
        putFacts(root.putObject("options"), OptionFacts.of(result.options()));
        putFacts(root.putObject("machine"), OptionFacts.of(result.machine()));
        ArrayNode timeline = root.putArray("timeline");
        statistics.timeline().forEach(point -> putPoint(timeline.addObject(), point));
        return MAPPER.writeValueAsString(root) + "\n";
    }

    private static void putTypes(ObjectNode types, RunStatistics statistics) {
        for (TransactionType type : TransactionType.all()) {
            TypeStatistics counted = statistics.type(type);
            ObjectNode node = types.putObject(type.label());
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

    private static void putLatency(ObjectNode node, LatencyHistogram latency) {
        node.put("meanMicros", Figures.rounded(latency.meanMicros(), 1));
        node.put("p50Micros", Figures.rounded(latency.percentileMicros(50), 1));
        node.put("p95Micros", Figures.rounded(latency.percentileMicros(95), 1));
        node.put("p99Micros", Figures.rounded(latency.percentileMicros(99), 1));
        node.put("p999Micros", Figures.rounded(latency.percentileMicros(99.9), 1));
        node.put("maxMicros", Figures.rounded(latency.maxMicros(), 1));
    }

    private static void putConditions(ObjectNode root, TpccResult result) {
        ObjectNode conditions = root.putObject("conditions");
        ObjectNode differences = root.putObject("differences");
        for (ConditionResult condition : result.conditions()) {
            String clause = condition.condition().clause();
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
        node.put("warehouses", load.warehouses());
        node.put("rows", load.rows());
        node.put("seconds", Figures.rounded(load.seconds(), 3));
        node.put("warehousesPerSecond", Figures.rounded(load.warehousesPerSecond(), 2));
        node.put("regionBytes", load.regionBytes());
        node.put("regionBytesPerWarehouse", Math.round(load.regionBytesPerWarehouse()));
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

    private static void putPoint(ObjectNode node, TimelinePoint point) {
        node.put("endSeconds", Figures.rounded(point.endSeconds(), 3));
        node.put("warmup", point.warmup());
        node.put("tps", Figures.rounded(point.tps(), 1));
        node.put("tpmC", Figures.rounded(point.tpmC(), 1));
        node.put("abortsPerSecond", Figures.rounded(point.abortsPerSecond(), 1));
        node.put("p99Micros", Figures.rounded(point.p99Micros(), 1));
        node.put("oldVersionBytes", point.oldVersionBytes());
    }
}
