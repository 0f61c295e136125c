package org.namdb.sql.shell;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Whether a person is at the process's standard input and output.
final class StandardStreams {
    private StandardStreams() {}

    static boolean areTerminal() {
        return isTerminal(0) && isOutputTerminal();
    }

    static boolean isOutputTerminal() {
        return isTerminal(1);
    }

    @SuppressWarnings("SystemConsoleNull") // its documentation still allows null
    private static boolean isTerminal(int descriptor) {
        try {
            String target =
                    Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(descriptor)))
                            .toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.startsWith("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            Console console = System.console();
            return console != null && console.isTerminal();
        }
    }
}
