package org.namdb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.namdb.compute.journal.DataDirectory;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.workload.report.RecoveryBar;
import org.namdb.workload.report.TextStyle;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `nam backup`: copies a data directory that is not in use.
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        description = {
            "Copies a data directory that no process uses, after all of it was found undamaged.",
            "",
            "In a database that is in use, the statement BACKUP TO 'directory' does the same while transactions run."
        })
final class BackupCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "DATA", description = "The data directory.")
    private Path data;

    @Parameters(
            index = "1",
            paramLabel = "BACKUP",
            description = "A new or an empty directory for the backup.")
    private Path backup;

    @Override
    public Integer call() {
        return copy(spec, data, backup, "Backed up");
    }

    /// Copies a data directory, or the backup of one.
    static int copy(CommandSpec spec, Path from, Path into, String done) {
        if (!Files.isDirectory(from)) {
            spec.commandLine()
                    .getErr()
                    .println(spec.qualifiedName() + ": there is no directory " + from);
            return 1;
        }
        RecoveryBar bar = new RecoveryBar(spec.commandLine().getErr(), TextStyle.ofStandardError());
        try {
            long bytes =
                    DataDirectory.copy(
                            JournalOptions.in(from).withProgress(bar),
                            JournalOptions.in(into),
                            () -> {});
            bar.clear();
            spec.commandLine()
                    .getOut()
                    .printf("%s %s to %s: %,d KB.%n", done, from, into, bytes >> 10);
            spec.commandLine().getOut().flush();
            return 0;
        } catch (JournalException e) {
            bar.clear();
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + e.getMessage());
            return 1;
        }
    }
}
