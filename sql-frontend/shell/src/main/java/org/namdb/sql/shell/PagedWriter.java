package org.namdb.sql.shell;

import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.shell.format.CellText;

/// Holds text back until it is longer or wider than the screen, and then hands it to a pager;
/// shorter text goes to the screen.
final class PagedWriter extends Writer {
    private final Screen screen;
    private final List<String> command;
    private final StringBuilder held = new StringBuilder();
    private int lines;
    private int lineStart;
    private @Nullable Process pager;
    private @Nullable Writer toPager;

    PagedWriter(Screen screen, List<String> command) {
        this.screen = screen;
        this.command = command;
    }

    /// The reader has left the pager.
    static final class ClosedByReaderException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /// The user's pager, or `less`; empty if there is none.
    static List<String> pager() {
        String chosen = System.getenv("PAGER");
        if (chosen != null) {
            return chosen.isBlank() ? List.of() : List.of("/bin/sh", "-c", chosen);
        }
        return isInstalled("less") ? List.of("less", "-R", "-S") : List.of();
    }

    @Override
    public void write(char[] characters, int offset, int length) {
        if (toPager != null) {
            writeToPager(new String(characters, offset, length));
            return;
        }
        held.append(characters, offset, length);
        if (isTooLarge()) {
            start();
        }
    }

    @Override
    public void flush() {
        // A pager is written to in blocks; the screen when all is known.
    }

    @Override
    public void close() {
        if (pager == null) {
            screen.out().print(held);
            screen.out().flush();
            held.setLength(0);
            return;
        }
        try {
            if (toPager != null) {
                toPager.close();
            }
        } catch (IOException e) {
            // The reader has left.
        }
        waitFor(pager);
    }

    private boolean isTooLarge() {
        for (int end = held.indexOf("\n", lineStart); end >= 0; ) {
            lines++;
            if (width(held.substring(lineStart, end)) > screen.columns()) {
                return true;
            }
            lineStart = end + 1;
            end = held.indexOf("\n", lineStart);
        }
        return lines >= screen.rows() - 1;
    }

    private static int width(String line) {
        return CellText.width(line.replaceAll("\u001b\\[[0-9;]*m", ""));
    }

    private void start() {
        screen.out().flush();
        try {
            pager =
                    new ProcessBuilder(command)
                            .redirectOutput(Redirect.INHERIT)
                            .redirectError(Redirect.INHERIT)
                            .start();
            toPager = pager.outputWriter(StandardCharsets.UTF_8);
            writeToPager(held.toString());
        } catch (IOException e) {
            throw new ShellException(
                    "the pager can't be started (\\pset pager off): " + e.getMessage());
        }
        held.setLength(0);
    }

    private void writeToPager(String text) {
        try {
            if (toPager != null) {
                toPager.write(text);
            }
        } catch (IOException e) {
            throw new ClosedByReaderException();
        }
    }

    /// Interrupts are for the statement and the pager: the terminal is the pager's until it ends.
    private static void waitFor(Process process) {
        boolean interrupted = false;
        while (process.isAlive()) {
            try {
                process.waitFor(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isInstalled(String program) {
        if (System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("windows")) {
            return false;
        }
        String path = System.getenv().getOrDefault("PATH", "");
        for (String directory : path.split(File.pathSeparator, -1)) {
            if (Files.isExecutable(Path.of(directory, program))) {
                return true;
            }
        }
        return false;
    }
}
