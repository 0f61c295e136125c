package org.namdb.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.membership.EmbeddedZooKeeper;
import org.namdb.cluster.membership.MembershipException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `nam zookeeper`: ZooKeeper for a cluster on one machine, which `nam cluster up` starts.
@Command(
        name = "zookeeper",
        mixinStandardHelpOptions = true,
        hidden = true,
        description = "Runs a ZooKeeper server for a cluster on this machine until it is ended.")
final class ZooKeeperCommand implements Callable<Integer> {
    private static final Duration TICK = Duration.ofMillis(250);

    @Spec private CommandSpec spec;

    @Option(names = "--directory", required = true, paramLabel = "DIR", description = "Its data.")
    private Path directory;

    @Option(
            names = "--address",
            required = true,
            paramLabel = "HOST:PORT",
            converter = AddressConverter.class,
            description = "Where it listens.")
    private HostPort address;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try {
            EmbeddedZooKeeper server = new EmbeddedZooKeeper(directory, address, TICK);
            String ready = "ZooKeeper is ready at " + server.address();
            boolean _ = ServerLife.live(out, ready, server::close, () -> false);
            return 0;
        } catch (MembershipException e) {
            spec.commandLine().getErr().println("nam zookeeper: " + e.getMessage());
            return 1;
        }
    }

    /// Reads `host:port`.
    static final class AddressConverter implements ITypeConverter<HostPort> {
        @Override
        public HostPort convert(String text) {
            try {
                return HostPort.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
