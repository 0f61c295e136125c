package org.namdb.cli;

import java.util.List;

/// What ScaleStore's text says of its figures; the values that the figures show are in no text. The
/// paper's cluster has 5 nodes with 28 processors, four disks and a cache of 150 GB each.
final class ScaleStoreQuotes {
    private ScaleStoreQuotes() {}

    /// What a figure shows.
    static String title(int figure) {
        return switch (figure) {
            case 6 -> "accesses to one page, and to many, by one thread of each node";
            case 7 -> "scale-out of YCSB with a fixed number of records";
            case 8 -> "YCSB by the size of the data and the skew, reads only";
            case 9 -> "nodes change the parts of the data that they access";
            case 10 -> "nodes without disks join and leave";
            case 11 -> "YCSB on one node whose memory is too small (lower half)";
            default -> throw new IllegalArgumentException("figure " + figure);
        };
    }

    /// Sentences of the paper, each with its section.
    static List<String> of(int figure) {
        return switch (figure) {
            case 6 ->
                    List.of(
                            "\"in the contended scenario, anticipatory chaining achieves a 30% higher system"
                                    + " throughput. This is because we achieve fairness between all participating"
                                    + " nodes\" (3.4.3)",
                            "\"the latencies for anticipatory chaining are lower and the variance is significantly"
                                    + " smaller compared to the FIFO-queue approach\" (3.4.3)");
            case 7 ->
                    List.of(
                            "\"if only one node is used, the data does not fit in the cache (150 GB). From 2 nodes on,"
                                    + " however, the data can be fully cached\" (6.2)",
                            "\"When the workload is partitionable, SCALESTORE achieves its peak performance with 5"
                                    + " nodes of up to 50M ops/sec in the read-only workload and 20M ops/sec in the"
                                    + " update heavy workload. When the accesses are randomly spread across the cluster"
                                    + " SCALESTORE still scales and achieves around 15M ops/sec for read-only and 8M"
                                    + " ops/sec for the update heavy workload\" (6.2)",
                            "\"When looking at the speedup between single-node performance of 800K ops/sec and 5 nodes"
                                    + " we can observe that this is an increase between 10 and 60 times\" (6.2)");
            case 8 ->
                    List.of(
                            "\"with SCALESTORE we can gracefully bridge the latency cliff when data spills out from the"
                                    + " local to aggregated cluster memory and then to SSDs\" (6.3)",
                            "median and 99.9th percentile: 1.7 and 3.0 us in memory, 12.1 and 30.6 us in aggregated"
                                    + " memory, 79.3 and 178.8 us out of memory (6.3)",
                            "\"with a low skew of 1.2, SCALESTORE achieves around 22M ops/sec with a data set size of"
                                    + " 7.5 TB. The more locality the higher the performance resulting in around 85M"
                                    + " ops/sec with 1.4 skew\" (6.3)");
            case 9 ->
                    List.of(
                            "\"SCALESTORE recovers extremely fast already after a couple of seconds to the baseline"
                                    + " performance of 50M respectively 28M ops/sec\" (6.5)");
            case 10 ->
                    List.of(
                            "\"SCALESTORE leverages the additional compute resources and that performance scales."
                                    + " Overall, the adaptation happens in a few seconds after a new compute node has"
                                    + " been added\" (6.6)");
            case 11 ->
                    List.of(
                            "\"the data size is twice the in-memory capacity. Figure 11 (lower row) shows that both"
                                    + " systems perform nearly identical because both systems are I/O bound\" (6.7.2)");
            default -> throw new IllegalArgumentException("figure " + figure);
        };
    }
}
