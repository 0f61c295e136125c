package org.namdb.cli;

import java.util.Objects;
import org.namdb.sql.shell.ResultWriter;
import org.namdb.tpcc.TpccOptions;
import org.namdb.ycsb.YcsbOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The `nam` command. Its subcommands do the work; here are the entry point and what they share.
///
/// Exit status: 0 success, 1 failure, 2 wrong usage, 130 interrupted. Results go to standard
/// output, everything else to standard error.
@Command(
        name = "nam",
        mixinStandardHelpOptions = true,
        versionProvider = Nam.Version.class,
        description = "NamDB: a distributed database in network-attached memory.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            SqlCommand.class,
            ServerCommand.class,
            ProcedureCommand.class,
            DumpCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            TpccCommand.class,
            YcsbCommand.class,
            ReproCommand.class,
            ClusterCommand.class,
            StatusCommand.class,
            MemoryServerCommand.class,
            ComputeServerCommand.class,
            ZooKeeperCommand.class,
            CheckCommand.class,
            HistoryCommand.class,
            SimulateCommand.class
        })
public final class Nam implements Runnable {
    @Spec private CommandSpec spec;

    public static void main(String[] arguments) {
        CommandLine nam = commandLine();
        SqlCommand sql = Objects.requireNonNull(nam.getSubcommands().get("sql")).getCommand();
        sql.writeTo(ResultWriter.standardOutput());
        System.exit(nam.execute(arguments));
    }

    static CommandLine commandLine() {
        return YcsbOptions.readBy(TpccOptions.readBy(new CommandLine(new Nam())))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Nam::reportWrongUsage);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given");
    }

    /// One sentence that names the mistake and one that refers to the usage, not the usage itself.
    private static int reportWrongUsage(ParameterException mistake, String[] arguments) {
        CommandLine command = mistake.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().printf("%s: %s%n", name, mistake.getMessage());
        command.getErr().printf("Try '%s --help' for more information.%n", name);
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Nam.class.getPackage().getImplementationVersion();
            return new String[] {
                "nam %s (Java %s)"
                        .formatted(
                                version == null ? "development" : version,
                                Runtime.version().toString())
            };
        }
    }
}
