package org.namdb.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.compute.NamDb;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.fabric.FabricException;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlDump;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.ShellUrl;
import org.namdb.sql.shell.local.LocalDatabase;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `nam dump`: writes a database as SQL.
@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Writes a database as SQL, of one snapshot: CREATE TABLE, COPY, then indexes and"
                    + " constraints. nam sql -f takes it back, with any number of memory servers.",
            "",
            "The database is a data directory that no process uses, as a backup, or a cluster."
        },
        footer = {
            "",
            "Examples:",
            "  nam dump --data shop > shop.sql",
            "  nam dump --cluster cluster.yaml -o shop.sql",
            "  nam sql --data copy -f shop.sql"
        })
final class DumpCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = "--data",
            order = 0,
            paramLabel = "DIR",
            description =
                    "Write the database of this directory, which is there, and which no other"
                            + " process uses meanwhile.")
    private @Nullable Path data;

    @Option(
            names = "--cluster",
            order = 1,
            paramLabel = "FILE",
            description = "Attach to the cluster that this file describes.")
    private @Nullable Path cluster;

    @Option(
            names = "--memory",
            order = 2,
            paramLabel = "SIZE",
            description = "With --data: memory for the database, as in 8g (default: 4g).")
    private @Nullable String memory;

    @Option(
            names = {"-o", "--output"},
            order = 3,
            paramLabel = "FILE",
            description = "Write to this file, in place of standard output.")
    private @Nullable Path output;

    @Override
    public Integer call() {
        if ((data == null) == (cluster == null)) {
            throw wrong("say which database: --data DIR, or --cluster FILE");
        }
        if (data != null && !Files.isDirectory(data)) {
            throw wrong("there is no directory " + data);
        }
        try (NamDb db = open();
                SqlSession session = SqlDatabase.of(db).session()) {
            write(session);
            return 0;
        } catch (ShellException
                | SqlException
                | FabricException
                | MembershipException
                | IllegalStateException e) {
            return failed(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return failed("can't write " + (output == null ? "the dump" : output) + ": " + e);
        }
    }

    private NamDb open() {
        if (cluster != null) {
            try {
                return NamDb.connect(
                        ClusterSettings.read(cluster, System.getenv(), Map.of()).config());
            } catch (ConfigException e) {
                throw wrong(String.valueOf(e.getMessage()));
            }
        }
        ShellUrl url = memory == null ? ShellUrl.DEFAULT : ShellUrl.DEFAULT.withMemory(memory);
        return DataOptions.open(
                LocalDatabase.options(url),
                JournalOptions.in(Objects.requireNonNull(data)),
                spec.commandLine().getErr());
    }

    /// A file gets its name when it is whole.
    private void write(SqlSession session) throws IOException {
        if (output == null) {
            Writer out =
                    new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
            SqlDump.write(session, out);
            out.flush();
            if (System.out.checkError()) {
                throw new IOException("standard output does not take it");
            }
            return;
        }
        boolean isDevice = Files.exists(output) && !Files.isRegularFile(output);
        Path written = isDevice ? output : output.resolveSibling(output.getFileName() + ".part");
        boolean isWhole = false;
        try {
            try (Writer out = Files.newBufferedWriter(written, StandardCharsets.UTF_8)) {
                SqlDump.write(session, out);
            }
            if (!isDevice) {
                Files.move(written, output, StandardCopyOption.REPLACE_EXISTING);
            }
            isWhole = true;
        } finally {
            if (!isWhole && !isDevice) {
                Files.deleteIfExists(written);
            }
        }
    }

    private int failed(String message) {
        spec.commandLine().getErr().println(spec.qualifiedName() + ": " + message);
        return 1;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
