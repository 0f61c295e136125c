package org.namdb.workload;

import java.util.List;

/// The transactions of a benchmark that there is not.
public enum SampleKind implements TransactionKind {
    READ("Read"),
    WRITE("Write"),
    SCAN("Scan");

    public static final Benchmark.Measure WRITES_PER_MINUTE =
            new Benchmark.Measure(WRITE, "wpm", "writes/min (wpm)", "writes", 60);

    private final String label;

    SampleKind(String label) {
        this.label = label;
    }

    /// A benchmark of all of them, without a measure of its own.
    public static Benchmark benchmark() {
        return new Benchmark(
                "Sample", List.of(values()), null, "record", "transaction", "both conditions");
    }

    @Override
    public int index() {
        return ordinal();
    }

    @Override
    public String label() {
        return label;
    }
}
