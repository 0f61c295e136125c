package org.namdb.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.compute.NamDb;
import org.namdb.fabric.FabricException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `nam compute-server`: a compute server of a cluster, until it is ended.
///
/// Exit status: 0 if it was ended, 1 if it could not be attached, or has lost its place in
/// the cluster.
@Command(
        name = "compute-server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs a compute server of a cluster until it is ended, by SIGTERM or Ctrl-C.",
            "",
            "It waits for the memory servers, takes part in the upkeep, and cleans up after compute servers that die."
        })
final class ComputeServerCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ConfigOptions options;

    @Option(names = "--print-config", description = "Show all settings and where each is from.")
    private boolean isPrinted;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (isPrinted) {
            out.print(options.settings().describe());
            out.flush();
            return 0;
        }
        NamDb db;
        try {
            db = NamDb.connect(options.config());
        } catch (ConfigException
                | FabricException
                | MembershipException
                | IllegalStateException e) {
            return failed(String.valueOf(e.getMessage()));
        }
        int servers = db.usage().size();
        String ready =
                "compute server %d is ready, with %d memory server%s"
                        .formatted(db.process(), servers, servers == 1 ? "" : "s");
        if (ServerLife.live(out, ready, () -> close(db), db::isLost)) {
            return 0;
        }
        return failed(db.loss() + "; start it again");
    }

    /// Says what went wrong at once: when it is closed, the JVM ends.
    private void close(NamDb db) {
        try {
            db.close();
        } catch (FabricException e) {
            if (!db.isLost()) {
                int _ = failed("what it held is left for others to clean up: " + e.getMessage());
            }
        }
    }

    private int failed(String why) {
        spec.commandLine().getErr().println("nam compute-server: " + why);
        return 1;
    }
}
