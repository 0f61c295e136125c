package org.namdb.tpcc;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Whether a run makes a database in its own process or uses that of a cluster, and what it does to
/// what is there.
public final class ClusterOptions {
    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            description =
                    "Run on the cluster that this file describes, beside others that use it, and load"
                            + " what is missing there (default: a database in this process).")
    private @Nullable Path file;

    @Option(
            names = "--no-load",
            description = "With --cluster: load nothing, but run on what is there.")
    private boolean noLoad;

    @Option(
            names = "--check",
            description =
                    "With --cluster: load and run nothing, only check the twelve conditions on what"
                            + " is there.")
    private boolean checkOnly;

    /// The file that describes the cluster, or null for a database in this process.
    public @Nullable Path file() {
        return file;
    }

    /// Whether there is one.
    public boolean isChosen() {
        return file != null;
    }

    /// Whether the run uses what is there, or nothing.
    public boolean loadsNothing() {
        return noLoad || checkOnly;
    }

    /// Whether the conditions are checked, and no transactions run.
    public boolean checksOnly() {
        return checkOnly;
    }
}
