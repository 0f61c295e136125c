package org.namdb.sql.shell.interactive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.jline.reader.impl.history.DefaultHistory;
import org.jspecify.annotations.Nullable;

/// What was typed, kept from one run to the next; passwords are not.
final class StatementHistory extends DefaultHistory {
    private static final Pattern SECRET =
            Pattern.compile("(?i)\\b(password|secret)\\b\\s*[=:]?\\s*'");

    @Override
    public void add(Instant time, String line) {
        if (!SECRET.matcher(line).find()) {
            super.add(time, line);
        }
    }

    /// The file that keeps it: in the directory for such files if the environment names one, else
    /// in the home directory. Only its owner may read it.
    ///
    /// @return null if there can be none
    static @Nullable Path file(Map<String, String> environment, String home) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        Path file =
                state.isEmpty()
                        ? Path.of(home, ".namdb_history")
                        : Path.of(state, "namdb", "history");
        try {
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            if (!Files.exists(file)) {
                Files.createFile(
                        file,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
            }
            return Files.isWritable(file) ? file : null;
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }
}
