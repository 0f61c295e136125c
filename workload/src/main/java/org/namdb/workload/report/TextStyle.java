package org.namdb.workload.report;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;

/// What the target of text can show.
///
/// @param terminal whether a line can be drawn again
/// @param unicode whether it has signs that ASCII hasn't
public record TextStyle(boolean terminal, boolean unicode) {
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

    /// The style of this process's standard error, where progress goes.
    public static TextStyle ofStandardError() {
        return new TextStyle(isTerminal(), isUnicode(System.err.charset()));
    }

    @SuppressWarnings("SystemConsoleNull") // its documentation still allows null
    private static boolean isTerminal() {
        if ("dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        try {
            String target = Files.readSymbolicLink(STANDARD_ERROR).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            Console console = System.console();
            return console != null && console.isTerminal();
        }
    }

    private static boolean isUnicode(Charset charset) {
        return charset.newEncoder().canEncode('✓');
    }

    String check() {
        return unicode ? "✓" : "ok";
    }

    String cross() {
        return unicode ? "✗" : "FAILED";
    }

    String full() {
        return unicode ? "█" : "#";
    }

    String empty() {
        return unicode ? "░" : "-";
    }

    /// The text with signs that can be shown.
    String text(String text) {
        return unicode ? text : text.replace("µs", "us").replace('─', '-');
    }
}
