package org.namdb.tpcc.driver;

import java.util.ArrayList;
import java.util.List;
import org.namdb.tpcc.Scale;

/// Where a person would sit: bound to a district of a warehouse (clause 2.8.1.1).
///
/// @param warehouse the home warehouse
/// @param district the district of StockLevel
public record Terminal(int warehouse, int district) {
    /// The terminals of one of several threads. With as many warehouses as threads, or more, a
    /// warehouse's terminals have one thread. With fewer, threads share warehouses, and with fewer
    /// terminals than threads even those.
    public static List<Terminal> ofThread(Scale scale, int thread, int threads) {
        List<Terminal> terminals = new ArrayList<>();
        boolean byWarehouse = threads <= scale.warehouses();
        for (int terminal = 0; terminal < scale.districts(); terminal++) {
            int part = byWarehouse ? terminal / Scale.DISTRICTS : terminal;
            if (part % threads == thread % scale.districts()) {
                terminals.add(at(terminal));
            }
        }
        return terminals;
    }

    private static Terminal at(int terminal) {
        return new Terminal(terminal / Scale.DISTRICTS + 1, terminal % Scale.DISTRICTS + 1);
    }
}
