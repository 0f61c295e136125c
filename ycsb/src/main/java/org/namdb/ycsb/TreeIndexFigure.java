package org.namdb.ycsb;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.namdb.mvcc.schema.IndexDefinition;

/// The figures of the tree-index paper's evaluation (section 6 and appendix A), and what is run for
/// each.
@SuppressWarnings("ImmutableEnumChecker") // the lists are copies, and records of strings
public enum TreeIndexFigure {
    FIGURE_7(
            "throughput of workloads A and B, skewed data",
            Horizontal.CLIENTS,
            Measure.OPERATIONS,
            List.of(true),
            Load.READING,
            Design.ALL,
            "\"the hybrid scheme has the highest throughput in (almost) all cases. Only for lower"
                    + " loads (i.e., <= 20 clients), the coarse-grained outperforms the hybrid"
                    + " scheme minimally\" (6.1)",
            "\"the throughput of the coarse-grained scheme for skewed data (Figure 7) is approx."
                    + " 20% below uniform data (Figure 8)\" (6.1)",
            "\"the fine-grained approach performs almost as good as the hybrid scheme except for"
                    + " point queries\" (6.1)"),
    FIGURE_8(
            "throughput of workloads A and B, uniform data",
            Horizontal.CLIENTS,
            Measure.OPERATIONS,
            List.of(false),
            Load.READING,
            Design.ALL,
            "\"For scenarios with moderate and higher loads (i.e., > 20 clients), the hybrid scheme"
                    + " clearly outperforms the coarse-grained scheme\", as \"the memory servers"
                    + " becomes CPU bound with more than 20 clients\" (6.1)"),
    FIGURE_9(
            "network utilization of workloads A and B, skewed data",
            Horizontal.CLIENTS,
            Measure.BYTES,
            List.of(true),
            Load.READING,
            Design.ALL,
            "\"fine-grained scheme [..] is less network efficient for point queries as the hybrid"
                    + " and the coarse-grained scheme\" (6.1)",
            "\"in the case of s = 0.001, fine- and coarse-grained need to transfer approx. 1600"
                    + " pages [..] for a data size of 100M\", and the fine-grained one 4 pages more,"
                    + " as \"the index height is only 4\" (6.1)"),
    FIGURE_10(
            "throughput by the size of the data, uniform data, workloads A and B",
            Horizontal.RECORDS,
            Measure.OPERATIONS,
            List.of(false),
            List.of(Load.POINTS, Load.RANGES_10),
            Design.ALL,
            "\"For point queries, [..] with increasing data size the throughput only drops minimally"
                    + " in all cases. However, for range queries we can see a significant drop for"
                    + " fine-grained and hybrid indexes\", which \"become network-bound\" (6.2)"),
    FIGURE_11(
            "throughput by the number of memory servers, workloads A and B",
            Horizontal.MEMORY_SERVERS,
            Measure.OPERATIONS,
            List.of(false, true),
            List.of(Load.POINTS, Load.RANGES_1),
            List.of(Design.FINE, Design.CACHED, Design.COARSE),
            "\"the fine-grained approach can make use of all memory servers for all workloads while"
                    + " the coarse-grained index only can benefit from an increased number of memory"
                    + " servers if data distribution is not skewed\" (6.2)"),
    FIGURE_12(
            "throughput of workloads C and D with inserts, uniform data",
            Horizontal.CLIENTS,
            Measure.OPERATIONS,
            List.of(false),
            List.of(new Load("C: 5 % inserts", "tree-c"), new Load("D: 50 % inserts", "tree-d")),
            Design.ALL,
            "\"the hybrid index is the most robust one and clearly outperforms coarse-grained\", and"
                    + " fine-grained \"with less than 140 clients. For higher loads the fine-grained"
                    + " scheme has a higher throughput\", as \"a higher load increases the wait time"
                    + " in the memory servers for spin locks\" (6.3)"),
    FIGURE_13(
            "latency of workloads A and B, skewed data",
            Horizontal.CLIENTS,
            Measure.LATENCY,
            List.of(true),
            Load.READING,
            Design.ALL,
            Quotes.LATENCY),
    FIGURE_14(
            "latency of workloads A and B, uniform data",
            Horizontal.CLIENTS,
            Measure.LATENCY,
            List.of(false),
            Load.READING,
            Design.ALL,
            Quotes.LATENCY),
    FIGURE_15(
            "throughput with a memory server beside the compute server, uniform data, workloads A"
                    + " and B",
            Horizontal.CO_LOCATION,
            Measure.OPERATIONS,
            List.of(false),
            Load.READING,
            List.of(Design.FINE, Design.CACHED, Design.COARSE),
            "\"all workloads (point and range queries) have a similar relative gain\", as \"25% of"
                    + " the memory accesses required by index lookups can be executed locally\"; \"under"
                    + " co-location point queries can achieve the highest throughput using the"
                    + " coarse-grained scheme. For range queries, the fine-grained scheme has still"
                    + " the highest throughput\" (A.3)");

    private static final int FIRST = 7;

    private static final class Quotes {
        static final String LATENCY =
                "\"the latency of the coarse-grained index is best for a low load (< 20 clients)."
                        + " [..] for high load scenarios the fine-grained or the hybrid scheme show"
                        + " smaller latencies\" (A.2)";
    }

    /// What the places of a plot differ in.
    enum Horizontal {
        CLIENTS("clients"),
        RECORDS("records"),
        MEMORY_SERVERS("memory servers"),
        CO_LOCATION("memory servers without a cable");

        final String label;

        Horizontal(String label) {
            this.label = label;
        }
    }

    /// What is measured.
    enum Measure {
        OPERATIONS("operations/s"),
        BYTES("MB/s"),
        LATENCY("mean µs");

        final String label;

        Measure(String label) {
            this.label = label;
        }
    }

    /// What is run.
    ///
    /// @param options in addition to those that all have
    record Load(String name, String workload, String options) {
        static final Load POINTS = new Load("A: point queries", "tree-a");
        static final Load RANGES_1 = ranges("0.01");
        static final Load RANGES_10 = ranges("0.1");
        static final List<Load> READING = List.of(POINTS, ranges("0.001"), RANGES_1, RANGES_10);

        Load(String name, String workload) {
            this(name, workload, "");
        }

        private static Load ranges(String selectivity) {
            return new Load(
                    "B: ranges of " + selectivity, "tree-b", "--selectivity " + selectivity);
        }
    }

    /// How the index is distributed.
    ///
    /// @param isByRange whether it is divided by ranges of keys, as the paper's, which skew needs
    record Design(String name, String distribution, boolean isByRange, boolean isCached) {
        /// The paper's, which copies no inner nodes.
        static final Design FINE =
                new Design("fine, no copies", IndexDefinition.FINE, false, false);

        /// What is usual here.
        static final Design CACHED = new Design("fine", IndexDefinition.FINE, false, true);

        static final Design COARSE = new Design("coarse", IndexDefinition.COARSE, true, true);
        static final Design HYBRID = new Design("hybrid", IndexDefinition.HYBRID, true, true);
        static final List<Design> ALL = List.of(FINE, CACHED, COARSE, HYBRID);

        /// The properties of the index.
        ///
        /// @param memoryServers how many there are
        Map<String, String> properties(int memoryServers, boolean isSkewed) {
            Map<String, String> properties = new LinkedHashMap<>();
            properties.put(IndexDefinition.DISTRIBUTION, distribution);
            if (!isCached) {
                properties.put(IndexDefinition.CACHE_BYTES, "0");
            }
            if (isByRange) {
                properties.put(IndexDefinition.PARTITION, IndexDefinition.BY_RANGE);
                if (isSkewed) {
                    properties.put(IndexDefinition.SHARES, shares(memoryServers));
                }
            }
            return properties;
        }

        /// 80 % for the first one; of four servers as in section 6.1, else the others are equal.
        private static String shares(int memoryServers) {
            if (memoryServers == 4) {
                return "80,12,5,3";
            }
            return IntStream.range(0, memoryServers)
                    .map(server -> server == 0 ? 80 * Math.max(1, memoryServers - 1) : 20)
                    .mapToObj(String::valueOf)
                    .collect(Collectors.joining(","));
        }
    }

    final String title;
    final Horizontal horizontal;
    final Measure measure;

    /// With which data it is measured.
    final List<Boolean> skews;

    final List<Load> loads;
    final List<Design> designs;
    final List<String> quotes;

    TreeIndexFigure(
            String title,
            Horizontal horizontal,
            Measure measure,
            List<Boolean> skews,
            List<Load> loads,
            List<Design> designs,
            String... quotes) {
        this.title = title;
        this.horizontal = horizontal;
        this.measure = measure;
        this.skews = skews;
        this.loads = loads;
        this.designs = designs;
        this.quotes = List.of(quotes);
    }

    /// Its number in the paper.
    public int number() {
        return FIRST + ordinal();
    }

    /// What it shows.
    public String title() {
        return title;
    }

    /// The numbers of all of them, in order.
    public static List<Integer> numbers() {
        List<Integer> numbers = new ArrayList<>();
        for (TreeIndexFigure figure : values()) {
            numbers.add(figure.number());
        }
        return numbers;
    }

    /// The figure of a number among [#numbers].
    public static TreeIndexFigure of(int number) {
        return values()[number - FIRST];
    }
}
