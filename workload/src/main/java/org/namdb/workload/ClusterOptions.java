package org.namdb.workload;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Whether a run makes a database in its own process or uses that of a cluster.
public final class ClusterOptions {
    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            description =
                    "Run on the cluster that this file describes, while others use it, too, and load"
                            + " what is missing there (default: a database in this process).")
    private @Nullable Path file;

    @Option(
            names = "--no-load",
            description = "With --cluster: load nothing, but run on what is there.")
    private boolean noLoad;

    /// The file that describes the cluster, or null for a database in this process.
    public @Nullable Path file() {
        return file;
    }

    /// Whether there is one.
    public boolean isChosen() {
        return file != null;
    }

    /// Whether nothing is loaded.
    public boolean loadsNothing() {
        return noLoad;
    }
}
