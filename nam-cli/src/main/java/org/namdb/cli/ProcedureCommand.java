package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.client.NamClient;
import org.namdb.sql.language.error.SqlException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `nam procedure`: the stored procedures of a running server.
///
/// Exit status: 0 if it is done, 1 if the server has refused it or can't be reached, 2 for wrong
/// usage.
@Command(
        name = "procedure",
        mixinStandardHelpOptions = true,
        description = "Submits, lists and removes the stored procedures of a running server.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ProcedureCommand.Add.class,
            ProcedureCommand.Show.class,
            ProcedureCommand.Remove.class
        },
        footer = {
            "",
            "Examples:",
            "  nam procedure add bank.jar",
            "  nam procedure list --url postgresql://ada:secret@10.0.0.7:5432/namdb",
            "  nam procedure remove bank"
        })
final class ProcedureCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given");
    }

    /// Which server.
    static final class Server {
        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @Option(
                names = "--url",
                paramLabel = "URL",
                description =
                        "The server, as postgresql://user:password@host:port/namdb (default: ${DEFAULT-VALUE}).")
        private String url = "postgresql://namdb@127.0.0.1:5432/namdb";

        /// What is done with a connection.
        private interface Work {
            void run(NamClient client) throws IOException;
        }

        private int run(Work work) {
            try (NamClient client = NamClient.connect(url)) {
                work.run(client);
                spec.commandLine().getOut().flush();
                return 0;
            } catch (SqlException e) {
                PrintWriter err = spec.commandLine().getErr();
                err.printf("nam procedure: %s%n", e.getMessage());
                if (e.hint() != null) {
                    err.println(e.hint());
                }
                return 1;
            } catch (IOException e) {
                String reason = FileErrors.reason(e);
                spec.commandLine()
                        .getErr()
                        .println("nam procedure: the jar can't be read: " + reason);
                return 1;
            }
        }
    }

    /// `nam procedure add`.
    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = {
                "Submits a jar of procedures, in the place of the one of its name.",
                "",
                "Calls that run end by the code that they have begun with. The server must have been started with --allow-procedures."
            })
    static final class Add implements Callable<Integer> {
        @Parameters(paramLabel = "FILE.jar", description = "The jar.")
        private Path file;

        @Option(
                names = "--name",
                paramLabel = "NAME",
                description = "What the jar is called (default: the file's name without .jar).")
        private @Nullable String name;

        @Mixin private Server server;

        @Override
        public Integer call() {
            return server.run(client -> {
                if (name == null) {
                    client.submit(file);
                } else {
                    client.submit(name, file);
                }
            });
        }
    }

    /// `nam procedure list`.
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description =
                    "Lists the procedures: parameters, result, jar, and what their calls have cost at this server.")
    static final class Show implements Callable<Integer> {
        @Mixin private Server server;

        @Override
        public Integer call() {
            return server.run(client -> print(client.procedures()));
        }

        private void print(List<List<String>> rows) {
            PrintWriter out = server.spec.commandLine().getOut();
            int columns = rows.getFirst().size();
            int[] widths = new int[columns];
            for (List<String> row : rows) {
                for (int i = 0; i < columns; i++) {
                    widths[i] = Math.max(widths[i], row.get(i).length());
                }
            }
            for (List<String> row : rows) {
                StringBuilder line = new StringBuilder();
                for (int i = 0; i < columns; i++) {
                    line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
                }
                out.println(line.toString().stripTrailing());
            }
        }
    }

    /// `nam procedure remove`.
    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Removes a jar and its procedures; calls that run go on.")
    static final class Remove implements Callable<Integer> {
        @Parameters(paramLabel = "NAME", description = "The name of the jar.")
        private String name;

        @Mixin private Server server;

        @Override
        public Integer call() {
            return server.run(client -> client.remove(name));
        }
    }
}
