package org.namdb.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Stack;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.Transport;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.compute.NamDb;
import org.namdb.fabric.FabricException;
import org.namdb.sql.client.ServerUrl;
import org.namdb.sql.shell.ShellDatabase;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.ShellOptions;
import org.namdb.sql.shell.ShellOptions.FileInput;
import org.namdb.sql.shell.ShellOptions.TextInput;
import org.namdb.sql.shell.ShellUrl;
import org.namdb.sql.shell.SqlShell;
import org.namdb.sql.shell.format.OutputFormat;
import org.namdb.sql.shell.format.PrintSettings.Expanded;
import org.namdb.sql.shell.interactive.InteractiveShell;
import org.namdb.sql.shell.local.LocalDatabase;
import org.namdb.sql.shell.remote.RemoteDatabase;
import org.namdb.tpcc.Scale;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `nam sql`: a shell for SQL; or runs statements of the command line, of files or of a pipe.
///
/// Exit status: 0 if all went well, 1 if a statement failed or a result could not be written, 2 for
/// wrong usage or a file that is not there.
@Command(
        name = "sql",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Opens a shell for SQL. In a terminal it is interactive: end statements with a semicolon, \\? lists its commands,"
                    + " \\h explains statements, \\q leaves. With -c, -f or a pipe it runs what it is given, and ends.",
            "",
            "The database is in this process's memory, and gone at the end; with --data it is kept in a"
                    + " directory, with --cluster it is a cluster's, and others use it, too, and a URL of"
                    + " PostgreSQL's names a server (nam server)."
        },
        parameterListHeading = "%nThe database:%n",
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "Examples:",
            "  nam sql",
            "  nam sql -f schema.sql -f load.sql -c \"SELECT count(*) FROM t\"",
            "  nam sql --csv < report.sql > report.csv",
            "  nam sql 'embedded:?memory=2g&servers=2'",
            "  nam sql --data shop",
            "  nam sql --cluster cluster.yaml",
            "  nam sql postgresql://ada@db.example.org:5432",
            "",
            "Exit status: 0 if all went well, 1 if a statement failed or a result could",
            "not be written, 2 for wrong usage or a file that is not there."
        })
final class SqlCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    private final ShellOptions options = new ShellOptions();
    private final Function<ShellUrl, ShellDatabase> opener;
    private @Nullable PrintWriter results;
    private ShellUrl url = ShellUrl.DEFAULT;
    private @Nullable Integer warehouses;

    SqlCommand() {
        this(LocalDatabase::open);
    }

    SqlCommand(Function<ShellUrl, ShellDatabase> opener) {
        this.opener = opener;
    }

    /// Writes results here, and not to the command line's output.
    void writeTo(PrintWriter writer) {
        results = writer;
    }

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "URL",
            description =
                    "Which database: embedded: is one in memory, and the default;"
                            + " postgresql://USER:PASSWORD@HOST:PORT is behind a server. What that leaves"
                            + " open is PGHOST's, PGPORT's, PGUSER's, PGPASSWORD's, and ~/.pgpass'.")
    private @Nullable String urlText;

    @Option(
            names = "--cluster",
            order = 0,
            paramLabel = "FILE",
            description = "Attach to the cluster that this file describes.")
    private @Nullable Path cluster;

    private @Nullable ClusterConfig config;

    @Mixin private DataOptions data;

    @Option(
            names = {"-c", "--command"},
            order = 1,
            paramLabel = "SQL",
            parameterConsumer = InputConsumer.class,
            description =
                    "Run these statements. -c and -f may be repeated and mixed; they run in order.")
    void commands(List<String> texts) {
        texts.forEach(text -> options.inputs().add(new TextInput(text)));
    }

    @Option(
            names = {"-f", "--file"},
            order = 2,
            paramLabel = "FILE",
            parameterConsumer = InputConsumer.class,
            description = "Run the statements of this file; - is standard input.")
    void files(List<String> names) {
        names.forEach(name -> options.inputs().add(new FileInput(Path.of(name))));
    }

    @Option(
            names = "--init",
            order = 3,
            paramLabel = "FILE",
            description = "Run the statements of this file first, also in a terminal.")
    void init(Path file) {
        options.init(file);
    }

    @Option(
            names = {"-o", "--output"},
            order = 4,
            paramLabel = "FILE",
            description = "Write results to this file.")
    void output(Path file) {
        options.output(file);
    }

    @Option(names = "--csv", order = 5, description = "Show rows as CSV.")
    void csv(boolean on) {
        format(OutputFormat.CSV, on);
    }

    @Option(names = "--json", order = 6, description = "Show rows as JSON.")
    void json(boolean on) {
        format(OutputFormat.JSON, on);
    }

    @Option(names = "--markdown", order = 7, description = "Show rows as tables of Markdown.")
    void markdown(boolean on) {
        format(OutputFormat.MARKDOWN, on);
    }

    @Option(
            names = {"-A", "--no-align"},
            order = 8,
            description = "Show rows with | between the values, not in columns.")
    void unaligned(boolean on) {
        format(OutputFormat.UNALIGNED, on);
    }

    @Option(
            names = {"-x", "--expanded"},
            order = 9,
            description = "Show rows one below the other.")
    void expanded(boolean on) {
        options.print().expanded(on ? Expanded.ON : Expanded.OFF);
    }

    @Option(
            names = {"-t", "--tuples-only"},
            order = 10,
            description = "Show nothing but values: no headers, no counts.")
    void tuplesOnly(boolean on) {
        options.print().tuplesOnly(on);
    }

    @Option(
            names = "--on-error",
            order = 11,
            paramLabel = "stop|continue",
            description =
                    "What to do after a failed statement of -c, -f or a pipe (default: stop).")
    void onError(String what) {
        options.stopOnError(
                switch (what.toLowerCase(Locale.ROOT)) {
                    case "stop" -> true;
                    case "continue" -> false;
                    default -> throw wrong("--on-error is stop or continue, not '" + what + "'");
                });
    }

    @Option(
            names = {"-v", "--set"},
            order = 12,
            paramLabel = "ON_ERROR_STOP=0|1",
            description = "The same as --on-error, in psql's form.")
    void variable(String assignment) {
        options.stopOnError(
                switch (assignment.toUpperCase(Locale.ROOT)) {
                    case "ON_ERROR_STOP", "ON_ERROR_STOP=1", "ON_ERROR_STOP=ON" -> true;
                    case "ON_ERROR_STOP=0", "ON_ERROR_STOP=OFF" -> false;
                    default ->
                            throw wrong("-v knows ON_ERROR_STOP=0 or 1, not '" + assignment + "'");
                });
    }

    @Option(
            names = "--memory",
            order = 13,
            paramLabel = "SIZE",
            description =
                    "Memory of all memory servers together, as in 8g (default: 4g). It is taken from the machine only as it is used.")
    private @Nullable String memory;

    @Option(
            names = "--memory-servers",
            order = 14,
            paramLabel = "N",
            description = "Memory servers to spread the data over (default: 1).")
    private @Nullable Integer memoryServers;

    @Option(
            names = "--tpcc",
            order = 15,
            paramLabel = "N",
            description = "Start with the tables of TPC-C, loaded with N warehouses.")
    void tpcc(int number) {
        if (number < 1 || number > Scale.MAX_WAREHOUSES) {
            throw wrong(
                    "--tpcc is 1 to %d warehouses, not %d".formatted(Scale.MAX_WAREHOUSES, number));
        }
        warehouses = number;
    }

    @Override
    public Integer call() {
        if (cluster != null) {
            requireNothingOfAnEmbeddedDatabase("--cluster", "the cluster's");
            config = config(cluster);
        } else if (isRemote()) {
            requireNothingOfAnEmbeddedDatabase("the URL of a server", "the server's");
        }
        data.check();
        try {
            url = urlText == null || isRemote() ? ShellUrl.DEFAULT : ShellUrl.parse(urlText);
            url = memory == null ? url : url.withMemory(memory);
            url = memoryServers == null ? url : url.withServers(memoryServers);
            LocalDatabase.requireMemory(url);
        } catch (ShellException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        return new SqlShell(
                        options,
                        InteractiveShell::run,
                        this::open,
                        System.in,
                        results == null ? spec.commandLine().getOut() : results,
                        spec.commandLine().getErr())
                .run();
    }

    private boolean isRemote() {
        return urlText != null && ServerUrl.isUrl(urlText);
    }

    /// @param what the option that names the database
    /// @param whose the owner
    private void requireNothingOfAnEmbeddedDatabase(String what, String whose) {
        if (urlText != null && cluster != null) {
            throw wrong("--cluster and the URL '" + urlText + "' both say which database");
        }
        if (memory != null || memoryServers != null) {
            throw wrong(
                    "%s is for a database in this process: with %s it is %s own"
                            .formatted(
                                    memory != null ? "--memory" : "--memory-servers", what, whose));
        }
        if (data.isKept()) {
            throw wrong(what + " and --data both say which database");
        }
        if (warehouses != null) {
            throw wrong(
                    "--tpcc loads a database in this process; nam tpcc --cluster loads a cluster");
        }
    }

    private ShellDatabase open() {
        if (urlText != null && isRemote()) {
            return RemoteDatabase.open(urlText);
        }
        if (cluster != null && config != null) {
            return attach(cluster, config);
        }
        if (warehouses != null) {
            return TpccDatabase.open(
                    LocalDatabase.options(url),
                    data::open,
                    warehouses,
                    spec.commandLine().getErr());
        }
        return data.isKept()
                ? LocalDatabase.of(data.open(LocalDatabase.options(url)))
                : opener.apply(url);
    }

    /// A shell sleeps after Ctrl-Z, and may have lost its lease when it wakes up: if it had mapped
    /// memory it would have been killed. So it uses TCP, unless the configuration chooses something
    /// else itself.
    private ClusterConfig config(Path file) {
        try {
            Map<String, String> environment = System.getenv();
            ClusterConfig config = ClusterSettings.read(file, environment, Map.of()).config();
            if (config.transport() == Transport.AUTO) {
                Map<String, String> byTcp = Map.of("transport", Transport.TCP.toString());
                config = ClusterSettings.read(file, environment, byTcp).config();
            }
            return config;
        } catch (ConfigException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private static ShellDatabase attach(Path file, ClusterConfig config) {
        try {
            return LocalDatabase.of(NamDb.connect(config), file);
        } catch (FabricException | MembershipException | IllegalStateException e) {
            throw new ShellException(String.valueOf(e.getMessage()));
        }
    }

    private void format(OutputFormat format, boolean on) {
        options.print().format(on ? format : OutputFormat.ALIGNED);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /// Keeps statements and files in the order of the command line, which two lists would lose.
    private static final class InputConsumer implements IParameterConsumer {
        @Override
        @SuppressWarnings("JdkObsolete") // picocli's interface has a stack
        public void consumeParameters(
                Stack<String> arguments, ArgSpec option, CommandSpec command) {
            if (arguments.isEmpty()) {
                throw new ParameterException(
                        command.commandLine(),
                        "Missing parameter of "
                                + ((OptionSpec) option).longestName()
                                + ": "
                                + option.paramLabel());
            }
            String value = arguments.pop();
            SqlCommand self = (SqlCommand) command.userObject();
            if (option.paramLabel().equals("FILE")) {
                self.files(List.of(value));
            } else {
                self.commands(List.of(value));
            }
        }
    }
}
