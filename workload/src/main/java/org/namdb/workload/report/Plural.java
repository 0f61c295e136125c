package org.namdb.workload.report;

/// Numbers of things in words.
final class Plural {
    private Plural() {}

    /// As in `1 thread` or `4 warehouses`.
    static String of(long number, String thing) {
        return Figures.count(number) + " " + thing + (number == 1 ? "" : "s");
    }
}
