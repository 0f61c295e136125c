package org.namdb.sql.server;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/// Sends what COPY TO STDOUT writes: a CopyData message for each row.
final class CopyOutStream extends OutputStream {
    private final MessageWriter out;
    private final CopyInStream.Announcement announcement;
    private boolean isAnnounced;
    private @Nullable IOException failure;

    /// @param announcement announces the rows to the client, once the first one comes
    CopyOutStream(MessageWriter out, CopyInStream.Announcement announcement) {
        this.out = out;
        this.announcement = announcement;
    }

    /// Marks the end of the rows.
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
    public void write(byte[] row, int from, int length) throws IOException {
        try {
            announce();
            out.begin('d').bytes(row, from, length).end();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
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
