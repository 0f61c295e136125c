package org.namdb.cli;

import java.util.List;

/// What SELCC's text says of its figures; the values that the figures show are in no text. The
/// paper's cluster has 8 compute servers with 16 processors each.
final class SelccQuotes {
    private SelccQuotes() {}

    /// What a figure shows.
    static String title(int figure) {
        return switch (figure) {
            case 12 -> "scalability over compute servers, by the share of lines that all use";
            case 13 -> "accesses with locality";
            case 14 -> "accesses with skew";
            case 15 -> "fairness";
            case 16 -> "memory servers with little computing power";
            case 17 -> "YCSB on a tree";
            case 18 -> "parts of the protocol left out";
            case 19 -> "TPC-C";
            default -> throw new IllegalArgumentException("figure " + figure);
        };
    }

    /// Sentences of the paper, each with its section.
    static List<String> of(int figure) {
        return switch (figure) {
            case 12 ->
                    List.of(
                            "\"Compared to the fully partitioned SELCC (0% shared ratio), the fully shared SELCC (100%"
                                    + " shared) shows a 37.7%/33.2% (8GB cache) performance degradation at 16 nodes in"
                                    + " write-intensive and write-only workloads\" (7.1.1)",
                            "\"Compared to the single compute node deployment, the 16-node SELCC increases throughput"
                                    + " by 10.4x/9.83x corresponding to the write-intensive and write-only workloads\""
                                    + " (7.1.1)");
            case 13 ->
                    List.of(
                            "\"Compared with SEL, due to the local cache, SELCC shows significant performance gains in"
                                    + " all workloads (Fig. 13a), with improvements of 1.85x/1.26x/1.71x at 64"
                                    + " threads\" (7.1.2)",
                            "lines of 512 B, 1, 2, 4 and 8 KB: 8.82, 7.70, 7.11, 5.81 and 4.30 million accesses/s, as"
                                    + " \"larger GCLs result in increased RDMA payloads\" (7.1.2)");
            case 14 ->
                    List.of(
                            "\"For read-intensive workloads, SELCC exhibits significant performance gains, achieving"
                                    + " throughput 3.09x over that of SEL at 64 threads\" (7.1.3)",
                            "\"for write-intensive and write-only workloads, SEL shows better performance than SELCC"
                                    + " initially when thread count is low\" (7.1.3)",
                            "\"As the thread count increases, SEL experiences significant performance degradation (over"
                                    + " 7x in write-intensive workloads)\" (7.1.3)");
            case 15 ->
                    List.of(
                            "\"prioritizing local ownership transfer (gamma=Inf) over global ownership transfer"
                                    + " (gamma=0) improves performance but reduces access fairness\" (7.1.3)",
                            "\"When no optimization is applied, the writer experiences starvation (Fig. 15 b). After"
                                    + " enabling spin-waiting, the writer is no longer blocked by the readers, but its"
                                    + " throughput remains substantially lower\" (7.1.3)");
            case 16 ->
                    List.of(
                            "\"the impact of remote computing power on the performance of RPC-based protocols is"
                                    + " significant, especially under stranded memory conditions, where the throughput"
                                    + " of ScaleStore is less than 0.3 Mops/s\" (7.1.4)");
            case 17 ->
                    List.of(
                            "uniform: \"The B-tree over SELCC outperforms that over SEL by factors of"
                                    + " 5.84x/4.99x/6.04x/6.34x\" (7.2.1)",
                            "skewed: \"The B-tree over SELCC outperforms both SEL and Sherman by factors of"
                                    + " 15.3x/14.6x/5.03x/11.8x and 2.89x/1.61x/1.66x/4.00x\" (7.2.2)");
            case 18 ->
                    List.of(
                            "\"enabling GCL Forwarding results in substantial improvements for write-only and"
                                    + " write-intensive workloads, with gains of 40% and 17%\" (7.2.3)",
                            "\"we activate the Batched Eviction [..] This optimization yields performance improvements"
                                    + " across all workloads (6%, 6%, 10%, and 17%, respectively)\" (7.2.3)",
                            "dynamic dirty boundaries: \"significantly boosts performance for pure-write and"
                                    + " write-intensive workloads by 11% and 12%\" (7.2.3)");
            case 19 ->
                    List.of(
                            "\"SELCC achieves up to 24.8x throughput with read-only transactions, 7.96x with update"
                                    + " transactions, and 4.29x in mixed scenarios\" (7.3.1)",
                            "\"Algorithm TO over SELCC exhibits poor performance in read-only transactions (T3 and T5)"
                                    + " because even read operations require updating the read timestamp\" (7.3.1)",
                            "\"OCC has slower performance than 2PL as it requires acquiring the SELCC latch for the GCL"
                                    + " twice per tuple\" (7.3.1)",
                            "\"the fully-shared SELCC that bypasses 2PC, remains unaffected by the distribution"
                                    + " ratio\" (7.3.2)");
            default -> throw new IllegalArgumentException("figure " + figure);
        };
    }
}
