package org.namdb.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.sql.shell.ShellException;
import org.namdb.workload.report.RecoveryBar;
import org.namdb.workload.report.TextStyle;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/// The options of commands that can keep their database in a directory.
final class DataOptions {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--data",
            order = 0,
            paramLabel = "DIR",
            description =
                    "Keep the database in this directory, which is created if it is missing: what is"
                            + " committed outlives the process, and a crash of the machine.")
    private @Nullable Path data;

    private @Nullable Durability durability;

    @Option(
            names = "--durability",
            order = 0,
            paramLabel = "sync|async|none",
            description =
                    "With --data: whether a commit is forced to the disk before it is acknowledged"
                            + " (sync, the default), at most 10 ms later (async), or not at all.")
    void durability(String what) {
        for (Durability each : Durability.values()) {
            if (each.toString().equalsIgnoreCase(what)) {
                durability = each;
                return;
            }
        }
        throw wrong("--durability is sync, async or none, not '" + what + "'");
    }

    /// Whether there is a directory.
    boolean isKept() {
        return data != null;
    }

    /// Refuses a durability without a directory.
    void check() {
        if (durability != null && data == null) {
            throw wrong("--durability is for a database that is kept: it needs --data");
        }
    }

    /// Opens a database in this process; shows how far a restart is.
    ///
    /// @throws ShellException if the directory, or the memory, does not do
    NamDb open(EmbeddedOptions options) {
        Path directory = data;
        if (directory == null) {
            return NamDb.embedded(options);
        }
        return open(options, journal(directory), spec.commandLine().getErr());
    }

    /// The same of a command with options of its own.
    ///
    /// @param err where it shows how far a restart is
    static NamDb open(EmbeddedOptions options, JournalOptions journal, PrintWriter err) {
        RecoveryBar bar = new RecoveryBar(err, TextStyle.ofStandardError());
        try {
            return NamDb.embedded(options.withJournal(journal.withProgress(bar)));
        } catch (JournalException e) {
            bar.clear();
            throw new ShellException(String.valueOf(e.getMessage()));
        } catch (MemoryFullException e) {
            bar.clear();
            throw new ShellException(e.getMessage() + "; give it more by --memory");
        }
    }

    private JournalOptions journal(Path directory) {
        JournalOptions journal = JournalOptions.in(directory);
        return durability == null ? journal : journal.withDurability(durability);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
