package org.namdb.sql.server;

import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/// Sends what COPY TO STDOUT writes: a CopyData message for each line.
final class CopyOutWriter extends Writer {
    private final MessageWriter out;
    private final CopyInReader.Ask announcement;
    private boolean isAnnounced;
    private @Nullable IOException failure;

    /// @param announcement announces the lines to the client, once the first one comes
    CopyOutWriter(MessageWriter out, CopyInReader.Ask announcement) {
        this.out = out;
        this.announcement = announcement;
    }

    /// Marks the end of the lines.
    void end() throws IOException {
        announce();
        out.begin('c').end();
    }

    private void announce() throws IOException {
        if (!isAnnounced) {
            isAnnounced = true;
            announcement.send();
        }
    }

    /// Why the client can't be written to any more; null if it can.
    @Nullable IOException failure() {
        return failure;
    }

    @Override
    public Writer append(CharSequence line) throws IOException {
        write(line.toString());
        return this;
    }

    @Override
    public void write(String line, int from, int length) throws IOException {
        try {
            announce();
            out.begin('d').text(line.substring(from, from + length)).end();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public void write(char[] line, int from, int length) throws IOException {
        write(new String(line, from, length));
    }

    @Override
    public void flush() {
        // the connection does when the statement has ended
    }

    @Override
    public void close() {
        // the connection goes on
    }
}
