package org.namdb.sql.shell;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.shell.format.PrintSettings;

/// The options with which the shell was started.
public final class ShellOptions {
    private final List<Input> inputs = new ArrayList<>();
    private final PrintSettings print = new PrintSettings();
    private @Nullable Path output;
    private @Nullable Path init;
    private boolean stopsOnError = true;

    /// Something to run instead of what is typed.
    public sealed interface Input {}

    /// Statements and meta commands.
    public record TextInput(String text) implements Input {}

    /// A file with them; `-` is standard input.
    public record FileInput(Path file) implements Input {
        boolean isStandardInput() {
            return file.toString().equals("-");
        }
    }

    /// What to run, in this order; empty for standard input.
    public List<Input> inputs() {
        return inputs;
    }

    /// How rows are shown.
    public PrintSettings print() {
        return print;
    }

    /// Where results go; null for standard output.
    public @Nullable Path output() {
        return output;
    }

    public void output(Path file) {
        output = file;
    }

    /// What runs before all else; null if nothing does.
    public @Nullable Path init() {
        return init;
    }

    public void init(Path file) {
        init = file;
    }

    /// Whether an error ends a file or a pipe.
    public boolean stopsOnError() {
        return stopsOnError;
    }

    public void stopOnError(boolean stops) {
        stopsOnError = stops;
    }
}
