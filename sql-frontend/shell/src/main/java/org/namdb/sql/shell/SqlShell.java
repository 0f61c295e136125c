package org.namdb.sql.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.shell.ShellOptions.FileInput;
import org.namdb.sql.shell.ShellOptions.Input;
import org.namdb.sql.shell.ShellOptions.TextInput;

/// `nam sql`: a person's shell if standard input and output are a terminal and nothing else is to
/// be run; else it runs what it is given and ends.
public final class SqlShell {
    /// Exit status if all went well.
    public static final int DONE = 0;

    /// Exit status if a statement or a command has failed.
    public static final int FAILED = 1;

    /// Exit status if the shell could not even begin: a file is missing.
    public static final int WRONG_USAGE = 2;

    /// The shell for a person.
    public interface Interactive {
        /// Runs until the user leaves.
        ///
        /// @return the exit status
        int run(ShellDatabase database, ShellOptions options);
    }

    private final ShellOptions options;
    private final Interactive interactive;
    private final Supplier<ShellDatabase> opener;
    private final InputStream input;
    private final PrintWriter output;
    private final PrintWriter errors;

    /// @param interactive runs where a person types
    /// @param opener opens the database; called once
    /// @param input standard input
    /// @param output takes results; a [ResultWriter], unless a lost result is of no importance
    /// @param errors takes errors and remarks
    public SqlShell(
            ShellOptions options,
            Interactive interactive,
            Supplier<ShellDatabase> opener,
            InputStream input,
            PrintWriter output,
            PrintWriter errors) {
        this.options = options;
        this.interactive = interactive;
        this.opener = opener;
        this.input = input;
        this.output = output;
        this.errors = errors;
    }

    /// Runs to the end.
    ///
    /// @return the exit status
    public int run() {
        String missing = firstUnusableFile();
        if (missing != null) {
            errors.println("nam sql: " + missing);
            errors.flush();
            return WRONG_USAGE;
        }
        boolean isInteractive = options.inputs().isEmpty() && StandardStreams.areTerminal();
        try (ShellDatabase database = opener.get()) {
            return isInteractive ? interactive.run(database, options) : runInputs(database);
        } catch (SqlException | ShellException e) {
            errors.println("nam sql: " + e.getMessage());
            errors.flush();
            return FAILED;
        }
    }

    /// Runs what is first, before anything else: the options' output and their init file.
    ///
    /// @return false if an error has ended it
    public static boolean begin(Shell shell, ShellOptions options) {
        if (options.output() != null) {
            shell.redirect(options.output());
        }
        return options.init() == null || shell.runFile(options.init());
    }

    private int runInputs(ShellDatabase database) {
        Screen screen = Screen.of(output, errors);
        Shell shell = new Shell(database, screen, options.print(), options.stopsOnError());
        try (shell) {
            boolean goesOn = begin(shell, options);
            for (Input next : inputs()) {
                if (goesOn && !shell.isLeft()) {
                    goesOn = runInput(shell, next);
                }
            }
        }
        output.flush();
        return shell.hasFailed() ? FAILED : DONE;
    }

    private List<Input> inputs() {
        return options.inputs().isEmpty() ? List.of(new FileInput(Path.of("-"))) : options.inputs();
    }

    private boolean runInput(Shell shell, Input next) {
        return switch (next) {
            case TextInput text -> shell.run(LineSource.of(text.text()));
            case FileInput file ->
                    file.isStandardInput() ? runInputStream(shell) : runFile(shell, file);
        };
    }

    private boolean runInputStream(Shell shell) {
        // A decoder that reports what it can't read, where a reader of a charset would put a sign
        // for it.
        InputStreamReader reader =
                new InputStreamReader(input, StandardCharsets.UTF_8.newDecoder());
        return shell.run(LineSource.of(TextFile.withoutMark(reader), "stdin"));
    }

    private static boolean runFile(Shell shell, FileInput file) {
        try {
            return shell.runFile(file.file());
        } catch (ShellException e) {
            shell.failure(String.valueOf(e.getMessage()));
            return false;
        }
    }

    /// What is wrong with a file of the options; null if nothing is.
    private @Nullable String firstUnusableFile() {
        List<Path> files = new ArrayList<>();
        for (Input next : options.inputs()) {
            if (next instanceof FileInput file && !file.isStandardInput()) {
                files.add(file.file());
            }
        }
        if (options.init() != null) {
            files.add(options.init());
        }
        for (Path file : files) {
            try (var reader = FileCommands.open(file)) {
                reader.ready();
            } catch (ShellException | IOException e) {
                return e.getMessage();
            }
        }
        Path target = options.output();
        Path directory = target == null ? null : target.toAbsolutePath().getParent();
        if (target != null && (Files.isDirectory(target) || !isDirectory(directory))) {
            return "the output can't be written to " + target;
        }
        return null;
    }

    private static boolean isDirectory(@Nullable Path path) {
        return path == null || Files.isDirectory(path);
    }
}
