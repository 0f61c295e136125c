package org.namdb.workload.report;

import java.util.LinkedHashMap;
import java.util.Map;
import org.namdb.workload.RunOptions;

/// Options and machine by name, for result files.
final class OptionFacts {
    private static final double MILLIS_PER_SECOND = 1e3;

    private OptionFacts() {}

    /// Every option with its value; one that isn't given and has no default is left out.
    static Map<String, Object> of(RunOptions options) {
        Map<String, Object> facts = new LinkedHashMap<>();
        options.putSize(facts);
        facts.put("threads", options.threads());
        if (options.transactions().isPresent()) {
            facts.put("transactions", options.transactions().getAsLong());
        } else {
            facts.put("durationSeconds", options.duration().toMillis() / MILLIS_PER_SECOND);
        }
        facts.put("warmupSeconds", options.warmup().toMillis() / MILLIS_PER_SECOND);
        putInput(facts, options);
        putDatabase(facts, options);
        if (options.history() != null) {
            facts.put("historySample", options.historySample());
        }
        return facts;
    }

    private static void putDatabase(Map<String, Object> facts, RunOptions options) {
        facts.put("versions", options.versions());
        if (options.cluster().isChosen()) {
            facts.put("cluster", String.valueOf(options.cluster().file()));
        } else {
            facts.put("memoryServers", options.memoryServers());
            facts.put("vectorServers", options.vectorServers());
            facts.put("memoryBytes", options.memoryBytes());
            facts.put("slots", options.slots());
            facts.put("reads", options.reads().toString());
            if (options.data() != null) {
                facts.put("data", String.valueOf(options.data()));
                facts.put("durability", options.durability().toString());
            }
        }
        facts.put("oracle", options.oracle().toString());
        facts.put("stalenessMillis", options.staleness().toMillis());
    }

    private static void putInput(Map<String, Object> facts, RunOptions options) {
        facts.put("seed", options.seed());
        options.putInput(facts);
        options.rateTps().ifPresent(tps -> facts.put("rateTps", tps));
    }

    /// Where a run took place.
    static Map<String, Object> of(MachineFacts machine) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("processor", machine.processor());
        facts.put("processors", machine.processors());
        facts.put("memoryBytes", machine.memoryBytes());
        facts.put("operatingSystem", machine.operatingSystem());
        facts.put("java", machine.java());
        facts.put("version", machine.version());
        facts.put("time", machine.time());
        return facts;
    }
}
