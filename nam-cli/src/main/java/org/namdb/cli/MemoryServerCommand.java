package org.namdb.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.cluster.config.ConfigException;
import org.namdb.fabric.FabricException;
import org.namdb.memory.process.MemoryProcess;
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
            "It starts empty, and what it holds is gone at its end. It may be started before or after all others."
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
        MemoryProcess server;
        try {
            server = MemoryProcess.start(options.config(), number);
        } catch (ConfigException | FabricException e) {
            spec.commandLine().getErr().println("nam memory-server: " + e.getMessage());
            return 1;
        }
        String ready =
                "memory server %d is ready at %s, with %s in pages of %s"
                        .formatted(
                                number,
                                server.address(),
                                ByteSize.describe(server.region().bytes()),
                                ByteSize.describe(server.pageBytes()));
        boolean _ = ServerLife.live(out, ready, server::close, () -> false);
        return 0;
    }
}
