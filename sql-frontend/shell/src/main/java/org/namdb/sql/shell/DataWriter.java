package org.namdb.sql.shell;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/// The data of a `COPY .. TO STDOUT` among the other results. COPY expects an [IOException] where
/// the shell throws a [LostOutputException].
final class DataWriter extends Writer {
    private final PrintWriter results;
    private @Nullable LostOutputException lost;

    DataWriter(PrintWriter results) {
        this.results = results;
    }

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
        guarded(() -> results.write(characters, offset, length));
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
        guarded(() -> results.write(text, offset, length));
    }

    @Override
    public void flush() throws IOException {
        guarded(results::flush);
    }

    @Override
    public void close() throws IOException {
        flush(); // more results follow
    }

    /// Why data was lost; null if none was.
    @Nullable LostOutputException lost() {
        return lost;
    }

    private void guarded(Runnable action) throws IOException {
        try {
            action.run();
        } catch (LostOutputException e) {
            lost = e;
            throw e.failure();
        }
    }
}
