package org.namdb.tpcc;

import static org.namdb.workload.OptionCheck.range;
import static org.namdb.workload.OptionCheck.require;

import java.util.List;
import org.namdb.workload.InvalidOptionException;

/// Reports what is wrong with the options that only TPC-C has, in one sentence that names the
/// option.
final class TpccOptionCheck {
    /// Options that have no effect without a run.
    private static final List<String> OF_A_RUN =
            List.of(
                    "--no-load",
                    "--threads",
                    "--duration",
                    "--warmup",
                    "--transactions",
                    "--out",
                    "--mix",
                    "--think-times",
                    "--rate",
                    "--distribution",
                    "--item-skew",
                    "--seed");

    private final TpccOptions options;

    TpccOptionCheck(TpccOptions options) {
        this.options = options;
    }

    /// @throws InvalidOptionException if an option makes no sense
    void options() {
        require(
                !options.checksOnly() || options.outlastsRun(),
                "--check is about a database that is there already, so it needs --cluster or"
                        + " --data");
        if (options.checksOnly()) {
            for (String option : OF_A_RUN) {
                require(
                        !options.isGiven(option),
                        "%s is about running transactions, but --check runs none",
                        option);
            }
        }
        require(
                options.engine() == null || options.data() == null && options.history() == null,
                "--engine goes neither with --data nor with --history: its tuples are in memory"
                        + " alone, and have no versions");
        input();
    }

    /// Whether what is run can be run on what is loaded.
    void input() {
        if (options.distributionPercent().isPresent()) {
            int percent = options.distributionPercent().getAsInt();
            range("--distribution", percent, 0, 100);
            require(
                    percent == 0 || options.scale().warehouses() > 1,
                    "--distribution %d needs a second warehouse, but there is only one",
                    percent);
        }
        require(
                options.rateTps().isEmpty() || !options.thinkTimes(),
                "--rate and --think-times both say when a transaction begins, so give one of"
                        + " them");
    }
}
