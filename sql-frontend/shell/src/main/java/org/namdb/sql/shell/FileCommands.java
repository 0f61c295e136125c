package org.namdb.sql.shell;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The meta commands that read and write files: `\i` and `\copy`, and the editor of `\e`.
final class FileCommands {
    private static final Pattern COPY =
            Pattern.compile(
                    "(?is)(?<what>.+?)\\s+(?<way>from|to)\\s+(?<file>'(?:[^']|'')*'|\\S+)(?<options>.*)");
    private static final Pattern COPY_QUERY =
            Pattern.compile(
                    "(?is)(?<what>\\(.*\\))\\s*(?<way>to)\\s+(?<file>'(?:[^']|'')*'|\\S+)(?<options>.*)");

    /// Options with the binary format among them, which stands in no quotes but those of its name.
    private static final Pattern BINARY =
            Pattern.compile(
                    "(?is)(?:[^']|'[^']*')*?\\b(?:format\\s+'?)?binary\\b(?:[^']|'[^']*')*");

    private final Sessions sessions;
    private final ShellStatementRunner runner;

    FileCommands(Sessions sessions, ShellStatementRunner runner) {
        this.sessions = sessions;
        this.runner = runner;
    }

    /// A path as a user writes it: `~` is the home directory.
    static Path path(String text) {
        try {
            return text.equals("~") || text.startsWith("~/")
                    ? Path.of(System.getProperty("user.home", ""), text.substring(1))
                    : Path.of(text);
        } catch (InvalidPathException e) {
            throw new ShellException("\"" + text + "\" can't be a file's name");
        }
    }

    /// Opens a text file.
    static Reader open(Path file) {
        return open(file, new ReadPart());
    }

    private static Reader open(Path file, ReadPart part) {
        requireFile(file);
        try {
            return TextFile.open(part.open(file));
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /// Whether the options of a COPY choose the binary format.
    static boolean isBinary(String options) {
        return BINARY.matcher(options).matches();
    }

    /// `\copy`: the same as COPY, but the file is always one of this machine.
    void copy(String arguments, LineSource lines) {
        Matcher parts = (arguments.startsWith("(") ? COPY_QUERY : COPY).matcher(arguments);
        if (!parts.matches()) {
            throw new ShellException("\\copy table|(query) from|to 'file' [options]");
        }
        String what = parts.group("what");
        boolean isFrom = parts.group("way").equalsIgnoreCase("from");
        String file = parts.group("file");
        String statement =
                "COPY %s %s%s"
                        .formatted(
                                what, isFrom ? "FROM STDIN" : "TO STDOUT", parts.group("options"));
        if (file.equalsIgnoreCase("stdin") || file.equalsIgnoreCase("stdout")) {
            runner.run(statement, lines);
            return;
        }
        Path path = path(file.startsWith("'") ? unquoted(file) : file);
        boolean isBinary = isBinary(parts.group("options"));
        if (isFrom) {
            ReadPart part = new ReadPart();
            runner.runCopy(
                    () ->
                            isBinary
                                    ? copyBinaryIn(statement, path, part)
                                    : copyIn(statement, path, part),
                    part::text);
        } else {
            runner.runCopy(
                    () -> isBinary ? copyBinaryOut(statement, path) : copyOut(statement, path),
                    () -> "");
        }
    }

    /// Writes a statement to a file.
    void write(@Nullable String name, String statement) {
        if (name == null) {
            throw new ShellException("\\w needs a file");
        }
        Path file = path(name);
        requireFile(file);
        try {
            Files.writeString(file, statement + ";\n");
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    /// Lets the user edit a text in the editor of the environment.
    ///
    /// @return what the file holds after that
    String edit(Path file) {
        String editor = System.getenv("VISUAL");
        if (editor == null || editor.isBlank()) {
            editor = System.getenv().getOrDefault("EDITOR", "vi");
        }
        try {
            Process process =
                    new ProcessBuilder("/bin/sh", "-c", editor + " \"$1\"", "sh", file.toString())
                            .inheritIO()
                            .start();
            int status = process.waitFor();
            if (status != 0) {
                throw new ShellException("the editor ended with status " + status);
            }
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new ShellException("the editor can't be used: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ShellException("interrupted");
        }
    }

    private long copyIn(String statement, Path file, ReadPart part) {
        try (Reader data = open(file, part)) {
            return sessions.connection().copyIn(statement, data);
        } catch (IOException e) {
            throw unreadable(file, e);
        } catch (UncheckedIOException e) {
            throw unreadable(file, ShellOutput.cause(e));
        }
    }

    private long copyOut(String statement, Path file) {
        requireFile(file);
        try (Writer data = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            return sessions.connection().copyOut(statement, data);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    private long copyBinaryIn(String statement, Path file, ReadPart part) {
        requireFile(file);
        try (InputStream data = part.open(file)) {
            return sessions.connection().copyIn(statement, data);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private long copyBinaryOut(String statement, Path file) {
        requireFile(file);
        try (OutputStream data = new BufferedOutputStream(Files.newOutputStream(file))) {
            return sessions.connection().copyOut(statement, data);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    private static void requireFile(Path file) {
        if (Files.isDirectory(file)) {
            throw new ShellException(file + " is a directory");
        }
    }

    private static ShellException unwritable(Path file, IOException e) {
        return new ShellException(file + " can't be written: " + ShellOutput.reason(e));
    }

    private static ShellException unreadable(Path file, IOException e) {
        return new ShellException(file + " can't be read: " + ShellOutput.reason(e));
    }

    private static String unquoted(String text) {
        return text.substring(1, text.length() - 1).replace("''", "'");
    }
}
