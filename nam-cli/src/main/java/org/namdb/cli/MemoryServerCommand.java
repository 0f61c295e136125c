package org.namdb.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import org.namdb.compute.DurableMemoryServer;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.journal.JournalException;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.disk.DiskException;
import org.namdb.memory.process.MemoryProcess;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.workload.report.RecoveryBar;
import org.namdb.workload.report.TextStyle;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `nam memory-server`: one of a cluster's memory servers, until it is ended.
@Command(
        name = "memory-server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs one of a cluster's memory servers until it is ended, by SIGTERM or Ctrl-C.",
            "",
            "It starts empty, and what it holds is gone at its end, unless it has a data directory (memory-servers[].data)."
                    + " It may be started before or after all others; with data directories, number 0 is ready when"
                    + " all are there, and the database is recovered."
        })
final class MemoryServerCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ConfigOptions options;

    @Option(
            names = {"-n", "--number"},
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Which of the configuration's memory servers, from 0 (default: ${DEFAULT-VALUE}).")
    private int number;

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
        try {
            ClusterConfig config = options.config();
            while (!hasEnded(config)) {
                spec.commandLine()
                        .getErr()
                        .println(
                                "nam memory-server: a memory server has died or was restarted: this one "
                                        + LocalCluster.RESTARTS
                                        + ", and the database is recovered from the data directories");
            }
            return 0;
        } catch (ConfigException
                | DiskException
                | FabricException
                | JournalException
                | JournalFullException
                | MemoryFullException e) {
            spec.commandLine().getErr().println("nam memory-server: " + e.getMessage());
            return 1;
        }
    }

    /// Starts it, and serves until it is ended.
    ///
    /// @return false if it has to restart with empty memory
    private boolean hasEnded(ClusterConfig config) {
        MemoryProcess server = MemoryProcess.start(config, number);
        Path data = config.memoryServers().get(number).data();
        String ready =
                "memory server %d is ready at %s, with %s in pages of %s"
                        .formatted(
                                number,
                                server.address(),
                                ByteSize.describe(server.region().bytes()),
                                ByteSize.describe(server.pageBytes()));
        PrintWriter out = spec.commandLine().getOut();
        if (data == null) {
            return ServerLife.live(out, ready, server::close, () -> false);
        }
        DurableMemoryServer kept = DurableMemoryServer.open(config, number, server, data);
        return (number != 0 || isRecovered(kept, config))
                && ServerLife.live(out, ready, kept::close, kept::isOver);
    }

    /// Recovers the database of all memory servers; closes this one if that fails.
    private boolean isRecovered(DurableMemoryServer kept, ClusterConfig config) {
        RecoveryBar bar = new RecoveryBar(spec.commandLine().getErr(), TextStyle.ofStandardError());
        boolean isRecovered = false;
        try {
            isRecovered = kept.recover(config, bar);
            return isRecovered;
        } finally {
            if (!isRecovered) {
                bar.clear();
                new FirstFailure().attempt(kept::close);
            }
        }
    }
}
