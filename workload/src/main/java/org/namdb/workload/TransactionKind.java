package org.namdb.workload;

/// A kind of transaction of a benchmark: results distinguish the kinds. An enum implements it.
public interface TransactionKind {
    /// Its number among the benchmark's kinds, from 0.
    int index();

    /// The name that people and result files use.
    String label();
}
