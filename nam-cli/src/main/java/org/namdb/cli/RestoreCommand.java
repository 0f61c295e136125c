package org.namdb.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `nam restore`: makes a data directory of a backup.
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description = {
            "Makes a data directory of a backup, after all of it was found undamaged. The backup stays as it is.",
            "",
            "The database can then be opened with other memory: nam sql --data DATA --memory-servers 4"
        })
final class RestoreCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "BACKUP", description = "The backup.")
    private Path backup;

    @Parameters(
            index = "1",
            paramLabel = "DATA",
            description = "A new or an empty directory for the database.")
    private Path data;

    @Override
    public Integer call() {
        return BackupCommand.copy(spec, backup, data, "Restored");
    }
}
