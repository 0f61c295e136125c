package org.namdb.sql.shell.interactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jline.terminal.Size;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.shell.ShellDatabase;
import org.namdb.sql.shell.ShellOptions;

/// A shell in a terminal that a test types into.
final class TypedShell {
    static final String CTRL_C = "\u0003";
    static final String CTRL_D = "\u0004";
    static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private final LineDisciplineTerminal terminal;
    private FutureTask<Integer> shell;
    private int seen;

    TypedShell(ShellDatabase database, @Nullable Path history) throws IOException {
        terminal = new LineDisciplineTerminal("test", "xterm", screen, StandardCharsets.UTF_8);
        terminal.setSize(new Size(100, 40));
        start(database, history);
        await("namdb=> ");
    }

    /// Starts it again, after its end.
    void start(ShellDatabase database, @Nullable Path history) {
        shell =
                new FutureTask<>(() ->
                        InteractiveShell.run(
                                database, new ShellOptions(), terminal, history, false));
        Thread.ofPlatform().name("shell").daemon().start(shell);
    }

    /// Ends it, whatever was typed.
    void close() throws Exception {
        type(CTRL_C);
        type(CTRL_D);
        awaitEnd();
        terminal.close();
    }

    void awaitEnd() throws Exception {
        assertThat(shell.get(30, TimeUnit.SECONDS)).isZero();
    }

    void type(String keys) throws IOException {
        terminal.processInputBytes(keys.getBytes(StandardCharsets.UTF_8));
    }

    /// What is on the screen, without escape sequences.
    String text() {
        return screen.toString(StandardCharsets.UTF_8)
                .replaceAll("\u001b\\[[0-9;?]*[A-Za-z]|\u001b[=>]|\u0007", "");
    }

    /// What is on the screen since the last thing that was waited for.
    String newText() {
        return text().substring(seen);
    }

    void await(String wanted) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (text().indexOf(wanted, seen) < 0) {
            assertThat(System.nanoTime())
                    .as("waiting for '%s' in: %s", wanted, newText())
                    .isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        seen = text().indexOf(wanted, seen) + wanted.length();
    }
}
