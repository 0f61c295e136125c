package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.io.OutputStream;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.BinaryBuffer;
import org.namdb.sql.language.type.BinaryFormat;
import org.namdb.sql.language.type.SqlType;

/// Writes rows of COPY's data in the [binary format][BinaryCopy]: each by one call of the stream,
/// the first one with the header before it, and the end by another. Clients rely on that.
final class BinaryCopyWriter extends BinaryBuffer<BinaryCopyWriter> implements CopyOutput {
    private final OutputStream out;

    BinaryCopyWriter(OutputStream out) {
        this.out = out;
    }

    @Override
    protected BinaryCopyWriter self() {
        return this;
    }

    @Override
    public void begin(List<String> names) {
        bytes(BinaryCopy.signature()).int32(0).int32(0);
    }

    @Override
    public void write(@Nullable Object[] row, List<SqlType> types, ZoneId zone) throws IOException {
        int16(row.length);
        for (int i = 0; i < row.length; i++) {
            Object value = row[i];
            if (value == null) {
                int32(BinaryCopy.NULL);
            } else {
                int start = beginValue();
                BinaryFormat.write(this, value, types.get(i));
                endValue(start);
            }
        }
        send();
    }

    @Override
    public void end() throws IOException {
        int16(BinaryCopy.END);
        send();
        out.flush();
    }

    private void send() throws IOException {
        out.write(buffer, 0, size);
        size = 0;
    }
}
