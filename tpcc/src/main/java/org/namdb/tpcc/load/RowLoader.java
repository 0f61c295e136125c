package org.namdb.tpcc.load;

import org.namdb.compute.Transaction;
import org.namdb.tpcc.input.TpccRandom;

/// Inserts the rows of one kind; belongs to one thread.
interface RowLoader {
    /// Called before the first row of a part, for what its transactions have in common.
    default void start(LoadPart part, TpccRandom random) {}

    /// Inserts the rows that belong to a number.
    ///
    /// @return how many these are
    int insert(Transaction tx, TpccRandom random, LoadPart part, int number);
}
