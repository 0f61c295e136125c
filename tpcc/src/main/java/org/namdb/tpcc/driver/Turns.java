package org.namdb.tpcc.driver;

import org.namdb.tpcc.TransactionType;

/// Which of a thread's terminals runs which transaction next.
interface Turns {
    /// Chooses the next transaction.
    void next();

    /// The terminal that was chosen.
    Terminal terminal();

    /// The type that was chosen.
    TransactionType type();
}
