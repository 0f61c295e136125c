package org.namdb.benchmarks;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The results of a run of JMH, as it writes them (`-rf json`). The score of a benchmark with its
/// parameters is the least iteration of a fork, since others on the machine can only add to it, and
/// the median of the forks, since one JVM compiles better than another.
final class Scores {
    private final Map<String, Double> scores = new HashMap<>();

    private Scores() {}

    /// @throws tools.jackson.core.JacksonException if the file can't be read
    static Scores read(Path file) {
        Scores read = new Scores();
        for (JsonNode result : JsonMapper.shared().readTree(file)) {
            String name = result.get("benchmark").asString();
            Map<String, String> parameters = new HashMap<>();
            JsonNode given = result.path("params");
            for (String parameter : given.propertyNames()) {
                parameters.put(parameter, given.get(parameter).asString());
            }
            read.scores.put(
                    key(name.substring(name.lastIndexOf('.') + 1), parameters), score(result));
        }
        return read;
    }

    /// The score of a benchmark, in its unit.
    ///
    /// @throws NoSuchElementException if it was not run
    double of(String benchmark, Map<String, String> parameters) {
        Double score = scores.get(key(benchmark, parameters));
        if (score == null) {
            throw new NoSuchElementException(
                    benchmark + " was not run with " + new TreeMap<>(parameters));
        }
        return score;
    }

    private static String key(String benchmark, Map<String, String> parameters) {
        return benchmark + new TreeMap<>(parameters);
    }

    private static double score(JsonNode result) {
        double[] least =
                stream(result.get("primaryMetric").get("rawData"))
                        .mapToDouble(Scores::least)
                        .sorted()
                        .toArray();
        int half = least.length / 2;
        return least.length % 2 == 1 ? least[half] : (least[half - 1] + least[half]) / 2;
    }

    private static double least(JsonNode fork) {
        return stream(fork).mapToDouble(JsonNode::asDouble).min().orElseThrow();
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
