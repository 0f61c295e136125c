package org.namdb.sql.shell;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A line that shows how far a statement is, once it takes long; for a person at a terminal. It is
/// erased before anything else is written.
final class ProgressLine implements AutoCloseable {
    /// After so long a statement takes long.
    private static final double FIRST_SECONDS = 2;

    private static final double INTERVAL_SECONDS = 0.25;
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ShellOutput output;
    private final Supplier<String> progress;
    private final double firstSeconds;
    private final Interruption end = new Interruption();
    private final long startNanos = System.nanoTime();
    private @Nullable Thread thread;

    private ProgressLine(ShellOutput output, Supplier<String> progress, double firstSeconds) {
        this.output = output;
        this.progress = progress;
        this.firstSeconds = firstSeconds;
    }

    /// Starts to watch a statement.
    ///
    /// @param progress describes how far it is; for any thread
    static ProgressLine start(ShellOutput output, Supplier<String> progress) {
        return start(output, progress, FIRST_SECONDS);
    }

    /// The same, with another time after which it is shown.
    static ProgressLine start(ShellOutput output, Supplier<String> progress, double seconds) {
        ProgressLine line = new ProgressLine(output, progress, seconds);
        if (output.isAtTerminal()) {
            line.thread = Thread.ofPlatform().daemon().name("nam-progress").start(line::show);
        }
        return line;
    }

    private void show() {
        double pauseSeconds = firstSeconds;
        while (!end.sleep(Interruption.nanos(pauseSeconds))) {
            double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
            String rows = progress.get();
            output.progress(
                    String.format(
                            Locale.ROOT, "%s%s%.0f s", rows, rows.isEmpty() ? "" : ", ", seconds));
            pauseSeconds = INTERVAL_SECONDS;
        }
    }

    /// A writer that removes the line before it writes.
    PrintWriter before(PrintWriter out) {
        if (thread == null) {
            return out;
        }
        return new PrintWriter(
                new FilterWriter(out) {
                    @Override
                    public void write(int c) throws IOException {
                        ProgressLine.this.close();
                        super.write(c);
                    }

                    @Override
                    public void write(char[] text, int from, int length) throws IOException {
                        ProgressLine.this.close();
                        super.write(text, from, length);
                    }

                    @Override
                    public void write(String text, int from, int length) throws IOException {
                        ProgressLine.this.close();
                        super.write(text, from, length);
                    }
                });
    }

    @Override
    public void close() {
        Thread watcher = thread;
        if (watcher == null) {
            return;
        }
        thread = null;
        end.set();
        try {
            watcher.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        output.endProgress();
    }
}
